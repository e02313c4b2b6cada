import { setTimeout as pause } from 'node:timers/promises';
import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { StartupError } from './startup-error.ts';
import { openPool, RoleNotGranted, sql, sqlStateOf } from './db.ts';
import { isTransient } from './transient-errors.ts';
import { assertTenantIsolation } from './readiness.ts';

/** A replica that lags further behind is not read. */
export const LAG_MAX_MS = 10_000;
const LOOK_MS = 1_000;
/** A look is a small question; a server that takes longer is not one to send lists to. */
const LOOK_TIMEOUT_MS = 2_000;
/** Whoever was lost is not asked again at once, so that it does not come and go each second. */
const RETURN_MS = 3_000;
const MARKS_MAX = 600;

/** Who answered: the replica; the primary, after the replica failed; the primary, since it is unfit. */
export type Outcome = 'replica' | 'asked_again' | 'unfit';

export type Replica = {
  /** Runs steps that only read, on the replica while it is fit; whatever fails there is asked of the primary. */
  read<Result>(steps: (pool: DatabasePool) => Promise<Result>): Promise<Result>;
  /** Seconds that it is behind at most; Infinity while that is not known. */
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
  /** Told when the replica is read from now on, or why it is not. */
  onChange: (problem: Error | undefined) => void;
  onRead: (outcome: Outcome) => void;
  lagMaxMs?: number;
  lookTimeoutMs?: number;
  /** Milliseconds that have passed, since any moment. */
  clock?: () => number;
};

/** What the primary had on its disk at a moment; whoever has replayed that far is no older than it. */
type Mark = { lsn: bigint; at: number };
type Pools = { read: DatabasePool; look: DatabasePool; lookAtPrimary: DatabasePool };

/**
 * A hot standby of the primary. How far it lags is found out in the background: where the primary is
 * is noted each second, and the replica is as old as the newest note that it has replayed. That holds
 * whatever the clocks say, while nothing is written, and when nothing arrives any more.
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
  let told: boolean | undefined;

  const isFit = () => now() - asOf <= lagMaxMs;
  const tell = (problem: Error) => {
    if (told === isFit()) return;
    told = isFit();
    onChange(told ? undefined : problem);
  };
  const lose = (problem: Error) => {
    asOf = -Infinity;
    backAt = now() + RETURN_MS;
    tell(problem);
  };

  async function look() {
    pools ??= await openAll(settings);
    if (!isSafe) await assertTenantIsolation(pools.read, settings.environment);
    isSafe = true;
    const at = now();
    const there = await pools.lookAtPrimary.one(whereItIs);
    // The first is the one that it was found to have reached.
    marks = [...marks.slice(0, 1), ...marks.slice(1).slice(-MARKS_MAX)];
    marks.push({ lsn: positionOf(there), at });
    const here = await pools.look.one(whereItIs).catch((error: Error) => {
      lose(error);
      throw error;
    });
    const objection = objectionTo(here, there);
    if (objection !== undefined) return lose(new StartupError(objection));
    const reached = marks.filter((mark) => mark.lsn <= positionOf(here)).at(-1);
    marks = marks.filter((mark) => reached === undefined || mark.at >= reached.at);
    if (now() >= backAt) asOf = reached?.at ?? -Infinity;
    tell(new Error('The replica lags behind.'));
  }

  async function watch() {
    const { signal } = ending;
    while (!signal.aborted) {
      await pause(LOOK_MS, undefined, { ref: false, signal }).catch(() => {});
      if (!signal.aborted) await look().catch(tell);
    }
  }

  const end = async () => {
    ending.abort();
    await Promise.allSettled(Object.values(pools ?? {}).map((pool) => pool.end()));
  };
  await look().catch(async (error: Error) => {
    tell(ofReplica(error));
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
        if (isLost(error)) lose(error as Error);
        onRead('asked_again');
        return steps(primary);
      }
    },
    end,
  };
}

/** Looks have connections of their own, so that many lists at once do not make a replica look old. */
async function openAll({ url, primaryUrl, size, ...settings }: Settings): Promise<Pools> {
  const small = { size: 1, statementTimeoutMs: settings.lookTimeoutMs ?? LOOK_TIMEOUT_MS };
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

const Place = z.object({
  cluster: z.string(),
  database: z.string(),
  is_standby: z.boolean(),
  lsn: z.string(),
});
type Place = z.output<typeof Place>;

/** How far the log is on the disk, or how far it was replayed, in bytes. */
const whereItIs = sql.type(Place)`
  select (select system_identifier::text from pg_control_system()) as cluster,
         (select oid::text from pg_database where datname = current_database()) as database,
         pg_is_in_recovery() as is_standby,
         (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
               else pg_current_wal_flush_lsn() end - '0/0')::text as lsn
`;

const positionOf = ({ lsn }: Place) => BigInt(lsn);

/** A replica of another database would show the loans of another lender. */
function objectionTo(here: Place, there: Place): string | undefined {
  if (there.is_standby) return 'DATABASE_URL names a standby.';
  if (!here.is_standby) return 'DATABASE_REPLICA_URL names no standby.';
  if (here.cluster !== there.cluster)
    return 'DATABASE_REPLICA_URL names a standby of another server.';
  if (here.database !== there.database)
    return 'DATABASE_REPLICA_URL names another database than DATABASE_URL.';
  return undefined;
}

/** The way there is lost, and not only what was asked: 08, 53 and 57P, or no answer at all. */
const isLost = (error: unknown) =>
  /^(08|53|57P)/.test(sqlStateOf(error) ?? (isTransient(error) ? '08' : ''));

const ofReplica = (error: Error) =>
  error instanceof StartupError
    ? new StartupError(error.message.replace('DATABASE_URL', 'DATABASE_REPLICA_URL'), {
        cause: error,
      })
    : error;
