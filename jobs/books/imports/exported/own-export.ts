import * as staged from '../../../../sql/books/import-rows.ts';
import * as records from '../../../../sql/books/import-records.ts';
import { setBroughtFlags } from '../../../../sql/books/brought-flags.ts';
import { openTasksForLoans } from '../../../../sql/borrowers/tasks.ts';
import { update } from '../../../../sql/write.ts';
import { recordAudit } from '../../../audit.ts';
import { Invalid } from '../../../errors.ts';
import type { Boarding } from '../../../loans/boarding/boarding-input.ts';
import { eventsInForce } from '../../../loans/engine/event-order.ts';
import type { LoanEvent } from '../../../loans/engine/events.ts';
import type { Work } from '../../../work.ts';
import type { BookFileName } from '../../format/book-files.ts';
import type { LoanRow } from '../book-rows.ts';
import { addBookAccounts } from './book-accounts.ts';
import { broughtHistory, type ExportedHistory } from './brought-events.ts';
import type { BookFinding } from '../finding.ts';
import type { LoanChunk } from '../records/import-loan-records.ts';
import { ChunkRefused } from '../chunk-refused.ts';
import { importLedger } from './import-ledger.ts';
import { importInvestors, importPortfolios, type Bringing } from './import-investors.ts';
import { importOwnRecords } from './import-own-records.ts';
import { factsOf } from './own-records.ts';
import { importSettings } from './import-settings.ts';
import { loadRows, loanKey, openRow, type Placed } from '../staged-rows.ts';

/** What only a book that this platform exported brings: its settings, the events of its loans and its ledger. */

async function rowsOfFile<Name extends BookFileName>(
  work: Work,
  importId: string,
  file: Name,
): Promise<Placed<Name>[]> {
  const rows = await staged.listFileRows(work.tx, importId, file);
  return rows.map((row) => ({
    source: row.source,
    line: row.line,
    values: openRow<Name>(work, row),
  }));
}

type NamedImport = { id: string; filename: string };

/** The reason in the history of what an import adds. */
const reasonOf = ({ filename }: NamedImport) => `Imported from ${filename}`;

/** The rows of a book that become accounts, investors, portfolios, programs and products. */
export type SettingRows = {
  [
    Name in 'ledger' | 'investors' | 'portfolios' | 'programs' | 'products'
  ]: readonly Placed<Name>[];
};

/** Adds the settings of the stored book, before its first loan. */
export async function importBookSettings(work: Work, row: NamedImport) {
  const importId = row.id;
  await addBookSettings(
    work,
    { id: importId, reason: reasonOf(row) },
    {
      ledger: await rowsOfFile(work, importId, 'ledger'),
      investors: await rowsOfFile(work, importId, 'investors'),
      portfolios: await rowsOfFile(work, importId, 'portfolios'),
      programs: await rowsOfFile(work, importId, 'programs'),
      products: await rowsOfFile(work, importId, 'products'),
    },
  );
}

/**
 * Adds the accounts, investors, portfolios, programs and products that the tenant does not have. Throws `ChunkRefused`
 * with the places of the products that cannot be added.
 */
export async function addBookSettings(work: Work, brings: Bringing, rows: SettingRows) {
  const ledger = rows.ledger.map(({ values }) => values);
  const accounts = await addBookAccounts(work, ledger, brings.reason);
  await importInvestors(work, brings, rows.investors);
  await importPortfolios(work, brings, rows.portfolios);
  await importSettings(work, brings, rows.programs, rows.products, accounts);
}

/** Products and programs that the book brought as inactive take loans only while it is boarded. */
export async function deactivateSettings(work: Work, importId: string) {
  for (const file of ['programs', 'products'] as const) {
    const rows = await rowsOfFile(work, importId, file);
    const codes = rows.flatMap(({ values }) => (values.is_active === false ? [values.code] : []));
    const added = await records.findImportedRecords(work.tx, importId, file, codes);
    const changes = { is_active: { old: true, new: false } };
    for (const id of added.values()) {
      await update(work.tx, file, id, { is_active: false });
      await recordAudit(
        work,
        { type: file, id },
        'update',
        changes,
        'Inactive in the imported book.',
      );
    }
  }
}

export type Histories = (loan_number: string) => ExportedHistory | undefined;

/** The histories of loans with events. Other loans have none. */
export async function loadHistories(
  work: Work,
  importId: string,
  keys: readonly string[],
): Promise<Histories> {
  const rowsOf = await loadRows(work, importId, ['events', 'schedules'], keys);
  return (loan_number) => {
    const events = rowsOf('events', loanKey(loan_number));
    if (events.length === 0) return undefined;
    const schedule = rowsOf('schedules', loanKey(loan_number));
    return broughtHistory(
      events.map(({ values }) => values),
      schedule.map(({ values }) => values),
    );
  };
}

