import { z } from 'zod';
import { countLoans, type BookScope } from '../../../sql/books/export-rows.ts';
import * as exports from '../../../sql/books/exports.ts';
import { newId } from '../../../sql/new-id.ts';
import { portfolios } from '../../../sql/portfolios/portfolios.ts';
import { servicingTransfers } from '../../../sql/portfolios/servicing-transfers.ts';
import { rowExists } from '../../../sql/table.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { flag, uuid } from '../../../sql/types.ts';
import { insert } from '../../../sql/write.ts';
import { auditChange } from '../../audit.ts';
import { Invalid } from '../../errors.ts';
import type { ExternalServices } from '../../external-systems.ts';
import { storageKey } from '../../files/keys.ts';
import { zipped } from '../../files/zip.ts';
import { enqueue, job } from '../../job.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { bookEntries } from './write-book.ts';

export const BookExport = z.object({
  portfolio_id: uuid.nullish().describe('Exports the loans of this portfolio.'),
  servicing_transfer_id: uuid
    .nullish()
    .describe('Exports the loans of this transfer, as the file for the new servicer.'),
  with_internal_records: flag
    .nullish()
    .describe(
      'Whether the file of a servicing transfer has prices of sales, internal notes and the officers of loans. Default: false. Other exports have them. For a mortgage, notes about communications with the borrower are part of the servicing file (12 CFR 1024.38(c)(2)).',
    ),
});

/** Requests the export of a book. If the same one is already being written, returns its id. */
export async function requestBookExport(
  work: Work,
  input: z.output<typeof BookExport>,
): Promise<string> {
  const { tx, tenant_id, actor } = work;
  const scope = await checkScope(work, input);
  const with_internal_records = input.with_internal_records ?? false;
  await exports.lockExportRequests(tx);
  const pending = await exports.findPendingExport(tx, { ...scope, with_internal_records });
  if (pending !== null) return pending;
  const { slug: tenant_slug } = await currentTenant(tx);
  const made = await auditChange(work, exports.bookExports, 'create', null, async () => {
    const id = newId();
    const place = { tenant_slug, loan_id: 'exports', document_type: id, filename: 'book.zip' };
    await insert(tx, 'book_exports', {
      id,
      ...scope,
      with_internal_records,
      requested_by: actor.type === 'user' ? actor.id : null,
      storage_key: storageKey(place),
    });
    await enqueue(tx, exportBookJob, { tenant_id, export_id: id });
    return id;
  });
  return made.id;
}

async function checkScope({ tx }: Work, input: z.output<typeof BookExport>): Promise<BookScope> {
  const { portfolio_id = null, servicing_transfer_id = null } = input;
  if (portfolio_id !== null && servicing_transfer_id !== null)
    throw new Invalid({ portfolio_id: 'Give either a portfolio or a servicing transfer.' });
  if (portfolio_id !== null && !(await rowExists(tx, portfolios, portfolio_id)))
    throw new Invalid({ portfolio_id: 'Does not exist.' });
  if (
    servicing_transfer_id !== null &&
    !(await rowExists(tx, servicingTransfers, servicing_transfer_id))
  )
    throw new Invalid({ servicing_transfer_id: 'Does not exist.' });
  if (input.with_internal_records && servicing_transfer_id === null)
    throw new Invalid({
      with_internal_records: 'Only for a servicing transfer. Other exports always have them.',
    });
  return { portfolio_id, servicing_transfer_id };
}

/** Rows between two records of the progress. */
const PROGRESS_ROWS = 10_000;

/**
 * Writes a book into the store. All of it is read from one snapshot of the database, so an attempt that was interrupted
 * begins again, and no part of an older attempt is ever seen.
 */
export const exportBookJob = job({
  name: 'export-book',
  // In the documents pool, so that a close of business never waits for it.
  pool: 'documents',
  deadlineMs: 60 * 60_000,
  payload: z.object({ tenant_id: uuid, export_id: uuid }),
  attempts: 5,
  key: ({ export_id }) => `export-book:${export_id}`,

  async run({ tenant_id, export_id }, outside) {
    await outside.within(tenant_id, (work) => writeExport(work, export_id, outside), {
      snapshot: true,
    });
  },

  failed: ({ tx }, { export_id }, reason) => exports.failBookExport(tx, export_id, reason),
});

async function writeExport(reading: Work, id: string, outside: ExternalServices) {
  const { within, files } = outside;
  const { tenant_id, today: business_date } = reading;
  const order = await exports.findUnfinishedExport(reading.tx, id);
  if (order === null) return;
  const { storage_key, with_internal_records, ...scope } = order;
  const loan_count = await countLoans(reading.tx, scope);
  const rows = new Map<string, number>();
  const total = () => [...rows.values()].reduce((sum, count) => sum + count, 0);
  let saved = 0;
  const note = async (current_file: string, count: number) => {
    rows.set(current_file, count);
    const rows_written = total();
    if (rows_written - saved < PROGRESS_ROWS) return;
    saved = rows_written;
    const progress = { loan_count, current_file, rows_written };
    await within(tenant_id, ({ tx }) => exports.saveBookProgress(tx, id, progress));
  };
  // Whole personal numbers are written only by the operator's command, into a folder of the operator.
  const request = { scope, with_personal_numbers: false, with_internal_records };
  const entries = bookEntries(reading, files, request, note);
  await files.put(storage_key, zipped(entries, outside.now()), {
    when: (file, place) =>
      within(tenant_id, async ({ tx }) => {
        const { export_days: days } = (await settingsOf(tx)).retention;
        const written = { ...file, business_date, rows_written: total(), days };
        await exports.saveBookProgress(tx, id, {
          loan_count,
          current_file: '',
          rows_written: total(),
        });
        if (await exports.completeBookExport(tx, id, written)) await place();
      }),
  });
}

/** Exports per transaction. */
const BATCH = 100;

/** Removes the files of expired exports. Their rows stay. */
export async function removeExpiredBooks({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = BATCH; seen === BATCH;) {
    seen = await within(tenantId, async ({ tx }) => {
      const over = await exports.lockExpiredBooks(tx, BATCH);
      for (const { id, storage_key } of over) {
        await files.remove(storage_key);
        await exports.markBookExpired(tx, id);
      }
      return over.length;
    });
  }
}
