import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { Files } from '../../jobs/files/files.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { keyCheckValue, parseKeys } from '../../jobs/sealing/keys.ts';
import { sqlStateOf, type Transaction } from '../../sql/database/db.ts';
import * as tenantAccess from '../../sql/moving/tenant-access.ts';
import { restoreJobs, findExistingJobKeys } from '../../sql/moving/jobs.ts';
import type { MoveConnection } from '../../sql/moving/owner.ts';
import * as rows from '../../sql/moving/rows.ts';
import { listTenantTables, schemaVersion } from '../../sql/moving/tables.ts';
import { readEntryContent, UnusableArchive } from './archive.ts';
import { checkArchive, readJobLines, readLines, type CheckedArchive } from './check-archive.ts';
import { rowsEntryName, type Manifest, type ReportProgress } from './manifest.ts';

type ImportTarget = { owner: MoveConnection; files: Files; secret: string; say: ReportProgress };

/**
 * Imports a tenant from an export, completely or not at all: rows, waiting jobs and files. The tenant stays
 * closed. An interrupted import leaves at most files, and the next attempt accepts them if they are
 * identical.
 */
export async function importTenant(into: ImportTarget, path: string): Promise<Manifest> {
  const { owner, files, say } = into;
  await using file = await open(path, 'r');
  const checked = await checkArchive(file);
  const { manifest } = checked;
  say(`The file is complete: ${manifest.entries.length} entries.`);
  await owner.steps('snapshot', (tx) => assertImportable(tx, manifest));
  assertKeys(manifest, into.secret);
  await importFiles(file, checked, files);
  say(`${manifest.files.length} files`);
  for (const month of manifest.accrual_months)
    await owner.steps('write', (tx) => rows.ensureAccrualMonth(tx, month));
  await runImport(owner, async (tx) => {
    await assertImportable(tx, manifest);
    await importRows(file, checked, tx, say);
    await rows.checkForeignKeys(tx);
    await assertMatchesManifest(tx, manifest);
    await importJobs(file, checked, tx);
    await tenantAccess.registerKeys(tx, manifest.keys);
  });
  say(`${manifest.jobs} waiting jobs`);
  return manifest;
}

/** Reports a violated database constraint as a problem of the file, with Postgres' message. */
async function runImport(owner: MoveConnection, steps: (tx: Transaction) => Promise<void>) {
  try {
    await owner.steps('write', steps);
  } catch (error) {
    if (!/^2[23]/.test(sqlStateOf(error) ?? '')) throw error;
    const reason = (error as Error).message;
    throw new UnusableArchive(`The database refuses the file's rows: ${reason}`, {
      cause: error,
    });
  }
}

async function assertImportable(tx: Transaction, { schema, tenant, tables, keys }: Manifest) {
  const ownVersion = await schemaVersion(tx);
  if (schema !== ownVersion)
    throw new UnusableArchive(
      `The file has the schema ${schema}, this database ${ownVersion}. Bring both to the same release.`,
    );
  const [taken] = await tenantAccess.findConflicts(tx, tenant);
  if (taken !== undefined) throw new UnusableArchive(`This database already has ${taken}.`);
  const known = (await listTenantTables(tx)).map(({ name }) => name);
  if (known.join() !== tables.map(({ name }) => name).join())
    throw new UnusableArchive('The file has other tables than this database.');
  const others = await tenantAccess.listSealingKeys(tx);
  const other = others.find(({ id, check_value }) =>
    keys.some((key) => key.id === id && check_value !== null && key.check_value !== check_value),
  );
  if (other) throw new UnusableArchive(`${differentKeysMessage(other.id)} ${ROTATE_KEY_HINT}`);
}

const ROTATE_KEY_HINT =
  'In the source installation, rotate SECRET to a key with an id that no other installation uses. Then export again.';
const differentKeysMessage = (id: string) =>
  `The file and this installation use different keys with the id ${id}.`;

/**
 * Checks before the first write that SECRET has the tenant's keys. Without them, sealed values could never
 * be opened.
 */
function assertKeys({ keys }: Manifest, secret: string) {
  const held = new Map(parseKeys(secret).map((key) => [key.id, keyCheckValue(key)] as const));
  for (const { id, check_value } of keys) {
    const own = held.get(id);
    if (own === undefined)
      throw new UnusableArchive(
        `SECRET lacks the key ${id} that the file uses. Append it to SECRET ` +
          'for this command and every process of this installation.',
      );
    if (check_value !== null && own !== check_value)
      throw new UnusableArchive(`${differentKeysMessage(id)} ${ROTATE_KEY_HINT}`);
  }
}

