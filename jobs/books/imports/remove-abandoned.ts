import * as stored from '../../../sql/books/imports.ts';
import * as reconciliations from '../../../sql/books/reconciliations.ts';
import { update } from '../../../sql/write.ts';
import { endStoppedCommands } from '../reconciliations/reconcile.job.ts';
import type { ExternalServices } from '../../external-systems.ts';
import { endUnfinished } from './change-import.ts';
import { removeFile } from './remove-file.ts';

/** Days without a change after which an unfinished import is canceled, because its file holds personal data. */
export const IMPORT_KEPT_DAYS = 90;

/** Imports per transaction. Each may have many rows. */
const BATCH = 10;

/** Cancels abandoned imports, and removes the rows and files of all imports and comparisons that do not need them. */
export async function removeAbandonedBooks({ within, files }: ExternalServices, tenantId: string) {
  for (let seen = BATCH; seen === BATCH;) {
    seen = await within(tenantId, async (work) => {
      const abandoned = await stored.lockAbandoned(work.tx, IMPORT_KEPT_DAYS, BATCH);
      for (const row of abandoned) await endUnfinished(work, row);
      return abandoned.length;
    });
  }
  const ended = await within(tenantId, ({ tx }) => stored.listEndedWithFile(tx));
  for (const id of ended) await removeFile(within, files, tenantId, id);
  await within(tenantId, endStoppedCommands);
  const unneeded = await within(tenantId, ({ tx }) =>
    reconciliations.listUnneededFiles(tx, IMPORT_KEPT_DAYS),
  );
  for (const { id, storage_key, is_abandoned } of unneeded) {
    await files.clear(storage_key);
    const failure_reason = `It was not done within ${IMPORT_KEPT_DAYS} days. Upload the file again.`;
    await within(tenantId, ({ tx }) =>
      update(tx, 'reconciliations', id, {
        storage_key: null,
        file_key_sealed: null,
        ...(is_abandoned && { status: 'failed', failure_reason }),
      }),
    );
  }
}
