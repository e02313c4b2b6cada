import type { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { addMonths } from '../../dates.ts';
import { parseMoney, parseRate, toCents, ZERO } from '../../money.ts';
import { readTerms } from './loan-terms.ts';

/** The parts of a loan's state that determine the penalty. */
export type PenaltyBasis = {
  as_of: string;
  principal_balance: string;
  charge_off_balance: string;
  maturity_date: string | null;
  fees: readonly { fee_type: string }[];
  /** The law forgives fees that are assessed on this day. */
  forgives_fees: boolean;
};

/**
 * The charge for repaying the loan early, in addition to the debt. There is none once the
 * agreed months have passed, and none from maturity on; acceleration moves maturity to its own date. A flat
 * penalty is charged once, even if the loan reopens because another payment bounced.
 */
export function prepaymentPenalty(row: RawLoan, basis: PenaltyBasis): Big {
  const { as_of, principal_balance, charge_off_balance, maturity_date, fees } = basis;
  const agreed = readTerms(row).prepayment_penalty;
  const principal = parseMoney(principal_balance).plus(charge_off_balance);
  if (!agreed || row.status !== 'active' || principal.eq(0)) return ZERO;
  if (basis.forgives_fees) return ZERO;
  if (maturity_date !== null && as_of >= maturity_date) return ZERO;
  const { calculation, amount, percentage, within_months } = agreed;
  const since = row.disbursement_date;
  if (within_months && since !== null && as_of >= addMonths(since, within_months)) return ZERO;
  const wasCharged = fees.some(({ fee_type }) => fee_type === 'prepayment_penalty');
  if (calculation === 'flat') return wasCharged ? ZERO : parseMoney(amount ?? '0.00');
  return toCents(parseRate(percentage ?? '0').times(principal));
}
