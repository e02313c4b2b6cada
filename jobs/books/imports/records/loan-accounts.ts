import * as brought from '../../../../sql/books/brought-records.ts';
import * as records from '../../../../sql/books/import-records.ts';
import type { Work } from '../../../work.ts';

/** The account here for an account of the book, if it belongs to a person who owes the loan. */
export type FindAccount = (
  loanId: string,
  bank_account_id: unknown,
) => brought.LiableAccount | undefined;

/** Finds the accounts on which rows of these loans may draw. Two statements for all of them. */
export async function createAccountFinder(
  { tx }: Work,
  importId: string,
  loanIds: readonly string[],
  bankAccountIds: readonly string[],
): Promise<FindAccount> {
  const ids = await records.findImportedRecords(tx, importId, 'bank_accounts', bankAccountIds);
  const accounts = await brought.listLiableAccounts(tx, loanIds, [...ids.values()]);
  const byLoan = new Map(accounts.map((one) => [`${one.loan_id} ${one.id}`, one]));
  return (loanId, old) =>
    typeof old === 'string' ? byLoan.get(`${loanId} ${ids.get(old) ?? ''}`) : undefined;
}
