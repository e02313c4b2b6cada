import { isSilent, poolsOf } from '../../jobs/pools.ts';
import { status } from '../../sql/queue/queue.ts';
import { pauses, processes, runsToday } from '../../sql/queue/worker-operations.ts';
import type { Answer, Operation } from './operation.ts';

type Rows = NonNullable<Answer['rows']>;

export const pools: Operation = {
  name: 'pools',
  usage: '',
  summary: 'every pool with its workers, what is paused, how many jobs wait',
  run: async ({ owner }) => {
    const running = await processes(owner);
    const paused = await pauses(owner);
    const stand = poolsOf(running, paused, await status(owner));
    const rows: Rows = stand.flatMap(({ pool, state, reason, waiting }): Rows => {
      const workers = running.filter(({ name }) => name === pool);
      if (workers.length === 0) return [{ pool, state, waiting, ...(reason && { reason }) }];
      return workers.map((worker) => ({
        pool,
        state: state === 'paused' ? state : isSilent(worker) ? 'silent' : 'running',
        waiting,
        host: worker.host,
        pid: worker.pid,
        started_at: worker.started_at,
        heartbeat_seconds: worker.heartbeat_seconds,
      }));
    });
    const tasks = paused
      .filter(({ kind }) => kind === 'task')
      .map(({ name, reason }) => ({ task: name, state: 'paused', reason }));
    return { rows: [...rows, ...tasks] };
  },
};

export const runs: Operation = {
  name: 'runs',
  usage: '',
  summary: 'what jobs cost today: runs, failures, seconds',
  run: async ({ owner }) => ({ rows: await runsToday(owner) }),
};
