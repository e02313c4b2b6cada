import type { RawLoan } from '../../../sql/loans/loans.ts';
import { update } from '../../../sql/write.ts';
import { isRescissionDay } from '../../banks/bank-calendar.ts';
import { addDays } from '../../dates.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { refusalDetails } from '../products/refusals.ts';
import { readTerms } from '../products/loan-terms.ts';

/**
 * Sets the last day of the right to rescind: the given number of business days after the loan was agreed
 * and disclosed (12 CFR 1026.23(a)(3)). The loan counts as agreed on its approval, which orders the
 * disclosure, or on a later origination date.
 */
export async function setRescissionEnd({ tx }: Work, loan: RawLoan, agreed: string) {
  const { rescission_days = 0 } = readTerms(loan);
  if (rescission_days === 0) return;
  let rescission_ends = agreed;
  for (let left = rescission_days; left > 0; left -= isRescissionDay(rescission_ends) ? 1 : 0) {
    rescission_ends = addDays(rescission_ends, 1);
  }
  await update(tx, 'loans', loan.id, { rescission_ends });
}

export const rescissionDetails = ({ rescission_ends }: RawLoan) =>
  rescission_ends === null
    ? {}
    : { rescission_ends, disbursable_from: addDays(rescission_ends, 1) };

/** No disbursement before the right to rescind has ended (12 CFR 1026.23(c)). */
export function assertRescissionOver(loan: RawLoan, on: string) {
  const { rescission_ends } = loan;
  if (rescission_ends === null || on > rescission_ends) return;
  const message = `The borrower may rescind until the end of ${rescission_ends}.`;
  throw new Conflict(message, 'rescission_period', {
    ...refusalDetails(loan),
    ...rescissionDetails(loan),
  });
}
