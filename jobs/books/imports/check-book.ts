import type { StatusTotals } from '../../../sql/books/imports.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import { findKnownKeys } from '../../../sql/books/parents.ts';
import type { Within, Work } from '../../work.ts';
import type { FindKnown } from '../format/checks/references.ts';
import type { BookFileName, BookRow } from '../format/book-files.ts';
import type { Book } from '../format/reading/book.ts';
import { hasFile } from '../format/reading/book.ts';
import { checkBook as checkFiles, type CheckedRow } from '../format/checks/check-book.ts';
import { applySwitches } from '../format/findings.ts';
import { checkSettings } from './exported/check-settings.ts';
import { checkProducts } from './exported/check-products.ts';
import { createLedgerCheck } from './exported/check-ledger.ts';
import { STAGED_FILES } from './book-rows.ts';
import { checkKnownBorrowers, checkLoans, type PlacedPerson } from './check-loans.ts';
import { checkRecord, hasRules } from './check-record.ts';
import { startTotals } from './control-totals.ts';
import { createHistoryCheck } from './checks/check-histories.ts';
import { createInterestDoubt } from './checks/interest-doubt.ts';
import { createFindingList } from './checks/finding-list.ts';
import { rehearseSettings } from './checks/rehearse-settings.ts';
import type { BookFinding } from './finding.ts';
import { nameOf } from './records/import-borrowers.ts';
import { switchesOf, type ImportOptions } from './import-options.ts';

/** Files whose rows are compared with the tenant. */
const CHECKED_HERE: readonly BookFileName[] = [
  ...(['settings', 'products'] as const),
  ...(['loans', 'co_borrowers', 'ledger'] as const),
];

/** Rows that share the statements of a check. */
const BATCH = 1_000;

export type CheckedBook = {
  /** The business date of the check. */
  business_date: string;
  totals: StatusTotals[];
  /** Counted in full, also if not all findings were kept. */
  error_count: number;
  warning_count: number;
  loans_total: number;
  rows_total: number;
};

export type CheckHooks = {
  /** Receives the findings, ordered by file, line and column. Of very many, it gets the first errors and some warnings. */
  onFindings: (findings: readonly BookFinding[]) => Promise<void> | void;
  onProgress?: (loans: number) => Promise<void> | void;
};

/** Checks a book by itself and against the tenant. Writes nothing. */
export async function checkBook(
  within: Within,
  tenantId: string,
  book: Book,
  options: ImportOptions,
  { onFindings, onProgress }: CheckHooks,
): Promise<CheckedBook> {
  const check = await startCheck(within, tenantId, book, options);
  const { today, switches, found, ledger, doubt, sharesMissing, totals } = check;
  const progress = async (replayed: number) =>
    onProgress?.(check.loans_total - check.histories.count() + replayed);
  await checkRows(check, progress);
  found.add(ledger.end());
  found.add(doubt.end().flatMap((one) => applySwitches(one, switches) ?? []));
  found.add([...(sharesMissing?.values() ?? [])]);
  addUnlessFound(check, check.settingsOfBook.findings);
  await replayHistories(check, progress);
  await onFindings(found.list());
  return {
    business_date: today,
    totals: totals.read(),
    error_count: found.count('error'),
    warning_count: found.count('warning'),
    loans_total: check.loans_total,
    rows_total: check.rows_total,
  };
}

type Progress = (replayed: number) => Promise<void>;

type Check = Awaited<ReturnType<typeof startCheck>>;

/** What a check knows before it reads the first row, and what it collects. */
async function startCheck(within: Within, tenantId: string, book: Book, options: ImportOptions) {
  const read = <T>(steps: (work: Work) => Promise<T>) =>
    within(tenantId, steps, { readOnly: true });
  const { today, settings } = await read(async (work) => ({
    today: work.today,
    settings: await settingsOf(work.tx),
  }));
  return {
    read,
    book,
    options,
    switches: switchesOf(options),
    today,
    settings,
    settingsOfBook: await rehearseSettings(within, tenantId, book, options),
    found: createFindingList(book),
    totals: startTotals(),
    ledger: createLedgerCheck(),
    doubt: createInterestDoubt(),
    histories: createHistoryCheck({ options, hasEvents: hasFile(book, 'events') }),
    /**
     * The findings of loans that name an unknown investor, until a record of the book gives them a share. Null if the
     * book brings no records.
     */
    sharesMissing: hasFile(book, 'records') ? new Map<string, BookFinding>() : null,
    loans_total: 0,
    rows_total: 0,
  };
}

