import * as opening from '../../../../sql/books/opening-entry.ts';
import { Invalid } from '../../../errors.ts';
import { isZero, money, parseMoney, sum } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import { addBookAccounts } from './book-accounts.ts';
import type { Bringing } from './import-investors.ts';

/** An account that only loans may move, on which the trial balance differs from the loans of the import. */
export type LedgerDifference = { account_code: string; booked: string; wanted: string };

/**
 * Posts one entry for what a trial balance has beyond the boardings of its import: income, cash and everything that was
 * booked without a loan. An account that only loans may move keeps what the loans have; its rest, such as the interest
 * of the days since the export or money held for loans that have left, is posted on Due to Investors and returned. Does
 * nothing if the entry of the import is already there. Throws `Invalid` if an account does not exist, or if the balances
 * do not add up to zero.
 */
export async function importLedger(
  work: Work,
  { id: importId, reason }: Bringing & { id: string },
  rows: readonly BookRow<'ledger'>[],
): Promise<LedgerDifference[]> {
  if (rows.length === 0) return [];
  const ids = await addBookAccounts(work, rows, reason);
  assertPostable(rows, ids);
  const wanted = balancesByAccount(rows, ids);
  const accounts = await opening.listImportedBalances(work.tx, importId);
  const rests = accounts.map((account) => {
    const { account_code = account.code, balance = '0.00' } = wanted.get(account.id) ?? {};
    const rest = parseMoney(balance).minus(account.booked);
    return { ...account, code: account_code, wanted: balance, rest };
  });
  const differences = rests.filter(({ is_control, rest }) => is_control && !isZero(rest));
  const rest = sum(differences.map((one) => one.rest));
  const lines = rests.flatMap((account) => {
    if (account.is_control) return [];
    const amount = account.is_due_to_investors ? account.rest.plus(rest) : account.rest;
    const side = money(amount.abs());
    if (isZero(amount)) return [];
    return amount.gt(0)
      ? [{ account_id: account.id, debit: side, credit: '0.00' }]
      : [{ account_id: account.id, debit: '0.00', credit: side }];
  });
  if (lines.length > 0) await opening.postOpeningEntry(work.tx, importId, work.today, lines);
  return differences.map(({ code, booked, wanted: balance }) => ({
    account_code: code,
    booked,
    wanted: balance,
  }));
}

/** Two accounts of the book may be one here. */
function balancesByAccount(rows: readonly BookRow<'ledger'>[], ids: ReadonlyMap<string, string>) {
  const wanted = new Map<string, { account_code: string; balance: string }>();
  for (const { account_code, balance } of rows) {
    const id = ids.get(account_code) ?? '';
    const before = wanted.get(id);
    wanted.set(id, {
      account_code: before ? `${before.account_code}, ${account_code}` : account_code,
      balance: money(parseMoney(before?.balance ?? '0.00').plus(balance)),
    });
  }
  return wanted;
}

/** The check finds these mistakes earlier, unless an account was changed since. */
function assertPostable(rows: readonly BookRow<'ledger'>[], ids: ReadonlyMap<string, string>) {
  const errors: Record<string, string> = {};
  for (const { account_code } of rows)
    if (!ids.has(account_code)) errors[account_code] = NO_ACCOUNT;
  const total = sum(rows.map(({ balance }) => parseMoney(balance)));
  if (!isZero(total)) errors['balance'] = notBalanced(money(total));
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

export const NO_ACCOUNT =
  'There is no such account. Add it first, or give its account_type so that the import adds it.';
export const notBalanced = (total: string) =>
  `The balances of all accounts add up to ${total}. They must add up to zero.`;
