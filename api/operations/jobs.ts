import { z } from 'zod';
import { recordAudit } from '../../jobs/audit.ts';
import { startClose } from '../../jobs/business-day/close-loans.job.ts';
import { assertClosable } from '../../jobs/business-day/plan-close.ts';
import { POOLS } from '../../jobs/job.ts';
import { POOL_STATES, summarizePools } from '../../jobs/pools.ts';
import { closeRuns as table } from '../../sql/business-day/close-runs.ts';
import { tenantQueueStatus } from '../../sql/queue/queue.ts';
import { listPauses, listProcesses } from '../../sql/queue/worker-operations.ts';
import { date, integer, money, timestamp, uuid } from '../../sql/types.ts';
import { endpoint, resource } from '../endpoints/resource.ts';
import { hasEnrolledFactor } from './operator.ts';

export const runs = resource({
  name: 'CloseOfBusinessRun',
  about:
    'A run of close of business, which closes one business date after the other through `through_date`.',
  path: 'jobs/runs',
  area: 'operations',
  table,
  read: 'superadmin',
  write: 'superadmin',
  offers: ['list'],

  fields: {
    id: uuid.readonly(),
    cob_date: date.readonly().describe('The day that the run closes.'),
    through_date: date.readonly().describe('The last day of the request that started the run.'),
    status: z
      .enum(['running', 'finished', 'failed'])
      .readonly()
      .describe('Whether the run works, is done or needs an operator.'),
    failure_reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the run failed. Null if it did not.'),
    chunks_total: integer.readonly().describe('How many chunks of up to 10,000 loans the day has.'),
    chunks_done: integer.readonly().describe('How many of them are done.'),
    loans: integer.readonly().describe('How many loans have been processed.'),
    interest: money.readonly().describe('The interest that these loans accrued.'),
    quarantined: integer.readonly().describe('How many loans a step skipped because of an error.'),
    started_at: timestamp.readonly().describe('When the run started.'),
    finished_at: timestamp
      .nullable()
      .readonly()
      .describe('When the run finished. Null until then.'),
  },
  filters: ['cob_date', 'status'],
  sort: { field: 'cob_date', descending: true },
});

/**
 * Lists every pool, including pools that are paused or have no process. The jobs counted are the tenant's
 * own.
 */
export const pools = endpoint({
  tag: 'operations',
  resource: 'jobs',
  action: 'list',
  method: 'GET',
  path: '/jobs',
  allow: 'superadmin',
  summary: 'Get the state and queue length of each worker pool',
  description:
    'Includes pools that are paused or have no process. The counts are those of your own jobs.',
  status: 200,
  transaction: 'read',
  reply: z
    .object({
      pool: z.enum(POOLS).describe('The worker pool.'),
      state: z
        .enum(POOL_STATES)
        .describe(
          'Whether the pool runs, has stopped reporting (`silent`), is paused, or has no process.',
        ),
      reason: z.string().nullable().describe('Why it is paused. Operators only.'),
      processes: z.int().describe('How many processes the pool has.'),
      waiting: z.int().describe('How many jobs are due and wait for a free process.'),
      scheduled: z.int().describe('How many jobs are planned for later.'),
      running: z.int().describe('How many jobs run now.'),
      failed: z.int().describe('How many jobs have failed for good.'),
      oldest_waiting: timestamp
        .nullable()
        .describe('Since when the oldest due job has been waiting. Null if none is.'),
    })
    .meta({ id: 'Pool' })
    .array(),
  run: async ({ work: { tx }, user }) => {
    const poolStates = summarizePools(
      await listProcesses(tx),
      await listPauses(tx),
      await tenantQueueStatus(tx),
    );
    // A pause's reason may name another tenant, so only operators with an enrolled second factor see it.
    return hasEnrolledFactor(user)
      ? poolStates
      : poolStates.map((pool) => ({ ...pool, reason: null }));
  },
});

const Close = z.object({
  through_date: date
    .nullish()
    .describe(
      'The last day to close. Default: the business date. The day must be over in the time zone of the tenant, except in development.',
    ),
});

/** Plans the days here; the workers close them. A loan's whole life takes seconds. */
export const closeOfBusiness = endpoint({
  tag: 'operations',
  resource: 'jobs',
  action: 'close-of-business',
  method: 'POST',
  path: '/jobs/close-of-business',
  allow: 'superadmin',
  summary: 'Run the close of business',
  description:
    "Closes each day through `through_date` and moves the business date: accrues interest, draws autopay, charges late fees and freezes statements. Usually the workers start it when the tenant's day is over. The answer only says that it is planned. It has finished when the business date of GET /tenant/settings is after `through_date`; until then, GET /jobs/runs shows the run of each day.",
  status: 202,
  transaction: 'write',
  body: Close,
  reply: z.object({
    business_date: date.describe('The business date when the close was planned.'),
    through_date: date.describe('The last day that will be closed.'),
    run_id: uuid
      .nullable()
      .describe('The run of the first day. Null if there is nothing to close.'),
  }),
  run: async ({ work, body }) => {
    const through_date = (body as z.output<typeof Close>).through_date ?? work.today;
    await assertClosable(work, through_date);
    const run = await startClose(work, through_date);
    if (run) {
      const changes = { through_date: { old: null, new: through_date } };
      await recordAudit(work, { type: 'cob_runs', id: run.id }, 'close-of-business', changes);
    }
    return { business_date: work.today, through_date, run_id: run?.id ?? null };
  },
});
