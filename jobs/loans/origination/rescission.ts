import type { RawLoan } from '../../../sql/loans/loans.ts';
import { update } from '../../../sql/write.ts';
import { isRescissionDay } from '../../bank-calendar.ts';
import { addDays } from '../../dates.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { refusalDetails } from '../history/statuses.ts';
import { readTerms } from '../products/loan-terms.ts';

/**
 * Fixes until when a borrower may still rescind: midnight of so many business days after the loan was
 * agreed and disclosed (12 CFR 1026.23(a)(3)). Here that is the day of the approval, which orders the
 * disclosure, or the origination date where that is later. Many products know no such right.
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

/** What a refusal says of it. */
export const rescissionDetails = ({ rescission_ends }: RawLoan) =>
  rescission_ends === null
    ? {}
    : { rescission_ends, disbursable_from: addDays(rescission_ends, 1) };

/** No money goes out before the borrower can rescind no more (12 CFR 1026.23(c)). */
export function assertRescissionOver(loan: RawLoan, on: string) {
  const { rescission_ends } = loan;
  if (rescission_ends === null || on > rescission_ends) return;
  const message = `The borrower may rescind until the end of ${rescission_ends}.`;
  throw new Conflict(message, 'rescission_period', {
    ...refusalDetails(loan),
    ...rescissionDetails(loan),
  });
}
