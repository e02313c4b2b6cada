import * as chargeOffs from '../../../sql/loans/charge-offs.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { emit } from '../../webhooks/emit.ts';
import { addDays } from '../../dates.ts';
import { money, parseMoney, sum } from '../../money.ts';
import type { Work } from '../../work.ts';
import { firstDelinquencyDate } from '../engine/bills.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { Position } from '../engine/position.ts';
import type { LoanState } from '../engine/state.ts';
import {
  undoClosingSteps,
  isClosed,
  releaseLiens,
  remindOfUnappliedMoney,
  remindOfOwedRefund,
} from './closed-loans.ts';
import type { LoanStatus } from './statuses.ts';

type Loan = Pick<
  loans.RawLoan,
  'id' | 'loan_number' | 'borrower_id' | 'loan_officer_id' | 'status' | 'delinquency_bucket'
> & { posted_until: string };

/**
 * True if the close of business has already processed the loan today. Its bucket then stays as the next
 * morning will show it.
 */
const isAgedByClose = (
  { today }: Work,
  { status, posted_until }: Pick<Loan, 'status' | 'posted_until'>,
  after: LoanState,
) => status === 'active' && posted_until > today && !after.is_paid_off;

/**
 * The delinquency columns of the loan's row. `first_delinquency_date` follows from the whole history, as of
 * the next morning if the close has already processed the loan. A charged-off loan keeps its date.
 */
export function delinquencyColumns(
  work: Work,
  loan: Pick<Loan, 'status' | 'posted_until'> & { isBoarded: boolean },
  after: LoanState,
  position: Position,
) {
  const isAged = !loan.isBoarded && isAgedByClose(work, loan, after);
  const day = isAged ? addDays(work.today, 1) : work.today;
  return {
    ...(!isAged && { delinquency_bucket: after.delinquency_bucket }),
    ...(!after.is_charged_off && {
      first_delinquency_date: firstDelinquencyDate(position, day, 1),
      first_delinquency_30_date: firstDelinquencyDate(position, day, 30),
    }),
  };
}

/** Changes the loan's status and notifies subscribers. Ends autopay if the loan leaves service. */
export async function changeStatus(
  work: Work,
  loan: Pick<Loan, 'id' | 'loan_number' | 'status'>,
  status: LoanStatus,
  trigger: string,
  reason?: string | null,
) {
  await loans.setLoanStatus(work.tx, loan.id, status);
  if (!['approved', 'active'].includes(status))
    await chargeOffs.cancelAutopayPlans(work.tx, loan.id);
  await emit(work, 'loan.status_changed', {
    loan_id: loan.id,
    loan_number: loan.loan_number,
    old_status: loan.status,
    new_status: status,
    trigger,
    ...(reason && { reason }),
    changed_at: new Date().toISOString(),
    changed_by: work.actor.id,
  });
}

/** These statuses follow from the loan's events. A user decides the others. */
const DERIVED_STATUSES: readonly string[] = ['active', 'paid_off', 'charged_off', 'settled'];

function statusOf(status: string, after: LoanState, events: readonly LoanEvent[]): LoanStatus {
  return DERIVED_STATUSES.includes(status) ? derivedStatus(after, events) : (status as LoanStatus);
}

/** The status of a funded loan that follows from its events in force. */
export function derivedStatus(after: LoanState, events: readonly LoanEvent[]) {
  const { is_charged_off, is_paid_off } = after;
  const isSettled = events.some((event) => event.kind === 'forgiveness' && event.settles);
  // A settled loan can owe again if a payment bounces after its refund.
  if (isSettled && !owesAnything(after)) return 'settled';
  if (is_charged_off) return 'charged_off';
  return is_paid_off ? 'paid_off' : 'active';
}

const owesAnything = ({ total_balance, charge_off_balance }: LoanState): boolean =>
  parseMoney(total_balance).plus(charge_off_balance).gt(0);

type StatusChange = {
  /** The status before the change. */
  was: string;
  before: { state: LoanState };
  /** `events`: those in force. */
  after: { state: LoanState; events: readonly LoanEvent[] };
};

/**
 * Updates the status and bucket that follow from a loan's new state, in whatever order its events were
 * recorded. Notifies subscribers of a changed bucket once. Returns sentences about earlier conclusions that
 * no longer hold.
 */
export async function applyStateChange(
  work: Work,
  loan: Loan,
  { was, before: { state: before }, after: { state: after, events } }: StatusChange,
  trigger = 'payment',
): Promise<string[]> {
  const status = statusOf(loan.status, after, events);
  const sentences =
    status === loan.status ? [] : await updateStatus(work, loan, status, after, events, trigger);
  if (isClosed(status)) {
    const heldBefore = isClosed(was) ? before.suspense_balance : null;
    await remindOfUnappliedMoney(work, { ...loan, status }, after.suspense_balance, heldBefore);
    await remindOfOwedRefund(work, { ...loan, status }, after.total_balance, before.total_balance);
  }
  const bucket = after.is_paid_off ? 'current' : after.delinquency_bucket;
  const mustNotify = loan.status === 'active' && !isAgedByClose(work, loan, after);
  if (mustNotify && loan.delinquency_bucket !== bucket) {
    await emit(work, 'delinquency.changed', {
      loan_id: loan.id,
      old_bucket: loan.delinquency_bucket,
      new_bucket: bucket,
      days_past_due: after.days_past_due,
      past_due_amount: after.past_due_amount,
    });
  }
  return sentences;
}

/** Changes the status and everything that depends on it. */
async function updateStatus(
  work: Work,
  loan: Loan,
  status: LoanStatus,
  after: LoanState,
  events: readonly LoanEvent[],
  trigger: string,
): Promise<string[]> {
  const isOpenAgain = isClosed(loan.status) && !isClosed(status);
  await changeStatus(work, loan, status, isOpenAgain ? 'reopened' : trigger);
  if (loan.status === 'paid_off' || status === 'paid_off')
    await loans.markPaidOff(work.tx, loan.id, status === 'paid_off');
  if (loan.status === 'charged_off' && status !== 'settled')
    await chargeOffs.unmarkChargedOff(work.tx, loan.id);
  if (status === 'charged_off') await markChargedOff(work, loan, after, events);
  if (isClosed(status) && !isClosed(loan.status)) await releaseLiens(work, loan);
  return isOpenAgain ? undoClosingSteps(work, { ...loan, status }, loan.status, after) : [];
}

/** Restores the loan's charge-off record from its event. */
async function markChargedOff(
  { tx }: Work,
  { id }: Loan,
  { allocations }: LoanState,
  events: readonly LoanEvent[],
) {
  const event = events.findLast(
    (one) => one.kind === 'charge_off' && one.principal_amount === undefined,
  );
  if (event?.kind !== 'charge_off') return;
  const principalLost = allocations.filter(
    ({ rule, component }) => rule === 'charge_off' && component === 'principal',
  );
  await chargeOffs.markChargedOff(tx, id, {
    on: event.effective_date,
    reason: event.reason ?? 'other',
    amount: money(sum(principalLost.map(({ amount }) => parseMoney(amount)))),
  });
}
