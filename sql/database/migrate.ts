import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { BASELINE, baselineFiles, checksumOf, type SchemaFile } from './baseline.ts';
import { databaseUnreachable } from './startup-error.ts';

/** An arbitrary number. Every migration run takes the same lock. */
const LOCK = 7_205_201;
const FOLDER = new URL('../migrations/', import.meta.url);

/** The baseline or one migration: applied in one transaction and recorded under one name. */
type Step = { name: string; files: SchemaFile[]; checksum: string };

/**
 * Brings the database to the newest schema and returns the names of the applied steps: first the baseline
 * (sql/schema/), then each migration. Each step is one transaction. Concurrent runs wait for each other.
 * Throws if the database has another baseline, or if a migration changed after it was applied.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect().catch((error: unknown) => {
    throw databaseUnreachable(url, error);
  });
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await prepare(client);
    const pending = pendingSteps(await alreadyApplied(client));
    await installQueueAsOwner(url);
    for (const step of pending) await apply(client, step);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** The name of the newest step that this version contains. */
export const newestMigration = (): string => steps().at(-1)?.name ?? BASELINE;

export const baselineChecksum = (): string => steps()[0]?.checksum ?? '';

/**
 * A checksum of the baseline and all migrations, by which the benchmarks recognize data made for another schema.
 * @public
 */
export const schemaChecksum = (): string => checksumOf(steps().flatMap(({ files }) => files));

let cachedSteps: Step[] | undefined;

/** Read once per process, because the readiness check needs them repeatedly. */
const steps = (): Step[] => (cachedSteps ??= readSteps());

function readSteps(): Step[] {
  const migrations = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }));
  return [
    { name: BASELINE, files: baselineFiles() },
    ...migrations.map((file) => ({ name: file.name, files: [file] })),
  ].map((step) => ({ ...step, checksum: checksumOf(step.files) }));
}

function pendingSteps(applied: ReadonlyMap<string, string>): Step[] {
  if (applied.size > 0 && applied.get(BASELINE) !== baselineChecksum()) {
    throw new Error(
      'This database has another baseline than this version. Before 0.1.0 the baseline changes without ' +
        'migrations: recreate the database.',
    );
  }
  return steps().filter(({ name, checksum }) => {
    const known = applied.get(name);
    if (known && known !== checksum) {
      throw new Error(`Migration ${name} was changed after it had been applied.`);
    }
    return !known;
  });
}

/**
 * Creates four roles that cannot log in: the owner changes the schema, the application works with the rows
 * of one tenant at a time, the worker fetches jobs, the auditor reads. Migrations run as the owner, so the
 * migrating login must be able to `set role` to it.
 */
async function prepare(client: pg.Client) {
  await client.query(`
    do $$ declare name text; begin
      foreach name in array
        array['servicing_owner', 'servicing_app', 'servicing_worker', 'servicing_auditor'] loop
        if not exists (select from pg_roles where rolname = name) then
          execute format('create role %I nologin', name);
        end if;
      end loop;
    end $$`);
  await client.query('grant create on schema public to servicing_owner');
  await client.query(
    `do $$ begin execute format('grant create on database %I to servicing_owner', current_database()); end $$`,
  );
  await client.query(`
    create table if not exists public.schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`);
  await client.query('grant select on public.schema_migrations to public');
}

async function alreadyApplied(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from public.schema_migrations',
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** The queue's schema also belongs to the owner, so that other roles cannot fetch jobs directly. */
async function installQueueAsOwner(url: string) {
  // Imported here because the API loads this file for newestMigration and does not need the queue library.
  const { Logger, runMigrations } = await import('graphile-worker');
  const pool = new pg.Pool({ connectionString: url, max: 1, options: '-c role=servicing_owner' });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) });
  } finally {
    await pool.end();
  }
}

async function apply(client: pg.Client, { name, files, checksum }: Step) {
  let current = name;
  try {
    await client.query('begin');
    await client.query('set local role servicing_owner');
    // Functions may use tables of later files. test/baseline.test.ts checks every function body on the
    // finished schema.
    if (name === BASELINE) await client.query('set local check_function_bodies = off');
    for (const file of files) {
      current = file.name;
      await client.query(file.text);
    }
    await client.query('reset role');
    await client.query('insert into public.schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`${current} failed: ${(error as Error).message}`, { cause: error });
  }
}
