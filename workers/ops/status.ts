import { poolOfTask, summarizePools } from '../../jobs/pools.ts';
import { queueStatus } from '../../sql/queue/queue.ts';
import { listPauses, listProcesses } from '../../sql/queue/worker-operations.ts';
import type { Operation } from './operation.ts';

/** A pool without workers is listed even if it has no jobs. */
const NO_JOBS = { ready: '0', scheduled: '0', running: '0', failed: '0', oldest_ready: null };

export const showQueueStatus: Operation = {
  name: 'status',
  usage: '',
  summary: 'Counts jobs by pool and kind: waiting, scheduled, running, failed',
  run: async ({ owner }) => {
    const tasks = await queueStatus(owner);
    const paused = await listPauses(owner);
    const pools = summarizePools(await listProcesses(owner), paused, tasks);
    // A pause for one tenant does not stop the other tenants' jobs of this kind.
    const isPaused = (task: string) =>
      paused.some((pause) => pause.task === task && pause.tenant_id === null);
    const rows = tasks.map(({ task, ...counts }) => {
      const pool = pools.find(({ pool: name }) => name === poolOfTask(task));
      const state = isPaused(task) ? 'paused' : (pool?.state ?? 'unknown');
      return { pool: pool?.pool ?? '', state, task, ...counts };
    });
    const idle = pools
      .filter(({ pool, state }) => state !== 'running' && !rows.some((row) => row.pool === pool))
      .map(({ pool, state }) => ({ pool, state, task: '', ...NO_JOBS }));
    const all = [...rows, ...idle];
    return all.length === 0 ? { say: 'The queue is empty.', rows: all } : { rows: all };
  },
};
