import * as exported from '../../../sql/books/export-rows.ts';
import * as settings from '../../../sql/books/export-settings.ts';
import { listAccounts } from '../../../sql/books/parents.ts';
import { trialBalance } from '../../../sql/ledger/reports.ts';
import { DOCUMENT_TYPES } from '../../documents/types.ts';
import type { Files } from '../../files/files.ts';
import { safeFilename } from '../../files/keys.ts';
import type { ZipEntry } from '../../files/zip.ts';
import { parseMoney } from '../../money.ts';
import { borrowerRecords, loanRecords } from '../../../sql/books/running-records.ts';
import type { Work } from '../../work.ts';
import { BORROWER_RECORD_COLUMNS, LOAN_RECORD_COLUMNS } from '../format/own-records.ts';
import { BOOK_FILE_NAMES, type BookFileName } from '../format/book-files.ts';
import { ABOUT_FILE } from '../format/reading/open-book.ts';
import { aboutTheBook } from './about-book.ts';
import type { BookRequest } from './book-request.ts';
import { listFigureSettings } from './figure-settings.ts';
import { leavesOutInternal, withoutInternal } from './leave-out-internal.ts';
import { nameIds } from './name-ids.ts';
import { fileLines } from './write-file.ts';
import { readProductVersions, type ProductVersions } from './product-versions.ts';

/** Loans or borrowers whose rows are read together. */
const PAGE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

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
  yield { path: ABOUT_FILE, content: Buffer.from(aboutTheBook(work, request)) };
  const versions = await readProductVersions(work, request.scope);
  for (const name of BOOK_FILE_NAMES) {
    const all = pagesOf(work, request, versions, name);
    const shown = leavesOutInternal(request) ? shownPages(name, all) : all;
    const pages = counted(shown, (rows) => onProgress(name, rows));
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

async function* shownPages(name: BookFileName, pages: Pages): Pages {
  for await (const rows of pages) yield withoutInternal(name, rows);
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
    case 'settings':
      return once(() => listFigureSettings(work.tx));
    case 'investors':
      return once(() => settings.listInvestors(work.tx, request.scope));
    case 'portfolios':
      return once(() => settings.listPortfolios(work.tx, request.scope));
    case 'programs':
      return once(() => settings.listPrograms(work.tx, request.scope));
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
    case 'cases':
      return borrowerPages(work, request, versions, name);
    case 'notes':
    case 'documents':
    case 'records':
      return inOrder(
        loanPages(work, request, versions, name),
        borrowerPages(work, request, versions, name),
      );
    default:
      return loanPages(work, request, versions, name);
  }
}

async function* inOrder(...parts: readonly Pages[]): Pages {
  for (const pages of parts) yield* pages;
}

const LOAN_ROWS = { ...exported.loanRows, records: loanRecords(LOAN_RECORD_COLUMNS) };
const BORROWER_ROWS = {
  ...exported.borrowerRows,
  records: borrowerRecords(BORROWER_RECORD_COLUMNS),
};

async function* once(read: () => Promise<readonly Row[]>): Pages {
  yield await read();
}

async function* borrowerPages(
  work: Work,
  request: BookRequest,
  versions: ProductVersions,
  name: keyof typeof BORROWER_ROWS,
): Pages {
  const { scope, with_personal_numbers } = request;
  for (let after = FIRST; ;) {
    const ids = await exported.listBorrowerPage(work.tx, scope, after, PAGE);
    const read = await exported.readRows(work.tx, BORROWER_ROWS[name], ids, scope);
    const rows = await complete(work, versions, request, name, read);
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
  request: BookRequest,
  versions: ProductVersions,
  name: keyof typeof LOAN_ROWS,
): Pages {
  const { scope } = request;
  for (let after = FIRST; ;) {
    const ids = await exported.listLoanPage(work.tx, scope, after, PAGE);
    const rows = await exported.readRows(work.tx, LOAN_ROWS[name], ids, scope);
    yield await complete(work, versions, request, name, rows);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Columns that SQL cannot give. */
async function complete(
  work: Work,
  { codeOf }: ProductVersions,
  { scope }: BookRequest,
  name: BookFileName,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (name === 'loans')
    return rows.map((row) => ({
      ...row,
      product_code: codeOf(row['product_id'], row['terms_key']),
    }));
  if (name === 'cases') return nameIds(work, scope, rows);
  if (name !== 'documents') return rows;
  return rows.map((row) => ({
    ...row,
    document_type: DOCUMENT_TYPES.some((known) => known === row['document_type'])
      ? row['document_type']
      : 'other',
    file: `${String(row['id'])}/${safeFilename(String(row['filename']))}`,
  }));
}

/** The trial balance of the whole tenant, with all accounts. A part of a book has none. */
async function ledgerRows({ tx, today }: Work, { scope }: BookRequest): Promise<readonly Row[]> {
  if (scope.portfolio_id !== null || scope.servicing_transfer_id !== null) return [];
  const { accounts } = await trialBalance(tx, today, true);
  const roles = new Map((await listAccounts(tx)).map(({ id, role }) => [id, role]));
  return accounts.flatMap(({ account_id, code, name, account_type, debit, credit }) =>
    roles.has(account_id)
      ? [
          {
            account_code: code,
            name,
            account_type,
            role: roles.get(account_id),
            as_of_date: today,
            balance: parseMoney(debit).minus(credit).toFixed(2),
          },
        ]
      : [],
  );
}
