import type { Readable } from 'node:stream';
import { z } from 'zod';
import { documents } from '../../sql/documents/documents.ts';
import * as uploads from '../../sql/documents/uploads.ts';
import { findLocked } from '../../sql/table.ts';
import { uuid } from '../../sql/types.ts';
import { auditChange } from '../audit.ts';
import { job } from '../job.ts';
import type { ExternalServices } from '../external-systems.ts';
import type { Work } from '../work.ts';

/**
 * Scans an uploaded file for viruses. Releases it if nothing is found; otherwise removes the file and marks
 * the document as infected. Without a verdict the file stays held, and the last failure is recorded.
 */
export const scanDocument = job({
  name: 'scan-document',
  pool: 'outbound',
  egress: {
    to: 'the virus scanner of the installation',
    controls: { tenancy: 'row-level security' },
  },
  payload: z.object({ tenant_id: uuid, document_id: uuid }),
  // Several days, with the queue's exponential backoff.
  attempts: 20,
  key: ({ document_id }) => `scan-document:${document_id}`,

  async run({ tenant_id, document_id }, outside) {
    const { within, files } = outside;
    const read = ({ tx }: Work) => uploads.findUnscanned(tx, document_id);
    const document = await within(tenant_id, read, { readOnly: true });
    if (document === null) return;
    const { status, storage_key } = document;
    const file = status === 'held' ? await files.stream(storage_key) : null;
    if (status === 'held' && file === null)
      throw new Error('The held file is missing from the document store.');
    const { found } = file ? await scanAndClose(file, outside) : { found: status };
    if (file) await within(tenant_id, (work) => recordScanResult(work, document_id, found));
    if (found !== null) await files.remove(storage_key);
  },

  failed: ({ tx }, { document_id }, reason) => uploads.markUnscannable(tx, document_id, reason),
});

/** Closes the file even if the scanner stops reading early. */
async function scanAndClose(file: Readable, outside: ExternalServices) {
  try {
    return await outside.scan(file);
  } finally {
    file.destroy();
  }
}

async function recordScanResult(work: Work, id: string, found: string | null) {
  const before = await findLocked(work.tx, documents, id);
  if (before?.['status'] !== 'held') return;
  const reason = found && `The virus scanner found ${found} in the file.`;
  await auditChange(work, documents, 'scan', before, async () => {
    await uploads.recordScan(work.tx, id, reason);
    return id;
  });
}
