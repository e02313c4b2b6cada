import * as exported from '../../../sql/books/export-rows.ts';
import { trialBalance } from '../../../sql/ledger/reports.ts';
import { DOCUMENT_TYPES } from '../../documents/types.ts';
import type { Files } from '../../files/files.ts';
import { safeFilename } from '../../files/keys.ts';
import type { ZipEntry } from '../../files/zip.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { BOOK_FILE_NAMES, type BookFileName } from '../format/book-files.ts';
import { fileLines } from './write-file.ts';
import { nameIds } from './name-ids.ts';
import { readProductVersions, type ProductVersions } from './product-versions.ts';

/** Loans or borrowers whose rows are read together. */
const PAGE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

export type BookRequest = {
  scope: exported.BookScope;
  /** Whether social security, identity and account numbers are written in full. Otherwise only their last digits. */
  with_personal_numbers: boolean;
};

type Progress = (file: BookFileName, rows: number) => Promise<unknown> | void;
type Row = exported.ExportedRow;
type Pages = AsyncGenerator<readonly Row[]>;

/**
 * Writes a book in the book format: one CSV file per kind of record, and the files of the documents. `work` must be a
 * transaction that reads one snapshot, so that all files agree. One page of rows is in memory at a time.
 */
export async function* bookEntries(
  work: Work,
  files: Pick<Files, 'stream'>,
  request: BookRequest,
  onProgress: Progress = () => {},
): AsyncGenerator<ZipEntry> {
  const versions = await readProductVersions(work, request.scope);
  for (const name of BOOK_FILE_NAMES) {
    const pages = counted(pagesOf(work, request, versions, name), (rows) => onProgress(name, rows));
    const first = await pages.next();
    // Only loans.csv must be there. A file without rows says nothing.
    if (first.done && name !== 'loans') continue;
    yield { path: `${name}.csv`, content: fileLines(name, from(first, pages)) };
  }
  for await (const rows of pagesOf(work, request, versions, 'documents'))
    for (const { storage_key, file } of rows) {
      const content = await files.stream(String(storage_key));
      // The nightly invariant check reports files that are missing from the store.
      if (content !== null) yield { path: `documents/${String(file)}`, content };
    }
}

async function* counted(pages: Pages, onRows: (rows: number) => Promise<unknown> | void): Pages {
  let count = 0;
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield rows;
    count += rows.length;
    await onRows(count);
  }
}

async function* from(first: IteratorResult<readonly Row[]>, rest: Pages): Pages {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

function pagesOf(
  work: Work,
  request: BookRequest,
  versions: ProductVersions,
  name: BookFileName,
): Pages {
  switch (name) {
    case 'programs':
      return once(() => exported.listPrograms(work.tx));
    case 'products':
      return once(async () => versions.rows);
    case 'ledger':
      return once(() => ledgerRows(work, request));
    case 'borrowers':
    case 'addresses':
    case 'emails':
    case 'phones':
    case 'consents':
    case 'identities':
    case 'bank_accounts':
      return borrowerPages(work, request, name);
    default:
      return loanPages(work, request, versions, name);
  }
}

async function* once(read: () => Promise<readonly Row[]>): Pages {
  yield await read();
}

async function* borrowerPages(
  work: Work,
  { scope, with_personal_numbers }: BookRequest,
  name: keyof typeof exported.borrowerRows,
): Pages {
  for (let after = FIRST; ;) {
    const ids = await exported.listBorrowerPage(work.tx, scope, after, PAGE);
    const rows = await exported.readRows(work.tx, exported.borrowerRows[name], ids);
    yield with_personal_numbers ? rows.map((row) => opened(work, row)) : rows;
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** The row with the whole number that is stored sealed. */
function opened({ tenant_id, installation: { keys } }: Work, row: Row): Row {
  const open = (sealed: unknown) =>
    typeof sealed === 'string' ? keys.unseal(tenant_id, sealed) : null;
  return {
    ...row,
    identifier: open(row['identifier_sealed']),
    account_number: open(row['account_number_sealed']),
  };
}

async function* loanPages(
  work: Work,
  { scope }: BookRequest,
  versions: ProductVersions,
  name: keyof typeof exported.loanRows,
): Pages {
  for (let after = FIRST; ;) {
    const ids = await exported.listLoanPage(work.tx, scope, after, PAGE);
    const rows = await exported.readRows(work.tx, exported.loanRows[name], ids);
    yield await complete(work, versions, name, rows);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Columns that SQL cannot give. */
async function complete(
  work: Work,
  { codeOf }: ProductVersions,
  name: keyof typeof exported.loanRows,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (name === 'loans')
    return rows.map((row) => ({
      ...row,
      product_code: codeOf(row['product_id'], row['terms_key']),
    }));
  if (name === 'cases') return nameIds(work, rows);
  if (name !== 'documents') return rows;
  return rows.map((row) => ({
    ...row,
    document_type: DOCUMENT_TYPES.some((known) => known === row['document_type'])
      ? row['document_type']
      : 'other',
    file: `${String(row['id'])}/${safeFilename(String(row['filename']))}`,
  }));
}

/** The trial balance of the whole tenant. A part of a book has none. */
async function ledgerRows({ tx, today }: Work, { scope }: BookRequest): Promise<readonly Row[]> {
  if (scope.portfolio_id !== null || scope.servicing_transfer_id !== null) return [];
  const { accounts } = await trialBalance(tx, today, false);
  return accounts.map(({ code, name, account_type, debit, credit }) => ({
    account_code: code,
    name,
    account_type,
    as_of_date: today,
    balance: parseMoney(debit).minus(credit).toFixed(2),
  }));
}
