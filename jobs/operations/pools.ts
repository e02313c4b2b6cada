import * as platform from '../../sql/operations/platform.ts';
import * as operations from '../../sql/queue/worker-operations.ts';
import { POOLS } from '../job.ts';
import { allJobs } from '../all-jobs.ts';
import { isWholePoolPause, poolOfTask, poolOfWorker, poolState } from '../pools.ts';
import { addHistograms, emptyWaitHistogram, waitQuantile } from './wait-histogram.ts';

type Reader = Parameters<typeof platform.listJobKinds>[0];
type Process = Awaited<ReturnType<typeof operations.listProcesses>>[number];

const QUARTER_MS = 15 * 60_000;
/** Seconds reported for waits over four hours, the last bound of the histogram. */
const LONGEST_WAIT = 14_401;

/**
 * The state of every pool, including pools without a process: its processes, its queue and lag, its
 * throughput in this and the previous quarter of an hour, and for operators its sub-pools.
 */
export async function describePools(tx: Reader, now: Date) {
  const processes = await operations.listProcesses(tx);
  const pauses = await operations.listPauses(tx);
  const set = await operations.listPoolSlots(tx);
  const parts = await operations.listSubPools(tx);
  const kinds = await platform.listJobKinds(tx);
  const quarters = await platform.listQuarters(tx, 1);
  const begun = Math.floor(now.getTime() / QUARTER_MS) * QUARTER_MS - QUARTER_MS;
  const standing = (name: string, own: readonly Process[], ofIt: readonly platform.JobKind[]) => {
    const pause = pauses.find((known) => isWholePoolPause(known, name));
    return {
      state: poolState(own, pause !== undefined),
      paused_by: pause?.paused_by ?? null,
      paused_at: pause?.paused_at ?? null,
      reason: pause?.reason ?? null,
      slots: own.reduce((total, { slots }) => total + (slots ?? 0), 0),
      slots_set: set.find(({ pool }) => pool === name)?.slots ?? null,
      ...summed(ofIt),
    };
  };
  return POOLS.map((pool) => {
    const own = processes.filter(({ name }) => poolOfWorker(name) === pool);
    const recent = quarters.filter(
      (known) => known.pool === pool && Date.parse(known.quarter) >= begun,
    );
    const waits = recent.reduce(
      (sum, quarter) => addHistograms(sum, quarter.waits),
      emptyWaitHistogram(),
    );
    const minutes = (now.getTime() - begun) / 60_000;
    return {
      pool,
      kinds: allJobs.filter((job) => job.pool === pool).map(({ name }) => name),
      ...standing(
        pool,
        own,
        kinds.filter(({ kind }) => poolOfTask(kind) === pool),
      ),
      runs_per_minute: perMinute(recent, minutes),
      wait_median: inSeconds(waitQuantile(waits, 0.5)),
      wait_99th: inSeconds(waitQuantile(waits, 0.99)),
      processes: own.flatMap(identified),
      sub_pools: parts
        .filter(({ name }) => poolOfWorker(name) === pool)
        .map(({ name, tasks }) => ({
          name,
          kinds: tasks,
          ...standing(
            name,
            own.filter((process) => process.name === name),
            kinds.filter(({ kind }) => tasks.includes(kind)),
          ),
        })),
    };
  });
}

function summed(kinds: readonly platform.JobKind[]) {
  const sum = (what: 'waiting' | 'scheduled' | 'running' | 'failed') =>
    kinds.reduce((total, kind) => total + kind[what], 0);
  const lags = kinds.flatMap(({ lag_seconds }) => lag_seconds ?? []);
  return {
    waiting: sum('waiting'),
    scheduled: sum('scheduled'),
    running: sum('running'),
    failed: sum('failed'),
    lag_seconds: lags.length === 0 ? null : Math.max(0, ...lags),
  };
}

/** Only operators see host and process id; for other users they are null. */
const identified = ({ name, host, pid, started_at, heartbeat_seconds, slots }: Process) =>
  host === null || pid === null || started_at === null
    ? []
    : [{ name, host, pid, started_at, heartbeat_seconds, slots }];

const perMinute = (quarters: readonly { runs: number }[], minutes: number) =>
  Math.round((quarters.reduce((sum, { runs }) => sum + runs, 0) / minutes) * 10) / 10;

const inSeconds = (seconds: number | null) =>
  seconds === null || Number.isFinite(seconds) ? seconds : LONGEST_WAIT;
