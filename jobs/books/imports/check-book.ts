import type { StatusTotals } from '../../../sql/books/imports.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import { findKnownKeys } from '../../../sql/books/parents.ts';
import type { Within } from '../../work.ts';
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
  const totals = startTotals();
  const ledger = createLedgerCheck();
  const switches = switchesOf(options);
  let [loans_total, rows_total] = [0, 0];
  const { today, settings } = await within(
    tenantId,
    async (work) => ({ today: work.today, settings: await settingsOf(work.tx) }),
    { readOnly: true },
  );
  const found = createFindingList(book);
  const settingsOfBook = await rehearseSettings(within, tenantId, book, options);
  const histories = createHistoryCheck({ options, hasEvents: hasFile(book, 'events') });
  const doubt = createInterestDoubt();
  const unowned = hasFile(book, 'records') ? new Map<string, BookFinding>() : null;
  const progress = async (replayed: number) =>
    onProgress?.(loans_total - histories.count() + replayed);
  const check = async (rows: readonly CheckedRow[]) => {
    const loans = rows
      .filter(({ file }) => file === 'loans')
      .map(({ values, ...place }) => ({ ...place, row: values as BookRow<'loans'> }));
    const findings = await within(
      tenantId,
      async (work) => {
        const ofProducts = rows.filter(({ file }) => file === 'products');
        const checked = await checkLoans(work, loans, {
          options,
          find: settingsOfBook.find,
          doubt,
          keepForReplay: (loan, parents) => histories.addLoan(loan, parents),
          onUnknownInvestor:
            unowned === null ? null : (loan, finding) => void unowned.set(loan, finding),
        });
        for (const loan of checked.figures) totals.add(loan);
        const ofLedger = rows.filter(({ file }) => file === 'ledger');
        const people = rows.flatMap((row) => personOf(row, book));
        return [
          ...(await checkSettings(work, rows)).flatMap((one) => applySwitches(one, switches) ?? []),
          ...(await checkProducts(work, ofProducts)),
          ...checked.findings,
          ...(await checkKnownBorrowers(work, people)),
          ...rows.flatMap((row) => checkRecord(work, row, settings)),
          ...(await ledger.add(work, ofLedger)),
        ];
      },
      { readOnly: true },
    );
    found.add(findings);
    if (loans.length > 0) await progress(0);
  };
  const findKnown: FindKnown = async (file, keys) =>
    // The check of the loans themselves names the product that does not exist.
    file === 'products'
      ? new Set(keys)
      : within(tenantId, ({ tx }) => findKnownKeys(tx, file, keys), { readOnly: true });
  let waiting: CheckedRow[] = [];
  for await (const item of checkFiles(book, { today, switches, findKnown })) {
    if ('finding' in item) {
      found.add([item.finding]);
      if (item.history_of !== undefined) histories.markIncomplete(item.history_of);
      continue;
    }
    const { row } = item;
    const { file } = row;
    // All loans are checked before the files that follow them.
    if (file !== waiting[0]?.file && waiting.length > 0) await check(waiting.splice(0));
    if (STAGED_FILES.includes(file)) rows_total += 1;
    if (file === 'loans') loans_total += 1;
    if (file === 'records') unowned?.delete(loanWithShares(row));
    found.add(histories.addRow(row));
    if (!CHECKED_HERE.includes(file) && !hasRules(file)) continue;
    waiting.push(row);
    if (waiting.length >= BATCH) await check(waiting.splice(0));
  }
  await check(waiting);
  found.add(ledger.end());
  found.add(doubt.end().flatMap((one) => applySwitches(one, switches) ?? []));
  found.add([...(unowned?.values() ?? [])]);
  found.add(settingsOfBook.findings.filter((finding) => !found.hasErrorAt(finding)));
  let replayed = 0;
  for await (const { findings, figures } of histories.checkAll(today)) {
    // A mistake of a transaction may be found in its line and by the replay.
    found.add(findings.filter((finding) => !found.hasErrorAt(finding)));
    totals.add(figures);
    replayed += 1;
    if (replayed % BATCH === 0) await progress(replayed);
  }
  if (replayed > 0) await progress(replayed);
  await onFindings(found.list());
  return {
    business_date: today,
    totals: totals.read(),
    error_count: found.count('error'),
    warning_count: found.count('warning'),
    loans_total,
    rows_total,
  };
}

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
