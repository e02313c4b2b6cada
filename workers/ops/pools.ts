import { POOLS } from '../../jobs/job.ts';
import { pauses, processes, runsToday } from '../../sql/worker-operations.ts';
import type { Operation } from './operation.ts';

/** A worker that has not signed for this long is shown as silent; the sweeper looks at it, too. */
const SILENT_SECONDS = 15;

export const pools: Operation = {
  name: 'pools',
  usage: '',
  summary: 'the running workers, what is paused',
  run: async ({ owner }) => {
    const running = await processes(owner);
    const paused = await pauses(owner);
    const isPaused = (kind: string, name: string) =>
      paused.some((one) => one.kind === kind && one.name === name);
    const rows = running.map((one) => ({
      pool: one.name,
      state: one.heartbeat_seconds > SILENT_SECONDS ? 'silent' : 'running',
      host: one.host,
      pid: one.pid,
      started_at: one.started_at,
      heartbeat_seconds: one.heartbeat_seconds,
    }));
    const absent = POOLS.filter((pool) => !running.some(({ name }) => name === pool)).map(
      (pool) => ({ pool, state: isPaused('pool', pool) ? 'paused' : 'not running' }),
    );
    const tasks = paused
      .filter(({ kind }) => kind === 'task')
      .map(({ name, reason }) => ({ task: name, state: 'paused', reason }));
    return { rows: [...rows, ...absent, ...tasks] };
  },
};

export const runs: Operation = {
  name: 'runs',
  usage: '',
  summary: 'what jobs cost today: runs, failures, seconds',
  run: async ({ owner }) => ({ rows: await runsToday(owner) }),
};
