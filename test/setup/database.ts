import pg from 'pg';
import { inject } from 'vitest';

/** A database of this test's own, copied from the migrated template; dropped by `drop`. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const template = inject('templateUrl');
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  const admin = template.replace(/\/servicing$/, '/postgres');
  await asAdmin(admin, `create database ${name} template servicing strategy file_copy`);
  return {
    url: template.replace(/\/servicing$/, `/${name}`),
    drop: () => asAdmin(admin, `drop database if exists ${name} with (force)`),
  };
}

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
