import { createHash } from 'node:crypto';
import * as stored from '../../../sql/books/imports.ts';
import { newId } from '../../../sql/new-id.ts';
import { currentTenant } from '../../../sql/tenants.ts';
import { insert, update } from '../../../sql/write.ts';
import { auditChange } from '../../audit.ts';
import { Invalid } from '../../errors.ts';
import { storageKey } from '../../files/keys.ts';
import { newFileKey } from '../../files/sealed-files.ts';
import type { Work } from '../../work.ts';
import { MappingRefused, readMapping } from '../format/mapping/read-mapping.ts';
import type { ImportOptions } from './import-options.ts';

export type NewImport = {
  filename: string;
  sha256_hash: string;
  file_size: number;
  mapping: string | null;
  options: ImportOptions;
  /** Whether the file is stored for a worker. A command reads its own file. */
  isStored: boolean;
};

/** Statuses in which a file can be checked again, because nothing was confirmed. */
const CHECKABLE: readonly stored.ImportStatus[] = ['uploaded', 'checking', 'checked', 'refused'];

/**
 * Records the import of a file. The same file with the same mapping and options is the same import, unless it was
 * canceled. An import that nobody confirmed is checked again, because products and loans here may have changed.
 */
export async function createImport(work: Work, given: NewImport): Promise<stored.ImportRow> {
  const { tx, actor } = work;
  const { isStored, ...file } = given;
  if (file.mapping !== null) assertMapping(file.mapping);
  const fingerprint = fingerprintOf(given);
  await stored.lockFingerprint(tx, fingerprint);
  const known = await stored.lockByFingerprint(tx, fingerprint);
  if (known !== null && !CHECKABLE.includes(known.status)) return known;
  const hasFile = known !== null && known.storage_key !== null;
  // A worker checks it at this moment.
  if (known?.status === 'checking' && isStored && hasFile) return known;
  const id = known?.id ?? newId();
  // A command does not need the stored file of an earlier upload, but whoever confirms the import may.
  const place = isStored && !hasFile ? await newPlace(work, id) : {};
  if (known === null) {
    await auditChange(work, stored.imports, 'create', null, async () => {
      await insert(tx, 'imports', { ...file, ...place, id, fingerprint, created_by: actor.id });
      return id;
    });
  } else await update(tx, 'imports', id, { ...place, status: 'uploaded', failure_reason: null });
  const row = await stored.readImport(tx, id);
  if (row === null) throw new Error(`The import ${id} vanished in its own transaction.`);
  return row;
}

function assertMapping(text: string) {
  try {
    readMapping(text);
  } catch (error) {
    if (error instanceof MappingRefused) throw new Invalid({ mapping: error.message });
    throw error;
  }
}

const fingerprintOf = ({ sha256_hash, mapping, options }: NewImport) =>
  createHash('sha256')
    .update(
      JSON.stringify([
        sha256_hash,
        mapping,
        options.product_code ?? null,
        options.accept_difference ?? false,
        options.warnings_as_errors ?? null,
        options.accepted_warnings ?? null,
      ]),
    )
    .digest('hex');

async function newPlace({ tx, tenant_id, installation: { keys } }: Work, id: string) {
  const { slug: tenant_slug } = await currentTenant(tx);
  const place = { tenant_slug, loan_id: 'imports', document_type: id, filename: 'book' };
  return {
    storage_key: storageKey(place),
    file_key_sealed: keys.seal(tenant_id, newFileKey()),
  };
}
