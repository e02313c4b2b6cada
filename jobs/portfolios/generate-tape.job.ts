import { randomUUID } from 'node:crypto';
import { Big } from 'big.js';
import { z } from 'zod';
import { SNAPSHOT_STATUSES } from '../../sql/portfolios/daily-snapshots.ts';
import type { LoanSource } from '../../sql/portfolios/snapshots.ts';
import { attributeColumnsAmong } from '../../sql/portfolios/tape-columns.ts';
import * as pages from '../../sql/portfolios/tape-pages.ts';
import * as tapes from '../../sql/portfolios/tapes.ts';
import { find, type Row } from '../../sql/table.ts';
import { currentTenant } from '../../sql/tenants.ts';
import { date, uuid } from '../../sql/types.ts';
import { insert, update } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Files } from '../files/files.ts';
import { safeFilename, storageKey } from '../files/keys.ts';
import { enqueue, job } from '../job.ts';
import { money } from '../money.ts';
import type { Within, Work } from '../work.ts';
import { enqueueTapeDeliveries } from './deliver-tape.job.ts';
import { assertAttributesRecorded, assertDayRecorded } from './recorded-days.ts';
import { nextRun } from './tape-config.ts';
import { streamTapeFile, CONTENT_TYPES } from './tape-file.ts';
import { SHEET_ROWS_MAX } from './tape-sheet.ts';

const PAGE = 5_000;

export const TapeRequest = z.object({
  as_of_date: date
    .optional()
    .describe(
      'The day whose figures the tape shows. Default: the business date. A past day needs its recorded snapshot.',
    ),
  format: z
    .enum(tapes.TAPE_FORMATS)
    .optional()
    .describe('The file format. Default: that of the config.'),
});

/** Records a request for a tape with the config's current settings. Returns the tape's id. */
export async function requestTape(
  work: Work,
  configId: string,
  input: z.output<typeof TapeRequest>,
) {
  const { as_of_date = work.today, format } = input;
  const config = await find(work.tx, tapes.configs, configId);
  if (config === null) throw new NotFound();
  if (as_of_date > work.today)
    throw new Invalid({ as_of_date: 'Must not be after the business date.' });
  const { portfolio_id, columns, filters, include_header, name } = config;
  if (as_of_date < work.today) await checkKnown(work, as_of_date, config as Row & tapes.LoanTape);
  const kind = format ?? config['format'];
  return insert(work.tx, 'loan_tapes', {
    loan_tape_config_id: configId,
    portfolio_id,
    as_of_date,
    columns,
    filters,
    include_header,
    format: kind,
    filename: safeFilename(`${String(name)} ${as_of_date}.${String(kind)}`),
  });
}

/** Throws `Conflict` if the records of a past day do not contain everything that the tape needs. */
async function checkKnown(
  { tx }: Work,
  day: string,
  { columns, filters: { status = [] } }: Pick<tapes.LoanTape, 'columns' | 'filters'>,
) {
  await assertDayRecorded(tx, day, 'as_of_date');
  const closedStatuses = status.filter((one) => !SNAPSHOT_STATUSES.includes(one));
  if (closedStatuses.length > 0) {
    throw statusesNotKept(closedStatuses);
  }
  const wanted = attributeColumnsAmong(columns);
  if (wanted.length > 0) await assertAttributesRecorded(tx, day, wanted);
}

/** The totals of a tape, added up page by page. */
type Totals = Omit<pages.TapePage, 'written'>;
const zeroTotals = (): Totals => ({
  row_count: 0,
  principal_balance: '0.00',
  no_maturity: 0,
  matures_early: 0,
  negative: 0,
  odd_rate: 0,
  no_state: 0,
});

type ReadPage = { page: pages.TapePage; before: string | null; after: string | null };

/**
 * Yields the text of each page of the tape and adds its figures to `totals`. Reads one page ahead: Postgres
 * formats the next page while this one is written to the file store.
 */
async function* readTapePages(
  tx: Work['tx'],
  tape: tapes.TapeOrder,
  source: LoanSource,
  totals: Totals,
) {
  const form = tape.format === 'csv' ? 'csv' : 'json';
  const endOf = (first: string | null) =>
    first === null ? null : pages.findNextPageStart(tx, first, PAGE);
  const read = async (first_loan_id: string, before_loan_id: string | null): Promise<ReadPage> => {
    const range = { first_loan_id, before_loan_id };
    const [page, after] = await Promise.all([
      pages.readPage(tx, tape, source, range, form),
      endOf(before_loan_id),
    ]);
    return { page, before: before_loan_id, after };
  };
  let ahead: Promise<ReadPage> | null = read(
    pages.LOWEST_LOAN_ID,
    await endOf(pages.LOWEST_LOAN_ID),
  );
  try {
    while (ahead !== null) {
      const { page, before, after }: ReadPage = await ahead;
      ahead = before === null ? null : read(before, after);
      // The next iteration handles the error. Without this, an unhandled rejection would end the process
      // first.
      ahead?.catch(() => undefined);
      const { written, ...pageTotals } = page;
      add(totals, pageTotals);
      if (tape.format === 'xlsx' && totals.row_count > SHEET_ROWS_MAX) throw tooManyRows();
      if (written !== null) yield written;
    }
  } finally {
    // Wait for the page read ahead: it must not use the transaction after its end.
    await ahead?.catch(() => undefined);
  }
}

function add(totals: Totals, { principal_balance, ...counts }: Totals) {
  totals.principal_balance = money(new Big(totals.principal_balance).plus(principal_balance));
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) totals[name] += counts[name];
}

/**
 * Generates a requested tape from one database snapshot, streams it to the file store and adds it as a
 * document. If two workers generate the same tape, the first document stays and the second file is removed.
 */
