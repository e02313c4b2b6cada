import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { openBackupSession } from '../../sql/database/base-backup.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../sql/database/embedded.ts';

const EXCLUDED_FILES = /postmaster\.(pid|opts)$|pg_wal\/[0-9A-F]{24}$|pg_replslot\/./;

export type Standby = EmbeddedPostgres & {
  /** Returns once replay has paused. The log still arrives afterwards. */
  pause: () => Promise<void>;
  resume: () => Promise<unknown>;
  /** Waits until the standby has replayed everything that the primary has written. */
  caughtUp: () => Promise<void>;
};

/**
 * A hot standby of a running server, created like pg_basebackup does, that follows it through a replication
 * slot.
 */
export async function startStandby(
  primary: EmbeddedPostgres,
  folder: string,
  settings: readonly string[] = [],
): Promise<Standby> {
  const session = await openBackupSession(primary.url);
  await session.keepLog();
  await session.start();
  const fill = async (data: string) => {
    const from = session.server.data_directory;
    cpSync(from, data, { recursive: true, filter: (file) => !EXCLUDED_FILES.test(file) });
    const { label } = await session.stop();
    writeFileSync(path.join(data, 'backup_label'), label);
    writeFileSync(path.join(data, 'standby.signal'), '');
    const lines = [
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'`,
      `primary_slot_name = 'loan_servicing_backup'`,
      ...settings,
    ];
    appendFileSync(path.join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`);
  };
  const standby = await startEmbeddedPostgres(folder, { throwAway: true, fill });
  await session.end();
  return {
    ...standby,
    pause: async () => {
      await queryOnce(standby.url, 'select pg_wal_replay_pause()');
      await waitForQuery(standby.url, `select pg_get_wal_replay_pause_state() = 'paused' as is_so`);
    },
    resume: () => queryOnce(standby.url, 'select pg_wal_replay_resume()'),
    caughtUp: async () => {
      const [at] = await queryOnce(primary.url, 'select pg_current_wal_flush_lsn() as lsn');
      await waitForQuery(
        standby.url,
        `select pg_last_wal_replay_lsn() >= '${at?.['lsn']}' as is_so`,
      );
    },
  };
}

async function waitForQuery(url: string, question: string) {
  while (!(await queryOnce(url, question))[0]?.['is_so'])
    await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Runs one query as the server's superuser. */
export async function queryOnce(url: string, question: string, values: unknown[] = []) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(question, values)).rows;
  } finally {
    await client.end();
  }
}
