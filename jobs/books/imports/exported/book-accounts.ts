import * as parents from '../../../../sql/books/parents.ts';
import { accounts as accountTable } from '../../../../sql/ledger/accounts.ts';
import { auditChange } from '../../../audit.ts';
import { addAccount } from '../../../ledger/account.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';

type LedgerRow = BookRow<'ledger'>;

/**
 * The account here for an account of the book: the one with the same role, because a tenant may number its chart as it
 * likes, otherwise the one with the same code.
 */
export const accountFinder = (accounts: readonly parents.Account[]) => {
  const byRole = new Map(accounts.map((account) => [account.role, account]));
  const byCode = new Map(accounts.map((account) => [account.code, account]));
  return ({ account_code, role }: Pick<LedgerRow, 'account_code' | 'role'>) =>
    (role && byRole.get(role)) ?? byCode.get(account_code);
};

/** Adds the accounts that only the book has, with this reason in their history, and returns the ids of all accounts by the codes of the book. */
export async function addBookAccounts(
  work: Work,
  rows: readonly LedgerRow[],
  reason: string,
): Promise<Map<string, string>> {
  const accounts = await parents.listAccounts(work.tx);
  const find = accountFinder(accounts);
  const ids = new Map(accounts.map(({ id, code }) => [code, id]));
  for (const row of rows) {
    const { account_code: code, name = code, account_type } = row;
    const known = find(row)?.id ?? ids.get(code);
    if (known !== undefined) ids.set(code, known);
    else if (account_type !== undefined) {
      const account = { code, name, account_type };
      const add = () => addAccount(work, account);
      const { id } = await auditChange(work, accountTable, 'create', null, add, reason);
      ids.set(code, id);
    }
  }
  return ids;
}
