import { listHeaderCodes } from '../../../../sql/books/parents.ts';
import { constraintOf, withSavepoint } from '../../../../sql/database/db.ts';
import type { Within, Work } from '../../../work.ts';
import { readRows } from '../../format/reading/read-rows.ts';
import { hasFile, type Book } from '../../format/reading/book.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import { addBookSettings, type SettingRows } from '../exported/own-export.ts';
import type { BookFinding } from '../finding.ts';
import type { ImportOptions } from '../import-options.ts';
import { createParentFinder, type FindParents } from '../loan-parents.ts';
import type { Placed } from '../staged-rows.ts';

/** All are added in one transaction, so that a book has not more of a kind. */
const ROWS_MAX = 2_000;

export type RehearsedSettings = {
  /** Finds what a loan names as boarding will find it, also if the book itself brings it. */
  find: FindParents;
  /** Why settings of the book cannot be added. */
  findings: readonly BookFinding[];
};

/**
 * Adds the accounts, investors, portfolios, programs and products of a book as boarding will, reads what its loans can
 * name, and undoes it. What boarding would refuse is therefore refused by the check.
 */
export async function rehearseSettings(
  within: Within,
  tenantId: string,
  book: Book,
  options: ImportOptions,
): Promise<RehearsedSettings> {
  const findings: BookFinding[] = [];
  const read = <Name extends keyof SettingRows>(name: Name) => readSettings(book, name, findings);
  const rows: SettingRows = {
    ledger: await read('ledger'),
    investors: await read('investors'),
    portfolios: await read('portfolios'),
    programs: await read('programs'),
    products: await read('products'),
  };
  return within(tenantId, async (work) => {
    const outcome = await withSavepoint(work.tx, async () => {
      const refused = await addSettings(work, rows);
      throw new Undone(refused, await createParentFinder(work, options, { readsAll: true }));
    });
    const error = 'error' in outcome ? outcome.error : null;
    if (error instanceof Undone)
      return { find: error.find, findings: [...findings, ...error.refused] };
    const constraint = constraintOf(error);
    if (constraint === undefined) throw error;
    const find = await createParentFinder(work, options, { readsAll: true });
    return { find, findings: [...findings, breaksRule(rows, constraint)] };
  });
}

/** Thrown to undo what was added. Not a failure. */
class Undone extends Error {
  readonly refused: readonly BookFinding[];
  readonly find: FindParents;

  constructor(refused: readonly BookFinding[], find: FindParents) {
    super('The settings of the book were undone.');
    this.refused = refused;
    this.find = find;
  }
}

async function addSettings(work: Work, rows: SettingRows): Promise<readonly BookFinding[]> {
  const headers = await listHeaderCodes(work.tx);
  // The check of the ledger reports them.
  const ledger = rows.ledger.filter(({ values }) => !headers.has(values.account_code));
  try {
    await addBookSettings(work, { id: null, reason: 'Rehearsed' }, { ...rows, ledger });
    return [];
  } catch (error) {
    if (error instanceof ChunkRefused) return error.findings;
    throw error;
  }
}

/** The valid rows of a file. The check of the files reports the others. */
async function readSettings<Name extends keyof SettingRows>(
  book: Book,
  name: Name,
  findings: BookFinding[],
): Promise<Placed<Name>[]> {
  const rows: Placed<Name>[] = [];
  if (!hasFile(book, name)) return rows;
  for await (const { row, file: source, line } of readRows(book, name)) {
    if (row === null) continue;
    if (rows.length === ROWS_MAX) {
      const reason = `A book has at most ${ROWS_MAX} lines of this file. Leave out those that no loan needs.`;
      findings.push({ ...REFUSED, file: source, line, column: null, reason });
      break;
    }
    rows.push({ source, line, values: row });
  }
  return rows;
}

const REFUSED = { code: 'refused', severity: 'error' } as const;

/** The database does not say which row it refuses. */
function breaksRule(rows: SettingRows, constraint: string): BookFinding {
  const [first] = [
    ...rows.products,
    ...rows.programs,
    ...rows.portfolios,
    ...rows.investors,
    ...rows.ledger,
  ];
  return {
    ...REFUSED,
    file: first?.source ?? 'products.csv',
    line: first?.line ?? 1,
    column: null,
    reason: `The settings of the book break the rule ${constraint} of the database. Correct them.`,
  };
}