/** If both installations share a bucket, the files already exist. */
async function importFiles(file: FileHandle, { manifest, entries }: CheckedArchive, files: Files) {
  const hashes = new Map(manifest.entries.map(({ name, sha256 }) => [name, sha256]));
  for (const { key, entry: name } of manifest.files) {
    const entry = entries.get(name);
    if (!entry) throw new UnusableArchive(`${name} is missing.`);
    const storedFile = await files.describe(key);
    if (storedFile !== null && storedFile.sha256_hash !== hashes.get(name))
      throw new UnusableArchive(
        `The store already has a different file under ${key}. Find out which tenant it belongs to.`,
      );
    if (storedFile !== null) continue;
    const stored = await files.put(key, readEntryContent(file, entry), { once: true });
    if (stored.sha256_hash !== hashes.get(name))
      throw new Error(`The file ${key} was not stored as it was sent.`);
  }
}

/** Reads the rows back after writing. A row that a database rule changed stops the import. */
async function importRows(
  file: FileHandle,
  checked: CheckedArchive,
  tx: Transaction,
  say: ReportProgress,
) {
  const { manifest } = checked;
  const { id } = manifest.tenant;
  await rows.prepareImport(tx, id);
  for (const [at, table] of (await listTenantTables(tx)).entries()) {
    const wanted = manifest.tables[at];
    for await (const lines of readLines(file, checked, (batch) => rowsEntryName(table.name, batch)))
      await rows.stageRows(tx, lines);
    const written = await rows.writeStagedRows(tx, table, id);
    const hash = createHash('sha256');
    for await (const lines of rows.exportRows(tx, table, id))
      hash.update(lines.map((line) => `${line}\n`).join(''));
    if (wanted?.rows !== written || wanted.sha256 !== hash.digest('hex'))
      throw new UnusableArchive(`The rows of ${table.name} differ from the manifest.`);
    if (written > 0) say(`${table.name}: ${written} rows`);
  }
}

/** Checks that the rows match the manifest's tenant and reference only that tenant's files. */
async function assertMatchesManifest(tx: Transaction, { tenant, files, entries }: Manifest) {
  const found = await tenantAccess.findTenantBySlug(tx, tenant.slug);
  const domains = await tenantAccess.listDomainsOfTenant(tx, tenant.id);
  if (found?.id !== tenant.id || found.access !== 'closed')
    throw new UnusableArchive("The file's tenant is not closed, or has another name.");
  if (domains.join() !== tenant.domains.join())
    throw new UnusableArchive("The file's domains differ from its manifest.");
  const hashes = new Map(entries.map(({ name, sha256 }) => [name, sha256]));
  const carried = new Map(files.map(({ key, entry }) => [key, hashes.get(entry)]));
  for (const { key, sha256_hash } of await rows.listReferencedFiles(tx, tenant.id)) {
    const isOwn = key.startsWith(`${tenant.slug}/`);
    const isThere = sha256_hash === null || carried.get(key) === sha256_hash;
    if (!isOwn || !isThere)
      throw new UnusableArchive(`A row names the file ${key}, which is not its own.`);
  }
}

const Line = z.object({
  task: z.string(),
  payload: z.object({ tenant_id: z.string() }),
  key: z.string().nullable(),
});

async function importJobs(file: FileHandle, checked: CheckedArchive, tx: Transaction) {
  const { manifest } = checked;
  const known = new Set(allJobs.map(({ name }) => name));
  let count = 0;
  for await (const lines of readJobLines(file, checked)) {
    const jobs = lines.map((line) => Line.parse(JSON.parse(line)));
    const unknownJob = jobs.find(
      ({ task, payload }) => !known.has(task) || payload.tenant_id !== manifest.tenant.id,
    );
    if (unknownJob)
      throw new UnusableArchive(
        `The job ${unknownJob.task} is unknown or belongs to another tenant.`,
      );
    const keys = jobs.flatMap(({ key }) => (key === null ? [] : [key]));
    const [taken] = await findExistingJobKeys(tx, keys);
    if (taken !== undefined)
      throw new UnusableArchive(`The queue already has a job named ${taken}.`);
    await restoreJobs(tx, lines);
    count += lines.length;
  }
  if (count !== manifest.jobs)
    throw new UnusableArchive('The number of jobs differs from the manifest.');
}