/** Checks each file, in batches of rows that share statements. */
async function checkRows(check: Check, progress: Progress): Promise<void> {
  const { read, book, today, switches, found, histories, sharesMissing } = check;
  const findKnown: FindKnown = async (file, keys) =>
    // The check of the loans themselves names the product that does not exist.
    file === 'products' ? new Set(keys) : read(({ tx }) => findKnownKeys(tx, file, keys));
  const waiting: CheckedRow[] = [];
  const compareWaiting = async () => {
    const rows = waiting.splice(0);
    found.add(await compareRows(check, rows));
    if (rows.some(({ file }) => file === 'loans')) await progress(0);
  };
  for await (const item of checkFiles(book, { today, switches, findKnown })) {
    if ('finding' in item) {
      found.add([item.finding]);
      if (item.history_of !== undefined) histories.markIncomplete(item.history_of);
      continue;
    }
    const { row } = item;
    const { file } = row;
    // All loans are checked before the files that follow them.
    if (file !== waiting[0]?.file && waiting.length > 0) await compareWaiting();
    if (STAGED_FILES.includes(file)) check.rows_total += 1;
    if (file === 'loans') check.loans_total += 1;
    if (file === 'records') sharesMissing?.delete(loanWithShares(row));
    found.add(histories.addRow(row));
    if (!CHECKED_HERE.includes(file) && !hasRules(file)) continue;
    waiting.push(row);
    if (waiting.length >= BATCH) await compareWaiting();
  }
  await compareWaiting();
}

/** Compares rows of one file with the tenant. */
function compareRows(check: Check, rows: readonly CheckedRow[]): Promise<BookFinding[]> {
  const { book, options, switches, settings, totals, ledger, doubt, histories } = check;
  const { sharesMissing } = check;
  const rowsOf = (name: BookFileName) => rows.filter(({ file }) => file === name);
  const loans = rowsOf('loans').map(({ values, ...place }) => ({
    ...place,
    row: values as BookRow<'loans'>,
  }));
  return check.read(async (work) => {
    const checked = await checkLoans(work, loans, {
      options,
      find: check.settingsOfBook.find,
      doubt,
      keepForReplay: (loan, parents) => histories.addLoan(loan, parents),
      onUnknownInvestor:
        sharesMissing && ((loan, finding) => void sharesMissing.set(loan, finding)),
    });
    for (const loan of checked.figures) totals.add(loan);
    const people = rows.flatMap((row) => personOf(row, book));
    return [
      ...(await checkSettings(work, rows)).flatMap((one) => applySwitches(one, switches) ?? []),
      ...(await checkProducts(work, rowsOf('products'))),
      ...checked.findings,
      ...(await checkKnownBorrowers(work, people)),
      ...rows.flatMap((row) => checkRecord(work, row, settings)),
      ...(await ledger.add(work, rowsOf('ledger'))),
    ];
  });
}

/** Replays the loans that come with their history, and adds their figures to the totals. */
async function replayHistories(check: Check, progress: Progress): Promise<void> {
  let replayed = 0;
  for await (const { findings, figures } of check.histories.checkAll(check.today)) {
    // A mistake of a transaction may be found in its line and by the replay.
    addUnlessFound(check, findings);
    check.totals.add(figures);
    replayed += 1;
    if (replayed % BATCH === 0) await progress(replayed);
  }
  if (replayed > 0) await progress(replayed);
}

/** Leaves out findings of places that already have an error. */
const addUnlessFound = ({ found }: Check, findings: readonly BookFinding[]) =>
  found.add(findings.filter((finding) => !found.hasErrorAt(finding)));

/** The loan of which a record has a share. */
function loanWithShares({ values }: CheckedRow): string {
  const { kind, loan_number = '' } = values as BookRow<'records'>;
  return kind === 'assignment' ? loan_number : '';
}

/** The person whom the row describes, to compare with a borrower who is known here. */
function personOf({ file, values, ...place }: CheckedRow, book: Book): PlacedPerson[] {
  if (file === 'borrowers') {
    const {
      borrower_external_id: external_id,
      first_name,
      last_name,
    } = values as BookRow<'borrowers'>;
    return [{ ...place, external_id, name: { first_name, last_name } }];
  }
  if (file === 'co_borrowers') {
    const { borrower_external_id: external_id } = values as BookRow<'co_borrowers'>;
    return [{ ...place, external_id, name: null }];
  }
  if (file !== 'loans') return [];
  const row = values as BookRow<'loans'>;
  const name = hasFile(book, 'borrowers') ? null : nameOf(row);
  return [{ ...place, external_id: row.borrower_external_id, name }];
}
