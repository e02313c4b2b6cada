import type { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { addMonths } from '../../dates.ts';
import { parseMoney, parseRate, toCents, ZERO } from '../../money.ts';
import { readTerms } from './loan-terms.ts';

/** What of a loan's state on a day the penalty depends on. */
type Standing = {
  as_of: string;
  principal_balance: string;
  charge_off_balance: string;
  maturity_date: string | null;
};

/**
 * What it costs to repay the loan on a day, beside the debt itself: as agreed with the loan, none once
 * it is older than that says, and none from maturity on, which acceleration brings forward. In SQL it
 * is app.prepayment_penalty.
 */
export function prepaymentPenalty(
  row: RawLoan,
  { as_of, principal_balance, charge_off_balance, maturity_date }: Standing,
): Big {
  const agreed = readTerms(row).prepayment_penalty;
  const principal = parseMoney(principal_balance).plus(charge_off_balance);
  if (!agreed || row.status !== 'active' || principal.eq(0)) return ZERO;
  if (maturity_date !== null && as_of >= maturity_date) return ZERO;
  const { calculation, amount, percentage, within_months } = agreed;
  const since = row.disbursement_date;
  if (within_months && since !== null && as_of >= addMonths(since, within_months)) return ZERO;
  if (calculation === 'flat') return parseMoney(amount ?? '0.00');
  return toCents(parseRate(percentage ?? '0').times(principal));
}
