import { reverse } from '../../sql/loans/fees.ts';
import { penaltyIncludedIn } from '../loans/agreed/scheduled-payment.ts';
import { money } from '../money.ts';
import { eventsInForce } from '../loans/engine/event-order.ts';
import type { LoanEvent } from '../loans/engine/events.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import type { OpenLoan } from '../loans/history/open-loan.ts';
import { newEvent } from '../loans/history/new-event.ts';
import type { Work } from '../work.ts';

export async function assessPenaltyIncludedIn(
  work: Work,
  loan: OpenLoan,
  payment: Parameters<typeof penaltyIncludedIn>[1],
): Promise<LoanEvent[]> {
  const penalty = penaltyIncludedIn(loan, payment);
  if (penalty.eq(0)) return [];
  return [await assessPrepaymentPenalty(work, loan.row, money(penalty), payment.effective_date)];
}

export const assessPrepaymentPenalty = (
  work: Work,
  row: OpenLoan['row'],
  amount: string,
  on: string,
) => {
  const fee = { fee_type: 'prepayment_penalty', amount, on };
  return assessFee(work, row, { ...fee, description: 'Early repayment' });
};

/** Reversing a payoff also reverses its prepayment penalty, because the loan was not repaid early. */
export async function reversePrepaymentPenalty(
  { tx, today }: Work,
  { events, state }: OpenLoan,
  paymentId: string,
): Promise<LoanEvent[]> {
  const standing = eventsInForce(events, state.as_of);
  const payment = standing.find(({ id }) => id === paymentId);
  if (payment?.kind !== 'payment' || payment.payment_type !== 'payoff') return [];
  const penalty = standing.find(
    (event) =>
      event.kind === 'fee' &&
      event.fee_type === 'prepayment_penalty' &&
      event.effective_date === payment.effective_date,
  );
  if (penalty?.kind !== 'fee') return [];
  await reverse(tx, penalty.fee_id ?? penalty.id);
  return [newEvent({ kind: 'reversal', effective_date: today, reverses: penalty.id })];
}
