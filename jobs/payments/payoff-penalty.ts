import type { Big } from 'big.js';
import { money, parseMoney, ZERO } from '../money.ts';
import type { LoanEvent, PaymentType } from '../loans/engine/events.ts';
import { fold } from '../loans/engine/fold.ts';
import { payoffAmount } from '../loans/engine/projection/payoff-amounts.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import type { OpenLoan } from '../loans/history/open-loan.ts';
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
  payment: Payoff & { id: string },
): Promise<LoanEvent[]> {
  const amount = money(penaltyIncludedIn(loan, payment));
  if (amount === '0.00') return [];
  const { id: payment_id, effective_date: on } = payment;
  return [await assessPrepaymentPenalty(work, loan.row, { amount, on, payment_id })];
}

/**
 * Assesses the penalty. Reversing its payment also reverses the penalty, because the loan was then not
 * repaid early (`withdrawn-events.ts`).
 */
export async function assessPrepaymentPenalty(
  work: Work,
  row: OpenLoan['row'],
  { payment_id, ...penalty }: { amount: string; on: string; payment_id?: string },
): Promise<LoanEvent> {
  const fee = { fee_type: 'prepayment_penalty', description: 'Early repayment', ...penalty };
  const event = await assessFee(work, row, fee);
  return payment_id === undefined ? event : { ...event, payment_id };
}
