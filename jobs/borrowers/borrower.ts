import * as borrowers from '../../sql/borrowers/borrowers.ts';
import { findOpenLoansOwedBy } from '../../sql/loans/co-borrowers.ts';
import { setArchived, insert, update } from '../../sql/write.ts';
import { addMonths, compareDates } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import { assertTimeZone } from '../time-zones.ts';
import type { Work } from '../work.ts';

export type BorrowerInput = {
  date_of_birth?: string | null | undefined;
  time_zone?: string | null | undefined;
};

type NewBorrower = BorrowerInput & { first_name: string; last_name: string };

export async function addBorrower(work: Work, input: NewBorrower): Promise<string> {
  assertValidDetails(work, input);
  return insert(work.tx, 'borrowers', input);
}

export async function changeBorrower(work: Work, id: string, changes: BorrowerInput) {
  assertValidDetails(work, changes);
  await update(work.tx, 'borrowers', id, changes);
}

/** Archives a borrower. Throws Conflict while the borrower has an open loan. */
export async function archiveBorrower({ tx }: Work, id: string) {
  await borrowers.lockExclusively(tx, id);
  const loan_ids = await findOpenLoansOwedBy(tx, id);
  if (loan_ids.length > 0) throw openLoans(loan_ids);
  await setArchived(tx, 'borrowers', id, true);
}

/** Borrowers must be at least 18 years old. */
export function assertValidDetails(
  { today }: Pick<Work, 'today'>,
  { date_of_birth, time_zone }: BorrowerInput,
) {
  if (date_of_birth && compareDates(date_of_birth, addMonths(today, -12 * 18)) > 0) {
    throw new Invalid({ date_of_birth: 'Must be at least 18 years ago.' });
  }
  assertTimeZone(time_zone);
}

export const openLoans = (loan_ids: readonly string[]) =>
  new Conflict(
    'The borrower still has an open loan. Archive the borrower after all loans are over.',
    'in_use',
    { loan_ids },
  );