/**
 * The input for a loan that brings its events. Its balances are a check. Interest is not compared, because it grows from
 * the day of the export to the day of the import.
 */
export const boardingWithEvents = (
  input: Boarding,
  row: LoanRow,
  records: readonly Placed<'records'>[],
): Boarding => ({
  ...input,
  // Unless a servicer before the exporting one reported a date, it follows from the events.
  first_delinquency_date: factsOf(records, 'standing')[0]?.boarded_delinquency_date,
  accrued_interest: undefined,
  suspense_balance: row.suspense_balance,
  history: { depth: 'replayed', transactions: [] },
});

/** A loan of an export that was just boarded. */
export type BroughtLoan = {
  id: string;
  borrower_id: string;
  history: ExportedHistory | undefined;
  records: readonly Placed<'records'>[];
};

const RELIEFS: readonly string[] = ['forbearance', 'deferment', 'promo'];
const RELIEF_RECORDS: readonly string[] = ['forbearance', 'deferment', 'promotion'];

/**
 * Sets the flags that follow from the events, and adds the agreements that still run. An export without them leaves a
 * task for reliefs in force.
 */
export async function completeBroughtLoans(
  work: Work,
  importId: string,
  loans: readonly BroughtLoan[],
  warn: LoanChunk['warn'],
) {
  const flags = loans.flatMap(({ id, history }) =>
    history ? [{ id, ...flagsOf(eventsInForce(history.history.events, work.today)) }] : [],
  );
  await setBroughtFlags(
    work.tx,
    flags.map(({ in_relief: _, ...flag }) => flag),
  );
  const flagged = new Set(
    flags
      .filter((one) => one.frozen_on ?? one.accelerated_on ?? one.non_accrual_since)
      .map(({ id }) => id),
  );
  await importOwnRecords(
    work,
    importId,
    loans.map(({ id, borrower_id, records, history }) => ({
      id,
      borrower_id,
      records,
      eventId: (old) => history?.eventIds.get(old),
      isFlagged: flagged.has(id),
    })),
    warn,
  );
  const known = new Set(
    loans
      .filter(({ records }) => records.some(({ values }) => RELIEF_RECORDS.includes(values.kind)))
      .map(({ id }) => id),
  );
  const inRelief = flags.filter(({ id, in_relief }) => in_relief && !known.has(id));
  if (inRelief.length > 0)
    await openTasksForLoans(
      work.tx,
      inRelief.map(({ id }) => id),
      {
        title: 'Enter the relief that was in force when the book was exported',
        description:
          'A forbearance, deferment or promotion stops the interest of this loan. Its end did not come with the book.',
        due_date: work.today,
        priority: 'high',
      },
    );
}

function flagsOf(events: readonly LoanEvent[]) {
  const stopped = new Map<string, string>();
  let accelerated_on: string | null = null;
  for (const event of events) {
    if (event.kind === 'accrual_stop') stopped.set(event.reason, event.effective_date);
    if (event.kind === 'accrual_start') stopped.delete(event.reason);
    if (event.kind === 'acceleration') accelerated_on = event.effective_date;
  }
  return {
    accelerated_on,
    frozen_on: stopped.get('freeze') ?? null,
    non_accrual_since: stopped.get('non_accrual') ?? null,
    in_relief: RELIEFS.some((reason) => stopped.has(reason)),
  };
}

/**
 * Posts what the trial balance of the book has beyond its loans. Returns a warning for each account on which the loans
 * differ from it. Throws `ChunkRefused` if it cannot.
 */
export async function importBookLedger(work: Work, row: NamedImport): Promise<BookFinding[]> {
  const importId = row.id;
  const rows = await rowsOfFile(work, importId, 'ledger');
  try {
    const differences = await importLedger(
      work,
      { id: importId, reason: reasonOf(row) },
      rows.map(({ values }) => values),
    );
    const [first] = rows;
    return differences.map(({ account_code, booked, wanted }) => {
      const named = rows.find(({ values }) => values.account_code === account_code) ?? first;
      return {
        file: named?.source ?? 'ledger.csv',
        line: named?.line ?? 1,
        column: 'balance',
        code: 'ledger_differs',
        severity: 'warning',
        reason: `The loans of the book have ${booked} on account ${account_code} on ${work.today}, and the file says ${wanted} for ${first?.values.as_of_date ?? ''}. The difference is on Due to Investors.`,
      };
    });
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const [{ source: file, line } = { source: 'ledger.csv', line: 1 }] = rows;
    throw new ChunkRefused(
      Object.entries(error.errors).map(([place, reason]) => ({
        file,
        line,
        column: 'balance',
        code: 'refused',
        severity: 'error',
        reason: `${place}: ${reason}`,
      })),
    );
  }
}
