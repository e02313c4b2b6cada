import { dictionary } from '../../../sql/dictionary.ts';
import { ACTIONS_BY_STATUS } from '../../../sql/loans/actions.ts';
import { Conflict } from '../../errors.ts';

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

export const allowedActions = (status: string): readonly string[] =>
  ACTIONS_BY_STATUS[status as LoanStatus] ?? [];

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
  payments: 'paid',
});

/** Refuses an action that the loan's status does not allow. */
export function assertAllowed(status: string, action: string) {
  if (allowedActions(status).includes(action)) return;
  const done = PAST[action] ?? `changed by ${action}`;
  throw new Conflict(
    `A loan that is ${status.replaceAll('_', ' ')} cannot be ${done}.`,
    'invalid_transition',
    refusalOf(status),
  );
}

/** What a refusal says of the loan, so that whoever asked knows what is possible instead. */
export const refusalOf = (status: string) => ({
  current_status: status,
  allowed_actions: allowedActions(status),
});
