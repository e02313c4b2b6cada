import { dictionary } from '../../../sql/dictionary.ts';
import { ACTIONS_BY_STATUS, BLOCKER_CODES } from '../../../sql/loans/actions.ts';
import type { Row } from '../../../sql/table.ts';
import { Conflict } from '../../errors.ts';
import {
  actionsOfStatus,
  BILLED_BY_CYCLE,
  refusalDetails,
  type ActionInputs,
} from '../products/refusals.ts';

export const LOAN_STATUSES = [
  'pending',
  'approved',
  'denied',
  'canceled',
  'active',
  'paid_off',
  'charged_off',
  'settled',
  'transferred',
] as const satisfies (keyof typeof ACTIONS_BY_STATUS)[];
export type LoanStatus = (typeof LOAN_STATUSES)[number];

const PAST = dictionary<string>({
  approve: 'approved',
  deny: 'denied',
  cancel: 'canceled',
  disburse: 'disbursed',
  'charge-off': 'charged off',
  'reverse-charge-off': 'restored',
  'pay-off': 'paid off',
  'non-accrual': 'moved to or from non-accrual',
  reschedule: 'rescheduled',
  'change-due-date': 'given another due date',
  'activate-promo': 'given a promotion',
  accelerate: 'accelerated',
  payments: 'paid',
  draws: 'drawn on',
});

/** The message for each blocker, with the remedy. */
const BLOCKED_MESSAGES = dictionary<string>({
  already_disbursed: 'Money has already been disbursed.',
  archived: 'An archived loan cannot be disbursed: unarchive it first.',
  rescission_period: 'The rescission period has not ended yet. Disburse the loan after it.',
  not_fundable: 'The loan is frozen, accelerated or on non-accrual, so it cannot be disbursed.',
  exceeds_commitment: 'The approved amount is already fully disbursed.',
  not_a_line: 'The loan is not a line of credit.',
  exceeds_available_credit: 'The line has no credit available.',
  invalid_transition: 'The loan is not charged off.',
  recovery_posted: 'Part of the charge-off has already been recovered.',
  before_boarding: 'The loan was charged off by its previous servicer.',
  no_payment_day: 'Only monthly and quarterly installments have a day of the month.',
  no_installments_ahead: 'The loan has no future installments to move.',
  billed_by_cycle: BILLED_BY_CYCLE,
  legal_condition:
    'A legal condition of a person who owes the loan does not allow this. See the cases of the borrowers.',
  interest_follows_plan: 'The interest of this loan follows its schedule. Modify the loan instead.',
});

/** Throws `Conflict` if the loan's status or a blocker forbids the action. */
export function assertAllowed(loan: ActionInputs, action: string, details: object = {}) {
  assertStatus(loan, action);
  assertNotBlocked(loan, action, details);
}

/** Throws `Conflict` if the loan's status forbids the action. */
export function assertStatus(loan: ActionInputs, action: string) {
  if (!actionsOfStatus(loan.status).includes(action))
    throw wrongStatus(action, refusalDetails(loan));
}

/** Checks only the status, using a row of the public view. */
export function assertStatusAllows(loan: Row, action: string) {
  const current_status = String(loan['status']);
  if (actionsOfStatus(current_status).includes(action)) return;
  throw wrongStatus(action, { current_status, allowed_actions: loan['allowed_actions'] });
}

function wrongStatus(
  action: string,
  refusal: { current_status: string; allowed_actions: unknown },
) {
  const done = PAST[action] ?? `changed by ${action}`;
  const message = `A loan that is ${refusal.current_status.replaceAll('_', ' ')} cannot be ${done}.`;
  return new Conflict(message, 'invalid_transition', refusal);
}

/** Throws `Conflict` if a blocker forbids an action that the status allows. */
export function assertNotBlocked(loan: ActionInputs, action: string, details: object = {}) {
  const code = loan.blockers[action];
  if (code === undefined) return;
  throw new Conflict(
    BLOCKED_MESSAGES[code] ?? 'The current state of the loan does not allow this.',
    code,
    {
      ...refusalDetails(loan),
      ...details,
    },
  );
}

/** The refusals of an action by the status or a blocker of a loan, each once, as the API answers them. */
export function refusalsOfAction(action: string): Conflict[] {
  const allows = (status: string) => actionsOfStatus(status).includes(action);
  const wrong = LOAN_STATUSES.find((status) => !allows(status));
  const right = LOAN_STATUSES.find(allows);
  const codes = (BLOCKER_CODES[action] ?? []).filter(
    (code) => BLOCKED_MESSAGES[code] !== undefined,
  );
  const loans: ActionInputs[] = [
    ...(wrong === undefined ? [] : [{ status: wrong, blockers: {} }]),
    ...(right === undefined
      ? []
      : codes.map((code) => ({ status: right, blockers: { [action]: code } }))),
  ];
  const refusals = loans.flatMap((loan) => findRefusal(loan, action) ?? []);
  return [...new Map(refusals.map((refusal) => [refusal.code, refusal])).values()];
}

function findRefusal(loan: ActionInputs, action: string): Conflict | null {
  try {
    assertAllowed(loan, action);
    return null;
  } catch (error) {
    if (error instanceof Conflict) return error;
    throw error;
  }
}
