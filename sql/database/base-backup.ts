import pg from 'pg';

/**
 * A replication slot, which keeps Postgres from removing WAL that no backup has copied yet. One per server.
 */
const SLOT = 'loan_servicing_backup';

export type Server = { data_directory: string; system_identifier: string; segment_bytes: number };

/** A superuser's session for a backup. It must stay open from pg_backup_start to pg_backup_stop. */
export type BackupSession = {
  server: Server;
  /** From now on Postgres keeps the WAL until `keepFrom` confirms that it was copied. */
  keepLog(): Promise<void>;
  /**
   * Between start and stop, the files of the data folder may be copied while they change. stop returns
   * backup_label.
   */
  start(): Promise<void>;
  stop(): Promise<{ label: string; at: string }>;
  /** Ends the current WAL segment. Everything committed by `until` is in segments before `next`. */
  endSegment(): Promise<{ until: string; next: string; lsn: string }>;
  keepFrom(lsn: string): Promise<void>;
  end(): Promise<void>;
};

export async function openBackupSession(url: string): Promise<BackupSession> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  const row = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row> => {
    const [first] = (await client.query<Row>(text, values)).rows;
    if (!first) throw new Error('Postgres answered nothing.');
    return first;
  };
  try {
    const server = await row<Server>(`
      select current_setting('data_directory') as data_directory,
        (select system_identifier::text from pg_control_system()) as system_identifier,
        (select bytes_per_wal_segment from pg_control_init()) as segment_bytes`);
    return {
      server,
      keepLog: async () => {
        await client.query(
          `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1`,
          [SLOT],
        );
        await client.query('select pg_create_physical_replication_slot($1, true)', [SLOT]);
      },
      start: async () =>
        void (await client.query(`select pg_backup_start('backup', fast => true)`)),
      stop: () =>
        row(`select labelfile as label, to_char(clock_timestamp() at time zone 'UTC', ${ISO}) as at
          from pg_backup_stop(wait_for_archive => false)`),
      endSegment: async () => {
        const { until } = await row<{ until: string }>(
          `select to_char(clock_timestamp() at time zone 'UTC', ${ISO}) as until`,
        );
        // Point-in-time recovery stops at the first commit after its target, so one must exist.
        await client.query('select pg_current_xact_id()');
        await client.query('select pg_switch_wal()');
        const end = await row<{ next: string; lsn: string }>(`
          select pg_walfile_name(lsn + 1) as next, lsn::text
          from (select pg_current_wal_insert_lsn() as lsn) as here`);
        return { until, ...end };
      },
      keepFrom: async (lsn) =>
        void (await client.query('select pg_replication_slot_advance($1, $2::pg_lsn)', [
          SLOT,
          lsn,
        ])),
      end: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

/** Waits until a server in recovery accepts writes. */
export async function waitForRecovery(url: string, giveUpMs: number) {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    for (let waited = 0; waited < giveUpMs; waited += 100) {
      const { rows } = await client.query<{ reads: boolean }>(
        'select pg_is_in_recovery() as reads',
      );
      if (rows[0]?.reads === false) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('Postgres did not finish replaying the WAL of the backup.');
  } finally {
    await client.end();
  }
}
