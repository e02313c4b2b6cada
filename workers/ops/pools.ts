import {
  isWholePoolPause,
  isProcessSilent,
  poolOfWorker,
  summarizePools,
} from '../../jobs/pools.ts';
import { queueStatus } from '../../sql/queue/queue.ts';
import {
  listPauses,
  listProcesses,
  listRunsToday,
  type JobPause,
} from '../../sql/queue/worker-operations.ts';
import type { OperationResult, Operation } from './operation.ts';

type Rows = NonNullable<OperationResult['rows']>;

const pauseDetails = (pause: JobPause | undefined) =>
  pause && { reason: pause.reason, paused_by: pause.paused_by, paused_at: pause.paused_at };

export const listPools: Operation = {
  name: 'pools',
  usage: '',
  summary: 'Lists pools with workers, slots, pauses and the number of waiting jobs',
  run: async ({ owner }) => {
    const running = await listProcesses(owner);
    const paused = await listPauses(owner);
    const stand = summarizePools(running, paused, await queueStatus(owner));
    const rows: Rows = stand.flatMap(({ pool, state, waiting }): Rows => {
      const hold = paused.find((pause) => isWholePoolPause(pause, pool));
      const workers = running.filter(({ name }) => poolOfWorker(name) === pool);
      if (workers.length === 0) return [{ pool, state, waiting, ...pauseDetails(hold) }];
      return workers.map((worker) => {
        const own = hold ?? paused.find((pause) => isWholePoolPause(pause, worker.name));
        return {
          pool: worker.name,
          state: own ? 'paused' : isProcessSilent(worker) ? 'silent' : 'running',
          waiting,
          slots: worker.slots,
          host: worker.host,
          pid: worker.pid,
          started_at: worker.started_at,
          heartbeat_seconds: worker.heartbeat_seconds,
          ...pauseDetails(own),
        };
      });
    });
    const parts = paused
      .filter((pause) => !rows.some(({ pool }) => isWholePoolPause(pause, String(pool))))
      .map((pause) => ({
        ...(pause.pool && { pool: pause.pool }),
        ...(pause.task && { task: pause.task }),
        ...(pause.tenant && { tenant: pause.tenant }),
        state: 'paused',
        ...pauseDetails(pause),
      }));
    return { rows: [...rows, ...parts] };
  },
};

export const showRunsToday: Operation = {
  name: 'runs',
  usage: '',
  summary: "Shows today's runs, failures and seconds by kind of job",
  run: async ({ owner }) => ({ rows: await listRunsToday(owner) }),
};
