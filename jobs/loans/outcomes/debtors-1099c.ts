import * as forms from '../../../sql/loans/forms-1099c.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { max, min, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';

/**
 * The debt from which each joint debtor gets a form, and the first day of debts to which this applies (26 CFR
 * 1.6050P-1(e)(1)(i); IRS, Instructions for Forms 1099-A and 1099-C, "Multiple debtors").
 */
const JOINT_DEBT = '10000.00';
const JOINT_SINCE = '1995-01-01';

export type IndebtedLoan = Pick<
  RawLoan,
  | 'id'
  | 'borrower_id'
  | 'loan_type'
  | 'credit_limit'
  | 'disbursed_amount'
  | 'principal_amount'
  | 'origination_date'
  | 'disbursement_date'
>;

/** Whether each joint debtor gets a form, not only the borrower. */
export function hasFormPerDebtor(loan: IndebtedLoan, amountDischarged: string): boolean {
  const incurredOn = loan.origination_date ?? loan.disbursement_date ?? JOINT_SINCE;
  if (incurredOn < JOINT_SINCE) return false;
  return max(debtIncurred(loan), parseMoney(amountDischarged)).gte(JOINT_DEBT);
}

/** The debt as it was incurred. A line of credit is never used above its limit, whatever was drawn in total. */
function debtIncurred(loan: IndebtedLoan) {
  const drawn = parseMoney(loan.disbursed_amount);
  if (loan.loan_type === 'installment') return max(drawn, parseMoney(loan.principal_amount));
  return min(drawn, parseMoney(loan.credit_limit ?? loan.principal_amount));
}

/**
 * The people who get a form for the whole amount: the borrower and, for larger debts, each co-borrower who owed
 * the loan on the day of the event. Joint and several liability is presumed (26 CFR 1.6050P-1(e)(1)(ii)).
 * Co-signers and guarantors answer for a debt of another person and get none (26 CFR 1.6050P-1(d)(7)).
 */
export async function findFormDebtors(
  { tx }: Work,
  loan: IndebtedLoan,
  { on, amount }: { on: string; amount: string },
): Promise<string[]> {
  if (!hasFormPerDebtor(loan, amount)) return [loan.borrower_id];
  return [loan.borrower_id, ...(await forms.listCoBorrowersOn(tx, loan.id, on))];
}
