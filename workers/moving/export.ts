import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import type { Files } from '../../jobs/files/files.ts';
import type { Transaction } from '../../sql/database/db.ts';
import * as tenantAccess from '../../sql/moving/tenant-access.ts';
import { countRunningJobs, exportWaitingJobs } from '../../sql/moving/jobs.ts';
import type { MoveConnection } from '../../sql/moving/owner.ts';
import * as rows from '../../sql/moving/rows.ts';
import { listTenantTables, schemaVersion } from '../../sql/moving/tables.ts';
import { writeArchive, type Archive, type WrittenEntry } from './archive.ts';
import { TenantBusy } from './close-tenant.ts';
import {
  fileEntryName,
  jobsEntryName,
  rowsEntryName,
  MANIFEST_ENTRY,
  type Manifest,
  type ReportProgress,
} from './manifest.ts';

const JOBS_IN_AN_ENTRY = 1_000;

type ExportSource = { owner: MoveConnection; files: Files; say: ReportProgress };

/**
 * Writes a closed tenant into one file, completely or not at all: rows and waiting jobs of one snapshot,
 * and the files that the rows reference. The database does not change.
 */
export async function exportTenant(
  { owner, files, say }: ExportSource,
  { id, slug }: { id: string; slug: string },
  path: string,
): Promise<Manifest> {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const archive = await writeArchive(unfinished);
  try {
    const entries: WrittenEntry[] = [];
    const add = async (name: string, text: string) => {
      const bytes = Buffer.from(text);
      entries.push(await archive.add(name, bytes.length, [bytes]));
    };
    const { named, ...inDatabase } = await owner.steps('snapshot', async (tx) => {
      if ((await countRunningJobs(tx, id)) > 0)
        throw new TenantBusy('A worker has just taken a job of the tenant. Try again.');
      const domains = [...(await tenantAccess.listDomainsOfTenant(tx, id))];
      return {
        schema: await schemaVersion(tx),
        tenant: { id, slug, domains },
        tables: await addRows(add, tx, id, say),
        accrual_months: [...(await rows.listAccrualMonths(tx, id))],
        jobs: await addJobs(add, tx, id, say),
        keys: [...(await tenantAccess.listSealingKeys(tx))],
        named: await rows.listReferencedFiles(tx, id),
      };
    });
    const carried = await addFiles(archive, files, named, say);
    entries.push(...carried.map(({ written }) => written));
    const manifest: Manifest = {
      format: 'tenant-export-1',
      ...inDatabase,
      files: carried.map(({ key, written }) => ({ key, entry: written.name })),
      entries,
    };
    const text = Buffer.from(JSON.stringify(manifest));
    await archive.add(MANIFEST_ENTRY, text.length, [text]);
    await archive.finish();
    await rename(unfinished, path);
    return manifest;
  } finally {
    await archive.close();
    await rm(unfinished, { force: true });
  }
}

type AddEntry = (name: string, text: string) => Promise<void>;

async function addRows(add: AddEntry, tx: Transaction, id: string, say: ReportProgress) {
  const tables: Manifest['tables'] = [];
  for (const table of await listTenantTables(tx)) {
    const hash = createHash('sha256');
    let count = 0;
    let batch = 0;
    for await (const lines of rows.exportRows(tx, table, id)) {
      const text = lines.map((line) => `${line}\n`).join('');
      hash.update(text);
      count += lines.length;
      batch += 1;
      await add(rowsEntryName(table.name, batch), text);
    }
    tables.push({ name: table.name, rows: count, sha256: hash.digest('hex') });
    if (count > 0) say(`${table.name}: ${count} rows`);
  }
  return tables;
}

async function addJobs(add: AddEntry, tx: Transaction, id: string, say: ReportProgress) {
  const waiting = await exportWaitingJobs(tx, id);
  for (let from = 0; from < waiting.length; from += JOBS_IN_AN_ENTRY) {
    const lines = waiting.slice(from, from + JOBS_IN_AN_ENTRY);
    await add(
      jobsEntryName(from / JOBS_IN_AN_ENTRY + 1),
      lines.map((line) => `${line}\n`).join(''),
    );
  }
  say(`${waiting.length} waiting jobs`);
  return waiting.length;
}

/**
 * Stops the export if a document's file is missing or differs. Otherwise the document would be lost
 * unnoticed.
 */
async function addFiles(
  archive: Archive,
  files: Files,
  named: readonly rows.ReferencedFile[],
  say: ReportProgress,
) {
  const carried: { key: string; written: WrittenEntry }[] = [];
  for (const { key, sha256_hash } of named) {
    const stored = await files.describe(key);
    if (stored === null && sha256_hash === null) continue;
    if (stored === null || (sha256_hash !== null && stored.sha256_hash !== sha256_hash))
      throw new Error(
        `The file ${key} ${stored === null ? 'is missing' : 'was changed'}. Repair it first (npm run invariants).`,
      );
    const content = await files.stream(key);
    if (content === null) throw new Error(`The file ${key} vanished.`);
    const written = await archive.add(fileEntryName(carried.length + 1), stored.size, content);
    if (written.sha256 !== stored.sha256_hash) throw new Error(`The file ${key} was changed.`);
    carried.push({ key, written });
  }
  say(`${carried.length} files`);
  return carried;
}
