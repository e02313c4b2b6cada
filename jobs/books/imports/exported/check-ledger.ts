import * as parents from '../../../../sql/books/parents.ts';
import { isZero, money, parseMoney, ZERO } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { BookRow } from '../../format/book-files.ts';
import type { CheckedRow } from '../../format/checks/check-book.ts';
import type { BookFinding } from '../finding.ts';
import { accountFinder } from './book-accounts.ts';
import { NO_ACCOUNT, notBalanced } from './import-ledger.ts';

/** Checks the trial balance of a book, part by part, so that its entry can be posted once the loans are boarded. */
export function createLedgerCheck() {
  let first: { source: string; line: number; day: string } | null = null;
  let total = ZERO;
  return {
    /** Checks some rows: their accounts exist, and all are of one day. */
    async add({ tx, today }: Work, rows: readonly CheckedRow[]): Promise<BookFinding[]> {
      if (rows.length === 0) return [];
      const find = accountFinder(await parents.listAccounts(tx));
      const headers = await parents.listHeaderCodes(tx);
      const findings: BookFinding[] = [];
      for (const { source, line, labelOf, values } of rows) {
        const row = values as BookRow<'ledger'>;
        const { account_type, as_of_date: day, balance } = row;
        const report = (column: string, reason: string) =>
          findings.push({ ...errorAt(source, line), column: labelOf(column), reason });
        first ??= { source, line, day };
        total = total.plus(parseMoney(balance));
        const known = find(row);
        if (!known && headers.has(row.account_code)) report('account_code', HEADER);
        else if (!known && account_type === undefined) report('account_code', NO_ACCOUNT);
        else if (known && account_type !== undefined && known.account_type !== account_type)
          report(
            'account_type',
            `The account ${known.code} here is of the type ${known.account_type}. Correct the row.`,
          );
        if (day > today) report('as_of_date', 'Must not be after the business date.');
        else if (day !== first.day)
          report('as_of_date', `All balances must be of one day. The first is of ${first.day}.`);
      }
      return findings;
    },
    /** After the last row: the balances add up to zero. */
    end: (): BookFinding[] =>
      first === null || isZero(total)
        ? []
        : [
            {
              ...errorAt(first.source, first.line),
              column: 'balance',
              reason: notBalanced(money(total)),
            },
          ],
  };
}

const HEADER =
  'This account is a header here, which only groups accounts. Name an account to which entries can be posted.';

const errorAt = (file: string, line: number) =>
  ({ file, line, code: 'contradiction', severity: 'error' }) as const;
