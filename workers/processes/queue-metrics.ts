import { Gauge } from 'prom-client';
import type { DatabasePool } from 'slonik';
import { queueStatus } from '../../sql/queue/queue.ts';
import { closeOverdueSeconds } from '../../sql/queue/cron-schedule.ts';

const STATES = ['ready', 'scheduled', 'running', 'failed'] as const;
type QueueStatus = Awaited<ReturnType<typeof queueStatus>>;

/**
 * Reports the number of jobs of each kind, and how long the oldest ready job has waited. The queue is
 * queried when the metrics are read. Each worker reports the kinds of its own pool, and all workers of a
 * pool report the same values.
 */
export function measureQueue(owner: DatabasePool, kinds: readonly string[]) {
  let asking: Promise<QueueStatus | undefined> | undefined;
  // One query serves both gauges. If it fails, the gauges are empty instead of showing old values.
  const ask = () => {
    asking ??= queueStatus(owner)
      .catch(() => undefined)
      .finally(() => (asking = undefined));
    return asking;
  };
  type Tell = (task: string, counts: QueueStatus[number] | undefined) => void;
  const fill = async (gauge: Gauge, tell: Tell) => {
    const stand = await ask();
    gauge.reset();
    if (!stand) return;
    for (const kind of kinds) {
      const counts = stand.find(({ task }) => task === kind);
      tell(kind, counts);
    }
  };
  const jobs: Gauge = new Gauge({
    name: 'queue_jobs',
    help: 'Jobs by kind and state.',
    labelNames: ['task', 'state'],
    collect: () =>
      fill(jobs, (task, counts) => {
        for (const state of STATES) jobs.set({ task, state }, Number(counts?.[state] ?? 0));
      }),
  });
  const lag: Gauge = new Gauge({
    name: 'queue_oldest_ready_seconds',
    help: 'How long the oldest job that could run has waited.',
    labelNames: ['task'],
    collect: () =>
      fill(lag, (task, counts) => {
        const since = counts?.oldest_ready ? Date.parse(counts.oldest_ready) : Date.now();
        lag.set({ task }, Math.max(0, (Date.now() - since) / 1_000));
      }),
  });
}

/** Reports how overdue a close of business is. Every ledger worker reports this for all tenants. */
export function measureCloses(owner: DatabasePool) {
  const gauge: Gauge = new Gauge({
    name: 'close_overdue_seconds',
    help: 'Seconds since the most overdue close of business of any tenant was due.',
    collect: async () => {
      gauge.reset();
      const seconds = await closeOverdueSeconds(owner).catch(() => undefined);
      if (seconds !== undefined) gauge.set(seconds);
    },
  });
}
