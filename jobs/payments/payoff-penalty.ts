import type { Big } from 'big.js';
import { reverseFee } from '../../sql/loans/fees.ts';
import { money, parseMoney, ZERO } from '../money.ts';
import { eventsInForce } from '../loans/engine/event-order.ts';
import type { LoanEvent, PaymentType } from '../loans/engine/events.ts';
import { fold } from '../loans/engine/fold.ts';
import { payoffAmount } from '../loans/engine/projection/payoff-amounts.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import type { OpenLoan } from '../loans/history/open-loan.ts';
import { newEvent } from '../loans/history/new-event.ts';
import { prepaymentPenalty } from '../loans/products/prepayment-penalty.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import type { Work } from '../work.ts';

type Payoff = { payment_type: PaymentType; amount: string; effective_date: string };

/**
 * The prepayment penalty that a payment includes: the full penalty if the payment covers the payoff amount,
 * otherwise zero.
 */
export function penaltyIncludedIn(
  { row, schedule, events }: Pick<OpenLoan, 'row' | 'schedule' | 'events'>,
  { payment_type, amount, effective_date: on }: Payoff,
): Big {
  if (payment_type !== 'payoff') return ZERO;
  const state = fold({ terms: readTerms(row), schedule, events, as_of: on });
  const penalty = prepaymentPenalty(row, state);
  return parseMoney(amount).lt(payoffAmount(state, penalty)) ? ZERO : penalty;
}

export async function assessPenaltyIncludedIn(
  work: Work,
  loan: OpenLoan,
  payment: Payoff,
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
  const inForce = eventsInForce(events, state.as_of);
  const payment = inForce.find(({ id }) => id === paymentId);
  if (payment?.kind !== 'payment' || payment.payment_type !== 'payoff') return [];
  const penalty = inForce.find(
    (event) =>
      event.kind === 'fee' &&
      event.fee_type === 'prepayment_penalty' &&
      event.effective_date === payment.effective_date,
  );
  if (penalty?.kind !== 'fee') return [];
  await reverseFee(tx, penalty.fee_id ?? penalty.id);
  return [newEvent({ kind: 'reversal', effective_date: today, reverses: penalty.id })];
}
