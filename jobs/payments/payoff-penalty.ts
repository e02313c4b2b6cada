import { penaltyIncludedIn } from '../loans/agreed/scheduled-payment.ts';
import { money } from '../money.ts';
import type { LoanEvent } from '../loans/engine/events.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import type { OpenLoan } from '../loans/history/open-loan.ts';
import type { Work } from '../work.ts';

export async function assessPenaltyIncludedIn(
  work: Work,
  loan: OpenLoan,
  payment: Parameters<typeof penaltyIncludedIn>[1] & { id: string },
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
