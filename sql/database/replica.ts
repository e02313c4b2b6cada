import { setTimeout as pause } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { StartupError } from './startup-error.ts';
import { openPool, RoleNotGranted, sql, sqlStateOf } from './db.ts';
import { isTransient } from './transient-errors.ts';
import { assertTenantIsolation } from './readiness.ts';

export const LAG_MAX_MS = 10_000;
const CHECK_INTERVAL_MS = 1_000;
/** A check is a tiny query. If it takes longer, the replica is too slow for lists. */
const CHECK_TIMEOUT_MS = 2_000;
/** After a failure the replica is not used for this time, so that it does not alternate every second. */
const RETRY_AFTER_MS = 3_000;
const MARKS_MAX = 600;

/**
 * Which server answered: the replica; the primary after the replica failed; the primary because the replica
 * is unfit.
 */
export type Outcome = 'replica' | 'asked_again' | 'unfit';

export type Replica = {
  /** Runs read-only steps on the replica while it is fit. If they fail there, they run on the primary. */
  read<Result>(steps: (pool: DatabasePool) => Promise<Result>): Promise<Result>;
  lag(): number;
  isFit(): boolean;
  state: DatabasePool['state'];
  end(): Promise<void>;
};

type Settings = {
  url: string;
  primary: DatabasePool;
  primaryUrl: string;
  size: number;
  environment: string;
  /** Called when the replica becomes fit (undefined) or unfit (the reason). */
  onChange: (problem: Error | undefined) => void;
  onRead: (outcome: Outcome) => void;
  lagMaxMs?: number;
  lookTimeoutMs?: number;
  /** A monotonic clock in milliseconds. */
  clock?: () => number;
};

/**
 * The primary's flushed WAL position at a time. A replica that has replayed it is not older than that time.
 */
type Mark = { lsn: bigint; at: number };
type Pools = { read: DatabasePool; look: DatabasePool; lookAtPrimary: DatabasePool };

/**
 * Opens a hot standby for reading. A background loop records the primary's WAL position every second; the
 * replica is as old as the newest recorded position that it has replayed. This works independently of the
 * clocks, without any writes, and when nothing reaches the replica any more.
 */
