import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { POOLS } from '../../jobs/job.ts';
import { describePools } from '../../jobs/operations/pools.ts';
import { nextRun, SCHEDULE } from '../../jobs/operations/schedule.ts';
import { waitQuantile } from '../../jobs/operations/wait-histogram.ts';
import { poolOfTask, POOL_STATES } from '../../jobs/pools.ts';
import type { Transaction } from '../../sql/database/db.ts';
import { listFailureGroups, FailureGroup } from '../../sql/operations/jobs.ts';
import * as platform from '../../sql/operations/platform.ts';
import { listPauses } from '../../sql/queue/worker-operations.ts';
import { timestamp } from '../../sql/types.ts';
import { endpoint } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { isOperator } from './operator.ts';

const routeDefaults = {
  tag: 'operations',
  method: 'GET',
  action: 'list',
  allow: 'superadmin',
  transaction: 'read',
  status: 200,
} as const;

/** Reads what the user may see: operators see all tenants, other superadmins their own. */
const readVisible =
  <Result>(read: (tx: Transaction) => Promise<Result>) =>
  async (call: Call) => {
    await isOperator(call);
    return read(call.work.tx);
  };

const Process = z.object({
  name: z.string().describe('The name that the process reports.'),
  host: z.string().describe('The machine on which it runs.'),
  pid: z.int().describe('The id of the process on its machine.'),
  started_at: timestamp.describe('When the process started.'),
  heartbeat_seconds: z.int().describe('Seconds since the process last reported.'),
  slots: z
    .int()
    .nullable()
    .describe('How many jobs it runs at the same time. Null if it has not reported yet.'),
});

const poolStatus = {
  state: z
    .enum(POOL_STATES)
    .describe(
      'Whether the pool runs, has stopped reporting (`silent`), is paused, or has no process.',
    ),
  paused_by: z.string().nullable().describe('Who paused the pool. Null if it is not paused.'),
  paused_at: timestamp.nullable().describe('When the pool was paused. Null if it is not.'),
  reason: z
    .string()
    .nullable()
    .describe('Why the pool is paused. Null if it is not, or if you may not see it.'),
  slots: z.int().describe('Concurrent jobs across all processes of the pool.'),
  slots_set: z.int().nullable().describe('Concurrent jobs per process, if operators have set it.'),
  waiting: z.int().describe('How many jobs are due and wait for a free process.'),
  scheduled: z.int().describe('How many jobs are planned for later.'),
  running: z.int().describe('How many jobs run now.'),
  failed: z.int().describe('How many jobs have failed for good.'),
  lag_seconds: z
    .int()
    .nullable()
    .describe('How long the oldest due job has been waiting, in seconds.'),
};

const PoolView = z
  .object({
    pool: z.enum(POOLS).describe('The worker pool.'),
    kinds: z.string().array().describe('The kinds of jobs that this sub-pool runs.'),
    ...poolStatus,
    runs_per_minute: z.number().describe('Finished jobs per minute over the last minutes.'),
    wait_median: z.number().nullable().describe('Median wait before a job started, in seconds.'),
    wait_99th: z
      .number()
      .nullable()
      .describe('99th percentile of that wait, in seconds. 14401 means more than four hours.'),
    processes: Process.array().describe('Operators only.'),
    sub_pools: z
      .object({
        name: z.string().describe('The name of the sub-pool.'),
        kinds: z.string().array().describe('The kinds of jobs that it runs.'),
        ...poolStatus,
      })
      .array()
      .describe('Kinds of jobs with dedicated processes. Operators only.'),
  })
  .meta({ id: 'SeenPool' });

const currentOperator = endpoint({
  ...routeDefaults,
  resource: 'operations/me',
  action: 'show',
  summary: 'Check whether you see the jobs of all tenants',
  description:
    'Operators are the superadmins of one tenant that the installation names. Other superadmins see the jobs of their own tenant.',
  path: '/operations/me',
  reply: z.object({
    is_operator: z.boolean().describe('Whether you see the jobs of all tenants.'),
  }),
  run: async (call: Call) => ({ is_operator: await isOperator(call) }),
});

const pools = endpoint({
  ...routeDefaults,
  resource: 'operations/pools',
  summary: 'List worker pools with their processes and queues',
  description: 'Use it to see whether jobs are waiting and which pool needs more processes.',
  path: '/operations/pools',
  reply: PoolView.array(),
  run: readVisible((tx) => describePools(tx, new Date())),
});

