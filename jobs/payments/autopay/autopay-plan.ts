import * as plans from '../../../sql/payments/autopay-plans.ts';
import { isLiable } from '../../../sql/loans/co-borrowers.ts';
import * as draws from '../../../sql/payments/autopay-draws.ts';
import type { Row } from '../../../sql/table.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { addDays, addMonths, latest } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { openLoan } from '../../loans/history/open-loan.ts';
import { isOpenAutopayPlan, saveNextDraw } from '../../loans/history/autopay/save-next-draw.ts';
import { refusalDetails } from '../../loans/products/refusals.ts';
import type { Work } from '../../work.ts';
import { assertBankOrder } from '../nacha/bank-order.ts';

export const AUTOPAY_CANCEL_REASONS = [
  'borrower',
  'agent',
  'returns',
  'loan_closed',
  'instrument_removed',
] as const;
type CancelReason = (typeof AUTOPAY_CANCEL_REASONS)[number];

type Input = Values & {
  payment_instrument_id?: string | undefined;
  backup_payment_instrument_id?: string | null | undefined;
  start_date?: string | null | undefined;
  status?: string | undefined;
  is_enabled?: boolean | undefined;
  cancel_reason?: CancelReason | null | undefined;
};
type NewPlan = Input & { borrower_id: string; loan_id: string; payment_instrument_id: string };

/**
 * Enrolls a loan in autopay: close of business draws payments from then on. A loan has at most one open
 * plan.
 */
export async function addAutopayPlan(work: Work, input: NewPlan): Promise<string> {
  const { borrower_id, loan_id, status: _, cancel_reason: __, ...terms } = input;
  const loan = await openLoan(work, loan_id).catch((error: unknown) => {
    throw isMissing(error) ? new Invalid({ loan_id: 'Does not exist.' }) : error;
  });
  if (loan.row.borrower_id !== borrower_id && !(await isLiable(work.tx, loan_id, borrower_id)))
    throw new Invalid({ loan_id: 'Does not exist.' });
  if (!['pending', 'approved', 'active'].includes(loan.row.status)) {
    const { status } = loan.row;
    throw new Conflict(`The loan is ${status}.`, 'loan_not_active', refusalDetails(loan.row));
  }
  const start_date = input.start_date ?? work.today;
  assertConsistent(work, { ...terms, start_date });
  await assertInstruments(work, borrower_id, terms);
  if (await plans.hasOpenPlan(work.tx, loan_id)) {
    throw planExists();
  }
  const id = await insert(work.tx, 'autopay_plans', {
    ...terms,
    borrower_id,
    loan_id,
    start_date,
    drawn_through: addDays(work.today, -1),
  });
  await saveNextDraw(work, loan, id);
  return id;
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'not_found';

/** Changes, pauses, resumes or cancels an open plan. Throws `Conflict` if the plan has ended. */
export async function changeAutopayPlan(work: Work, id: string, changes: Input, row: Row) {
  const loan = await openLoan(work, String(row['loan_id']));
  const plan = await plans.lockAutopayPlan(work.tx, id);
  if (plan === null || !isOpenAutopayPlan(plan)) throw planNotEditable(plan?.status);
  const { status, cancel_reason, ...terms } = changes;
  if (status === 'canceled') return endPlan(work, id, cancel_reason ?? 'agent');
  if (status !== undefined && !['active', 'paused'].includes(status))
    throw new Invalid({ status: 'May be set to active, paused or canceled.' });
  assertConsistent(work, { ...row, ...terms });
  const isResumed =
    (status === 'active' && plan.status === 'paused') ||
    (terms.is_enabled === true && !plan.is_enabled);
  const named = isResumed ? { ...plan, ...terms } : terms;
  await assertInstruments(work, plan.borrower_id, named);
  if (isResumed && (await plans.isConsentRevoked(work.tx, id))) throw consentRevoked();
  if (status === 'paused') await draws.cancelRetries(work.tx, id);
  await update(work.tx, 'autopay_plans', id, {
    ...terms,
    status,
    ...(terms.start_date === null && { start_date: undefined }),
    ...(isResumed && {
      consecutive_failures: 0,
      // The borrower had to pay due dates that passed during the pause.
      drawn_through: latest(plan.drawn_through, addDays(work.today, -1)),
    }),
  });
  await saveNextDraw(work, loan, id);
}

/** Cancels the plan. The loan's lock orders this against the day's run. */
export async function cancelAutopayPlan(work: Work, id: string, reason: CancelReason = 'agent') {
  const loanId = await plans.findLoanOfAutopayPlan(work.tx, id);
  if (loanId !== null) await openLoan(work, loanId);
  const plan = await plans.lockAutopayPlan(work.tx, id);
  if (plan === null || !isOpenAutopayPlan(plan)) throw planNotEditable(plan?.status);
  await endPlan(work, id, reason);
}

async function endPlan({ tx }: Work, id: string, reason: CancelReason) {
  await draws.cancelRetries(tx, id);
  await plans.markAutopayPlanCanceled(tx, id, reason);
}

export const planNotEditable = (status: string | undefined) =>
  new Conflict(`A plan that is ${status} cannot be changed.`, 'invalid_transition', {
    current_status: status,
  });

export const consentRevoked = () =>
  new Conflict(
    'The borrower revoked the authorization of this plan. Cancel it and enroll the loan again.',
    'authorization_revoked',
  );

async function assertInstruments(work: Work, borrowerId: string, named: Input) {
  const { payment_instrument_id: main, backup_payment_instrument_id: backup } = named;
  await assertBankOrder(work, borrowerId, { payment_instrument_id: main });
  const instrument = 'backup_payment_instrument_id';
  await assertBankOrder(work, borrowerId, { payment_instrument_id: backup }, { instrument });
}

/** A later start is a typing error, and the search for the first draw would leave the calendar. */
const MONTHS_TO_START_MAX = 120;

export function assertConsistent({ today }: Pick<Work, 'today'>, plan: Values) {
  const { amount_type, fixed_amount, extra_amount, start_date, end_date } = plan;
  const errors: Record<string, string> = {};
  if (amount_type === 'fixed' && !fixed_amount) errors['fixed_amount'] = 'Is required for fixed.';
  if (amount_type === 'minimum_due_plus' && !extra_amount)
    errors['extra_amount'] = 'Is required for minimum_due_plus.';
  if (String(start_date) > addMonths(today, MONTHS_TO_START_MAX))
    errors['start_date'] = 'Must be at most ten years after the business date.';
  if (end_date && String(end_date) < String(start_date))
    errors['end_date'] = 'Must not be before start_date.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

export const planExists = () =>
  new Conflict(
    'The loan already has an autopay plan. Change or cancel that plan.',
    'already_exists',
  );
