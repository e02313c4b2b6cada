import { cancelAutopay } from '../../../sql/loans/charge-offs.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { emit } from '../../webhooks/emit.ts';
import { addDays } from '../../dates.ts';
import type { Work } from '../../work.ts';
import { firstDelinquencyOn } from '../engine/bills.ts';
import type { Position } from '../engine/position.ts';
import type { LoanState } from '../engine/state.ts';
import { afterPayoff } from './after-payoff.ts';
import type { LoanStatus } from './statuses.ts';

type Loan = Pick<
  loans.RawLoan,
  'id' | 'loan_number' | 'borrower_id' | 'status' | 'delinquency_bucket'
> & { posted_until: string };

/**
 * Whether the loan's bucket is left to the end of the day: tonight's close has passed the loan, and it is kept as
 * the morning will find it.
 */
const isAgedTonight = (
  { today }: Work,
  { status, posted_until }: Pick<Loan, 'status' | 'posted_until'>,
  after: LoanState,
) => status === 'active' && posted_until > today && !after.is_paid_off;

/**
 * What the loan's row keeps of its being late. The day on which its delinquency began follows from the whole history,
 * as of the morning where the loan is aged for that; what is charged off keeps the day that it had.
 */
export function lateness(
  work: Work,
  loan: Pick<Loan, 'status' | 'posted_until'> & { isBoarded: boolean },
  after: LoanState,
  position: Position,
) {
  const isAged = !loan.isBoarded && isAgedTonight(work, loan, after);
  const day = isAged ? addDays(work.today, 1) : work.today;
  return {
    ...(!isAged && { delinquency_bucket: after.delinquency_bucket }),
    ...(!after.is_charged_off && { first_delinquency_date: firstDelinquencyOn(position, day) }),
  };
}

/**
 * The status of a loan moves, and subscribers hear of it, in one place. Autopay ends with the loan.
 */
export async function changeStatus(
  work: Work,
  loan: Pick<Loan, 'id' | 'loan_number' | 'status'>,
  status: LoanStatus,
  trigger: string,
  reason?: string | null,
) {
  await loans.setStatus(work.tx, loan.id, status);
  if (!['approved', 'active'].includes(status)) await cancelAutopay(work.tx, loan.id);
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

/**
 * What follows from a loan's new state by itself: a debt of nothing is paid off, a paid-off loan that
 * owes again is active again, and a change of bucket is told once.
 */
export async function followState(work: Work, loan: Loan, after: LoanState, trigger = 'payment') {
  if (loan.status === 'active' && after.is_paid_off) {
    await changeStatus(work, loan, 'paid_off', trigger);
    await loans.markPaidOff(work.tx, loan.id, true);
    await afterPayoff(work, loan, after);
  }
  if (loan.status === 'paid_off' && !after.is_paid_off && !after.is_charged_off) {
    await changeStatus(work, loan, 'active', 'reopened');
    await loans.markPaidOff(work.tx, loan.id, false);
  }
  const bucket = after.is_paid_off ? 'current' : after.delinquency_bucket;
  const isTold = loan.status === 'active' && !isAgedTonight(work, loan, after);
  if (isTold && loan.delinquency_bucket !== bucket) {
    await emit(work, 'delinquency.changed', {
      loan_id: loan.id,
      old_bucket: loan.delinquency_bucket,
      new_bucket: bucket,
      days_past_due: after.days_past_due,
      past_due_amount: after.past_due_amount,
    });
  }
}
