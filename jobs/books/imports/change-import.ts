import { removeRows } from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import { recordAudit } from '../../audit.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { lockExisting, wrongStatus } from './confirm-import.ts';
import { deactivateSettings } from './exported/own-export.ts';
import { ENDED } from './stored-book.ts';

/** Cancels an import. Loans that are boarded already stay. */
export async function cancelImport(work: Work, id: string) {
  const row = await lockExisting(work, id);
  if (ENDED.includes(row.status)) throw wrongStatus(row.status, 'cancel');
  await endUnfinished(work, row);
}

/** Marks a locked import as canceled. Products that its book brought as inactive take no further loans. */
export async function endUnfinished(work: Work, row: LockedImport) {
  await deactivateSettings(work, row.id);
  await removeRows(work.tx, row.id);
  await changeStatus(work, row, 'canceled', 'cancel');
}

/** Prepares another check of a file that is not confirmed yet. */
export async function requestCheck(work: Work, id: string) {
  const row = await lockExisting(work, id);
  const isOpen = ['checked', 'refused'].includes(row.status);
  const hasFailed = row.status === 'failed' && row.loans_boarded === 0;
  if (!isOpen && !hasFailed) throw wrongStatus(row.status, 'check');
  assertFileIsStored(row);
  await changeStatus(work, row, 'uploaded', 'check');
}

/** Throws `Conflict` for an import of the command line, because only the command can read its file. */
export async function assertUploaded(work: Work, id: string) {
  assertFileIsStored(await lockExisting(work, id));
}

function assertFileIsStored({ storage_key }: stored.ImportRow) {
  if (storage_key === null) throw fileMissing();
}

export const fileMissing = () =>
  new Conflict(
    'The file of this import is not stored. Upload it, or run the command again.',
    'file_missing',
  );

/** Continues an import that failed while its loans were boarded, on the present business date. */
export async function resumeImport(work: Work, id: string) {
  const row = await lockExisting(work, id);
  if (row.status !== 'failed' || row.confirmed_at === null) throw wrongStatus(row.status, 'resume');
  await update(work.tx, 'imports', id, { business_date: work.today, failure_reason: null });
  await changeStatus(work, row, 'confirmed', 'resume');
}

type LockedImport = Pick<stored.ImportRow, 'id' | 'status'>;

async function changeStatus(work: Work, row: LockedImport, status: string, action: string) {
  await update(work.tx, 'imports', row.id, { status });
  const changes = { status: { old: row.status, new: status } };
  await recordAudit(work, { type: 'imports', id: row.id }, action, changes);
}
