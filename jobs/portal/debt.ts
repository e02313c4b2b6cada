import type { Big } from 'big.js';
import { portalLoans } from '../../sql/portal/loans.ts';
import { find } from '../../sql/table.ts';
import { NotFound } from '../errors.ts';
import { projectLoan } from '../loans/agreed/read-agreed-steps.ts';
import { fold } from '../loans/engine/fold.ts';
import { payoffAmount, repaymentAmount } from '../loans/engine/projection/payoff-amounts.ts';
import { readLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { prepaymentPenalty } from '../loans/products/prepayment-penalty.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { money, parseMoney } from '../money.ts';
import type { Work } from '../work.ts';
import { assertOwnLoan, liabilityFields } from './own-loans.ts';

/**
 * A loan that this person owes, with their role and today's payoff amount. Throws NotFound for any other
 * loan.
 */
export async function findOwnLoan(work: Work, borrowerId: string, id: string) {
  const role = await assertOwnLoan(work, borrowerId, id);
  const loan = await find(work.tx, portalLoans, id);
  if (loan === null) throw new NotFound();
  const payoff_amount = money(totalDebt(await readLoan(work, id), work.today));
  return { ...loan, ...liabilityFields(role), payoff_amount };
}

/** The total debt on a day if nothing is paid until then. What was agreed until then has happened. */
export const totalDebtOn = async (work: Work, loan: OpenLoan, on: string): Promise<Big> =>
  totalDebt(await projectLoan(work, loan, on, ({ pays }) => pays === undefined), on);

/**
 * The most that a payment on this day can be used for: the payoff amount; for a line of credit, which stays
 * open, the drawn amount; after a charge-off, the amount not yet recovered.
 */
function totalDebt({ row, schedule, events }: OpenLoan, on: string): Big {
  const state = fold({ terms: readTerms(row), schedule, events, as_of: on });
  if (state.is_charged_off) return parseMoney(state.charge_off_balance);
  if (row.loan_type === 'line_of_credit')
    return repaymentAmount(state).plus(state.charge_off_balance);
  return payoffAmount(state, prepaymentPenalty(row, state));
}
