import pg from 'pg';
import { inject } from 'vitest';

/**
 * A database for one test, copied from the migrated template or from another database without connections.
 * `drop` removes it.
 */
export async function cloneDatabase(
  template = inject('templateUrl'),
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  const [, server = '', source = ''] = /^(.*\/)(\w+)$/.exec(template) ?? [];
  const admin = `${server}postgres`;
  await asAdmin(admin, `create database ${name} template ${source} strategy file_copy`);
  return {
    url: server + name,
    drop: async () => {
      await asAdmin(admin, waitForNoSessions(name));
      await asAdmin(admin, `drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * Waits up to two seconds until closing connections are gone. A connection that is cut off while closing
 * would raise an unhandled error and fail the run although every test passed.
 */
const waitForNoSessions = (name: string) => `
  do $$ begin
    for i in 1 .. 100 loop
      perform pg_stat_clear_snapshot();
      exit when not exists (select from pg_stat_activity where datname = '${name}');
      perform pg_sleep(0.02);
    end loop;
  end $$`;

async function asAdmin(url: string, statement: string) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