export async function writeTape(within: Within, files: Files, tenantId: string, tapeId: string) {
  const made = await within(tenantId, (work) => writeTapeFile(work, files, tapeId), {
    snapshot: true,
  });
  if (made === null) return;
  const isFirst = await within(tenantId, async (work) => {
    if (!(await tapes.lockUnfinished(work.tx, tapeId))) return false;
    await recordTape(work, made);
    return true;
  });
  if (!isFirst) await files.remove(made.file.key);
}

/** Each run writes its own file, so a second run never changes the first one's file. */
async function writeTapeFile(work: Work, files: Files, tapeId: string) {
  const { tx, today } = work;
  const order = await tapes.findUnfinishedTape(tx, tapeId);
  if (order === null) return null;
  const source: LoanSource = order.as_of_date < today ? 'recorded' : 'live';
  // The tape may have been requested while its day was open, or by the day's close.
  if (source === 'recorded') await checkKnown(work, order.as_of_date, order);
  const totals = zeroTotals();
  let cut = 0;
  const onCut = () => void (cut += 1);
  const bytes = streamTapeFile(readTapePages(tx, order, source, totals), { ...order, onCut });
  const { slug } = await currentTenant(tx);
  const key = storageKey({
    tenant_slug: slug,
    loan_id: 'loan-tapes',
    document_type: tapeId,
    filename: `${randomUUID().slice(0, 8)}-${order.filename}`,
  });
  const file = await files.put(key, bytes);
  const tie = await pages.compareWithLedger(tx, order, source);
  const not_kept =
    source === 'recorded' ? await pages.countLoansWithoutSnapshot(tx, order.as_of_date) : 0;
  return { order, source, totals: { ...totals, ...tie, not_kept, cut }, file };
}

async function recordTape(work: Work, { order, source, totals, file }: WrittenTape) {
  const { tx } = work;
  const generated_at = new Date().toISOString();
  const document_id = await insert(tx, 'documents', {
    document_type: 'other',
    filename: order.filename,
    content_type: CONTENT_TYPES[order.format],
    file_size: file.size,
    sha256_hash: file.sha256_hash,
    status: 'uploaded',
    source: 'generated',
    storage_key: file.key,
    uploaded_at: generated_at,
    is_visible_to_borrower: false,
  });
  const { row_count, principal_balance, ledger_principal } = totals;
  const difference = money(new Big(principal_balance).minus(ledger_principal));
  await update(tx, 'loan_tapes', order.id, {
    status: 'completed',
    failure_reason: null,
    row_count,
    document_id,
    generated_at,
    checksum: file.sha256_hash,
    totals: { principal_balance, ledger_principal, ledger_difference: difference },
    warnings: warningsOf({ ...totals, day_open: source === 'live' ? row_count : 0 }),
  });
  await update(tx, 'loan_tape_configs', order.loan_tape_config_id, {
    last_generated_at: generated_at,
  });
  await enqueueTapeDeliveries(work, order.id);
}

type WrittenTape = NonNullable<Awaited<ReturnType<typeof writeTapeFile>>>;

const WARNINGS = {
  no_maturity: 'Loans without a maturity date.',
  matures_early: 'Loans that mature before their start.',
  negative: 'Loans with a negative balance.',
  odd_rate: 'Loans with a rate above 60 percent.',
  no_state: "Loans whose borrower's state is not known.",
  differing: 'Loans whose principal differs from the ledger on that day.',
  not_kept: 'Quarantined loans, which are missing from this tape.',
  cut: 'Texts that were cut to the length of a cell and end in ….',
  day_open:
    'Loans as they were before the day was closed. Later events of the day are not included.',
} as const;

/** The warnings that a buyer would look for first. */
const warningsOf = (totals: Record<keyof typeof WARNINGS, number>) =>
  (Object.keys(WARNINGS) as (keyof typeof WARNINGS)[])
    .filter((code) => totals[code] > 0)
    .map((code) => ({ code, message: WARNINGS[code], count: totals[code] }));

export const generateTape = job({
  name: 'generate-tape',
  pool: 'ledger',
  payload: z.object({ tenant_id: uuid, tape_id: uuid }),
  attempts: 5,
  key: ({ tape_id }) => `generate-tape:${tape_id}`,

  run: ({ tenant_id, tape_id }, outside) =>
    writeTape(outside.within, outside.files, tenant_id, tape_id),

  failed: ({ tx }, { tape_id }, reason) => tapes.markTapeFailed(tx, tape_id, reason),
});

/** Enqueues the tapes that are due at the close of the day. Returns their number. */
export async function enqueueDueTapes(work: Work, day: string): Promise<number> {
  const due = await tapes.listDueConfigIds(work.tx, day);
  for (const id of due) {
    const config = (await find(work.tx, tapes.configs, id)) as Row;
    const tape_id = await requestTape(work, id, { as_of_date: day });
    await enqueue(work.tx, generateTape, { tenant_id: work.tenant_id, tape_id });
    const schedule = config['schedule'] as Parameters<typeof nextRun>[0];
    await update(work.tx, 'loan_tape_configs', id, {
      next_run_at: nextRun(schedule, addDays(day, 1)),
    });
  }
  return due.length;
}

export const statusesNotKept = (status: readonly string[]) =>
  new Conflict(
    'Past days contain only loans on the books. Remove the other statuses.',
    'not_kept',
    { status, kept: SNAPSHOT_STATUSES },
  );

export const tooManyRows = () =>
  new Conflict(`A sheet can contain at most ${SHEET_ROWS_MAX} loans. Use csv.`, 'too_many_rows');
