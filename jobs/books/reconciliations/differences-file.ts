import { stringify } from 'csv-stringify/sync';
import * as stored from '../../../sql/books/reconciliations.ts';
import type { Within } from '../../work.ts';

export const CSV_COLUMNS = [
  ...(['loan_number', 'figure', 'kind', 'is_accepted', 'reason'] as const),
  ...(['first_date', 'first_ours', 'first_theirs'] as const),
  ...(['last_date', 'last_ours', 'last_theirs', 'days_differing'] as const),
  ...(['days_not_compared'] as const),
] as const;

/** Rows per transaction. */
const PAGE = 5_000;

/** The differences of a reconciliation as CSV, in the order of the file. A cell is never read as a formula. */
export async function* writeDifferences(
  within: Within,
  tenantId: string,
  id: string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(stringify([[...CSV_COLUMNS]]));
  let after: number | undefined = -1;
  while (after !== undefined) {
    const place = { after, limit: PAGE };
    const rows: readonly stored.ListedDifference[] = await within(
      tenantId,
      ({ tx }) => stored.listDifferences(tx, id, place),
      { readOnly: true },
    );
    if (rows.length > 0)
      yield Buffer.from(
        stringify([...rows], {
          columns: [...CSV_COLUMNS],
          cast: { boolean: String },
          escape_formulas: true,
        }),
      );
    after = rows.length < PAGE ? undefined : rows.at(-1)?.position;
  }
}
