import * as opening from '../../../../sql/books/opening-entry.ts';
import { Invalid } from '../../../errors.ts';
import { isZero, parseMoney } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';

/**
 * Posts one entry for what a trial balance has beyond the loans of its import: income, cash and everything that was
 * booked without a loan. Afterwards, the import and the entry together add up to the trial balance, account by account.
 * Throws `Invalid` if an account does not exist, or if an account that only loans may move would differ: then loans are
 * missing. Does nothing if the entry of the import is already there.
 */
export async function importLedger(
  work: Work,
  importId: string,
  rows: readonly BookRow<'ledger'>[],
): Promise<void> {
  if (rows.length === 0) return;
  const wanted = new Map(rows.map(({ account_code, balance }) => [account_code, balance]));
  const accounts = await opening.listImportedBalances(work.tx, importId);
  const errors: Record<string, string> = {};
  for (const code of wanted.keys())
    if (!accounts.some((account) => account.code === code))
      errors[`ledger.csv, ${code}`] = 'There is no such account. Add it first.';
  const lines = accounts.flatMap(({ id, code, is_control, booked }) => {
    const rest = parseMoney(wanted.get(code) ?? '0.00').minus(booked);
    if (isZero(rest)) return [];
    if (is_control)
      errors[`ledger.csv, ${code}`] =
        `The loans of the book have ${booked} on this account, not ${wanted.get(code) ?? '0.00'}.`;
    const amount = rest.abs().toFixed(2);
    return [
      { account_id: id, debit: rest.gt(0) ? amount : '0.00', credit: rest.gt(0) ? '0.00' : amount },
    ];
  });
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
  if (lines.length > 0) await opening.postOpeningEntry(work.tx, importId, work.today, lines);
}
