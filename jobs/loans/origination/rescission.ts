import type { RawLoan } from '../../../sql/loans/loans.ts';
import { isRescissionDay } from '../../bank-calendar.ts';
import { addDays, latest } from '../../dates.ts';
import { Conflict } from '../../errors.ts';
import { refusalOf } from '../history/statuses.ts';
import { termsOf } from '../products/terms-of.ts';

/**
 * Until when a borrower may still rescind: midnight of so many business days after the loan was agreed
 * and disclosed (12 CFR 1026.23(a)(3)). Here that is the day of the approval, which orders the
 * disclosure, or the origination date where that is later. Null where there is no such right.
 */
export function rescissionEnds(loan: RawLoan): string | null {
  const { rescission_days = 0 } = termsOf(loan);
  const { approved_on, origination_date } = loan;
  const agreed = latest(approved_on ?? '', origination_date ?? '');
  if (rescission_days === 0 || agreed === '') return null;
  let day = agreed;
  for (let left = rescission_days; left > 0; left -= isRescissionDay(day) ? 1 : 0) {
    day = addDays(day, 1);
  }
  return day;
}

/** No money goes out before the borrower can rescind no more (12 CFR 1026.23(c)). */
export function assertRescissionOver(loan: RawLoan, on: string) {
  const rescission_ends = rescissionEnds(loan);
  if (rescission_ends === null || on > rescission_ends) return;
  const message = `The borrower may rescind until the end of ${rescission_ends}.`;
  throw new Conflict(message, 'rescission_period', {
    ...refusalOf(loan.status),
    rescission_ends,
    disbursable_from: addDays(rescission_ends, 1),
  });
}
