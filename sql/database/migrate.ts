import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { noDatabase } from './cannot-start.ts';

/** Any number; what matters is that every runner takes the same lock. */
const LOCK = 7_205_201;
const FOLDER = new URL('../migrations/', import.meta.url);

type Migration = { name: string; text: string; checksum: string };

/**
 * Brings the database to the newest schema and answers the names of what was applied. Runners that
 * start together wait for each other, each migration is one transaction, and a file that was changed
 * after it had been applied is refused.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect().catch((error: unknown) => {
    throw noDatabase(url, error);
  });
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    await prepare(client);
    const applied = await alreadyApplied(client);
    const pending = migrations().filter(({ name, checksum }) => {
      const known = applied.get(name);
      if (known && known !== checksum) {
        throw new Error(`Migration ${name} was changed after it had been applied.`);
      }
      return !known;
    });
    await installQueueAsOwner(url);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Whether every migration of this version has been applied; the readiness check asks it. */
export const newestMigration = (): string => migrations().at(-1)?.name ?? '';

function migrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, FOLDER), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    });
}

/**
 * Four roles that cannot log in: the owner changes the schema, the application works with rows of
 * one tenant at a time, the worker fetches jobs, the auditor reads. The login that migrates becomes
 * the owner.
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

/** The queue's own schema belongs to the owner as well, who alone may fetch jobs. */
async function installQueueAsOwner(url: string) {
  // The API asks this file which migration is the newest, and need not hold the queue's library for that.
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

async function apply(client: pg.Client, { name, text, checksum }: Migration) {
  try {
    await client.query('begin');
    await client.query('set local role servicing_owner');
    await client.query(text);
    await client.query('reset role');
    await client.query('insert into public.schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}