const kinds = endpoint({
  ...routeDefaults,
  resource: 'operations/kinds',
  summary: 'List kinds of jobs with their counts and pauses',
  description: 'Counts your own jobs; operators see those of all tenants.',
  path: '/operations/kinds',
  reply: z
    .object({
      kind: z.string().describe('The kind of job.'),
      pool: z
        .enum(POOLS)
        .nullable()
        .describe('The pool that runs it. Null if no pool knows the kind.'),
      is_paused: z.boolean().describe('Whether jobs of this kind are paused.'),
      waiting: z.int().describe('How many jobs are due and wait for a free process.'),
      scheduled: z.int().describe('How many jobs are planned for later.'),
      running: z.int().describe('How many jobs run now.'),
      failed: z.int().describe('How many jobs have failed for good.'),
      lag_seconds: z
        .int()
        .nullable()
        .describe('How long the oldest due job has been waiting, in seconds. Null if none is.'),
    })
    .meta({ id: 'SeenKind' })
    .array(),
  run: async (call: Call) => {
    const isOfAllTenants = await isOperator(call);
    const paused = await listPauses(call.work.tx);
    // A tenant sees every kind of pause of its own jobs in the same way.
    const isPaused = (kind: string) =>
      paused.some(
        ({ task, pool, tenant_id }) =>
          task === kind && !pool && !(isOfAllTenants && tenant_id !== null),
      );
    const seen = await platform.listJobKinds(call.work.tx);
    return seen.map(({ oldest: _, ...kind }) => ({
      ...kind,
      pool: poolOfTask(kind.kind),
      is_paused: isPaused(kind.kind),
    }));
  },
});

const failures = endpoint({
  ...routeDefaults,
  resource: 'operations/failures',
  summary: 'List failed jobs by cause',
  description:
    'Groups failed jobs by kind and error, with # in place of numbers. To retry a group, pass its cause to POST /operations/jobs/change.',
  path: '/operations/failures',
  reply: FailureGroup.meta({ id: 'SeenCause' }).array(),
  run: readVisible(listFailureGroups),
});

const closes = endpoint({
  ...routeDefaults,
  resource: 'operations/closes',
  summary: 'List running and recent closes of business',
  description: 'Operators see those of all tenants.',
  path: '/operations/closes',
  reply: platform.Close.meta({ id: 'SeenClose' }).array(),
  run: readVisible(platform.listCloses),
});

const receivers = endpoint({
  ...routeDefaults,
  resource: 'operations/webhooks',
  summary: 'List webhook receivers, failing ones first',
  description:
    'Shows the host of each receiver, but not its path. Operators see those of all tenants.',
  path: '/operations/webhooks',
  reply: platform.Receiver.extend({
    host: derivedFrom(platform.Receiver.shape.host, 'webhooks.url'),
  })
    .meta({ id: 'SeenReceiver' })
    .array(),
  run: readVisible(platform.listReceivers),
});

const tenants = endpoint({
  ...routeDefaults,
  resource: 'operations/tenants',
  summary: 'List the tenants whose jobs you may see',
  description: 'Operators see all tenants, other superadmins only their own.',
  path: '/operations/tenants',
  reply: platform.Tenant.meta({ id: 'SeenTenant' }).array(),
  run: readVisible(platform.listTenants),
});

const schedules = endpoint({
  ...routeDefaults,
  resource: 'operations/schedules',
  summary: 'List scheduled jobs with their last and next runs',
  description:
    'The jobs that the platform starts by the clock, such as the start of close of business.',
  path: '/operations/schedules',
  reply: z
    .object({
      kind: z.string().describe('The kind of job.'),
      at: z.string().describe('When it runs, in words.'),
      reason: z.string().describe('What the job is for.'),
      last_at: timestamp.nullable().describe('When it was last started. Null if never.'),
      next_at: timestamp.nullable().describe('When it is started next. Null if never.'),
    })
    .meta({ id: 'SeenSchedule' })
    .array(),
  run: readVisible(async (tx) => {
    const ticks = await platform.listScheduleTicks(tx);
    return SCHEDULE.map((line) => ({
      kind: line.task,
      at: line.at,
      reason: line.reason,
      last_at: ticks.find(({ task }) => task === line.task)?.last_at ?? null,
      next_at: nextRun(line, new Date())?.toISOString() ?? null,
    }));
  }),
});

const history = endpoint({
  ...routeDefaults,
  resource: 'operations/quarters',
  summary: 'List pool throughput of the last 24 hours',
  description: 'One row per 15 minutes. For operators only.',
  path: '/operations/quarters',
  reply: z
    .object({
      quarter: timestamp.describe('The beginning of the 15 minutes.'),
      pool: z.string().describe('The worker pool.'),
      runs: z.int().describe('How many jobs finished.'),
      failures: z.int().describe('How many attempts failed.'),
      wait_99th: z
        .number()
        .nullable()
        .describe(
          '99th percentile of the wait before a job started, in seconds. Null if none started.',
        ),
    })
    .meta({ id: 'SeenQuarter' })
    .array(),
  run: readVisible(async (tx) => {
    const quarters = await platform.listQuarters(tx, 24);
    return quarters.map(({ quarter, pool, runs, failures: failed, waits }) => {
      const wait = waitQuantile(waits, 0.99);
      const wait_99th = wait === null || Number.isFinite(wait) ? wait : 14_401;
      return { quarter, pool, runs, failures: failed, wait_99th };
    });
  }),
});

const changes = endpoint({
  ...routeDefaults,
  resource: 'operations/changes',
  summary: 'List operator actions on jobs, newest first',
  description:
    'The last 100 pauses, changes of slots and changes of jobs, with who made them and why.',
  path: '/operations/changes',
  reply: platform.Change.meta({ id: 'OperationsChange' }).array(),
  run: readVisible((tx) => platform.listChanges(tx, 100)),
});

export const viewRoutes: readonly Route[] = [
  currentOperator,
  pools,
  kinds,
  failures,
  closes,
  receivers,
  tenants,
  schedules,
  history,
  changes,
];