export async function openReplica(settings: Settings): Promise<Replica> {
  const { primary, onChange, onRead, lagMaxMs = LAG_MAX_MS } = settings;
  const now = settings.clock ?? (() => performance.now());
  const ending = new AbortController();
  let pools: Pools | undefined;
  let isSafe = false;
  let marks: Mark[] = [];
  let asOf = -Infinity;
  let backAt = -Infinity;
  let wasFit: boolean | undefined;

  const isFit = () => now() - asOf <= lagMaxMs;
  const reportProblem = (problem: Error) => {
    if (wasFit === isFit()) return;
    wasFit = isFit();
    onChange(wasFit ? undefined : problem);
  };
  const lose = (problem: Error) => {
    asOf = -Infinity;
    backAt = now() + RETRY_AFTER_MS;
    reportProblem(problem);
  };

  async function look() {
    pools ??= await openAll(settings);
    if (!isSafe) await assertTenantIsolation(pools.read, settings.environment);
    isSafe = true;
    const at = now();
    const primaryPosition = await pools.lookAtPrimary.one(selectPosition);
    // The first mark is the one that the replica is known to have reached.
    marks = [...marks.slice(0, 1), ...marks.slice(1).slice(-MARKS_MAX)];
    marks.push({ lsn: positionOf(primaryPosition), at });
    const replicaPosition = await pools.look.one(selectPosition).catch((error: Error) => {
      lose(error);
      throw error;
    });
    const objection = objectionTo(replicaPosition, primaryPosition);
    if (objection !== undefined) return lose(new StartupError(objection));
    const reached = marks.filter((mark) => mark.lsn <= positionOf(replicaPosition)).at(-1);
    marks = marks.filter((mark) => reached === undefined || mark.at >= reached.at);
    if (now() >= backAt) asOf = reached?.at ?? -Infinity;
    reportProblem(new Error('The replica lags behind.'));
  }

  async function watch() {
    const { signal } = ending;
    while (!signal.aborted) {
      await pause(CHECK_INTERVAL_MS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await look().catch(reportProblem);
    }
  }

  const end = async () => {
    ending.abort();
    await Promise.allSettled(Object.values(pools ?? {}).map((pool) => pool.end()));
  };
  await look().catch(async (error: Error) => {
    reportProblem(ofReplica(error));
    const isRefused = error instanceof RoleNotGranted || (pools && error instanceof StartupError);
    if (!isRefused) return;
    await end();
    throw ofReplica(error);
  });
  void watch();
  return {
    isFit,
    lag: () => (now() - asOf) / 1_000,
    state: () => pools?.read.state() ?? primary.state(),
    read: async (steps) => {
      if (!pools || !isFit()) {
        onRead('unfit');
        return steps(primary);
      }
      try {
        const result = await steps(pools.read);
        onRead('replica');
        return result;
      } catch (error) {
        if (isConnectionLost(error)) lose(error as Error);
        onRead('asked_again');
        return steps(primary);
      }
    },
    end,
  };
}

/** Checks use their own connections, so that many concurrent lists do not make a replica look old. */
async function openAll({ url, primaryUrl, size, ...settings }: Settings): Promise<Pools> {
  const small = { size: 1, statementTimeoutMs: settings.lookTimeoutMs ?? CHECK_TIMEOUT_MS };
  const opened = await Promise.allSettled([
    openPool(url, { size, isShared: true }),
    openPool(url, small),
    openPool(primaryUrl, small),
  ]);
  const failed = opened.find((outcome) => outcome.status === 'rejected');
  const [read, look, lookAtPrimary] = opened.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : undefined,
  );
  if (read && look && lookAtPrimary) return { read, look, lookAtPrimary };
  for (const pool of [read, look, lookAtPrimary]) await pool?.end();
  throw failed?.reason;
}

const ServerPosition = z.object({
  cluster: z.string(),
  database: z.string(),
  is_standby: z.boolean(),
  lsn: z.string(),
});
type ServerPosition = z.output<typeof ServerPosition>;

/** The flushed (primary) or replayed (standby) WAL position, in bytes. */
const selectPosition = sql.type(ServerPosition)`
  select (select system_identifier::text from pg_control_system()) as cluster,
         (select oid::text from pg_database where datname = current_database()) as database,
         pg_is_in_recovery() as is_standby,
         (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
               else pg_current_wal_flush_lsn() end - '0/0')::text as lsn
`;

const positionOf = ({ lsn }: ServerPosition) => BigInt(lsn);

/** A replica of another database would show another lender's loans. */
function objectionTo(
  replicaPosition: ServerPosition,
  primaryPosition: ServerPosition,
): string | undefined {
  if (primaryPosition.is_standby) return 'DATABASE_URL names a standby.';
  if (!replicaPosition.is_standby) return 'DATABASE_REPLICA_URL names no standby.';
  if (replicaPosition.cluster !== primaryPosition.cluster)
    return 'DATABASE_REPLICA_URL names a standby of another server.';
  if (replicaPosition.database !== primaryPosition.database)
    return 'DATABASE_REPLICA_URL names another database than DATABASE_URL.';
  return undefined;
}

/** The connection is lost, not only the statement: SQLSTATE 08, 53, 57P or no answer. */
const isConnectionLost = (error: unknown) =>
  /^(08|53|57P)/.test(sqlStateOf(error) ?? (isTransient(error) ? '08' : ''));

const ofReplica = (error: Error) =>
  error instanceof StartupError
    ? new StartupError(error.message.replace('DATABASE_URL', 'DATABASE_REPLICA_URL'), {
        cause: error,
      })
    : error;
