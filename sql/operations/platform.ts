import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { ChangeReason } from '../queue/worker-operations.ts';
import type { OperationsConnection } from './jobs.ts';

const Yes = z.object({ yes: z.boolean() });

/** Whether the tenant of the transaction operates the platform. */
export const isPlatformOperator = async (tx: OperationsConnection): Promise<boolean> =>
  (await tx.one(sql.type(Yes)`select app.is_platform_operator() as yes`)).yes;

/** Makes this tenant's superadmins the platform's operators. Returns whether the tenant exists. */
export const setOperatorTenant = async (
  owner: OperationsConnection,
  slug: string,
  { who, why }: ChangeReason,
) =>
  (await owner.one(sql.type(Yes)`select app.set_operator_tenant(${slug}, ${who}, ${why}) as yes`))
    .yes;

const JobKind = z.object({
  kind: z.string(),
  waiting: z.int(),
  scheduled: z.int(),
  running: z.int(),
  failed: z.int(),
  oldest: z.string().nullable(),
  lag_seconds: z.int().nullable(),
});
export type JobKind = z.output<typeof JobKind>;

export const listJobKinds = (tx: OperationsConnection) =>
  tx.any(sql.type(JobKind)`
    select kind, waiting::integer, scheduled::integer, running::integer, failed::integer, oldest,
      extract(epoch from now() - oldest)::integer as lag_seconds
    from app.list_job_kinds()
  `);

const Quarter = z.object({
  quarter: z.string(),
  pool: z.string(),
  runs: z.int(),
  failures: z.int(),
  seconds: z.string(),
  waits: z.int().array(),
});
export type Quarter = z.output<typeof Quarter>;

/** Pool statistics per quarter of an hour; empty for anyone but operators. */
export const listQuarters = (tx: OperationsConnection, hours: number) =>
  tx.any(sql.type(Quarter)`
    select quarter, pool, runs::integer, failures::integer, seconds, waits::integer[]
    from app.list_quarters(${hours}::integer)
  `);

export const Close = z.object({
  tenant: z.string().describe('The short name of the tenant.'),
  cob_date: z.string().describe('The day that is closed.'),
  status: z.string().describe('Whether the close works, is done or needs an operator.'),
  chunks_total: z.int().describe('How many chunks of up to 10,000 loans the day has.'),
  chunks_done: z.int().describe('How many of them are done.'),
  loans: z.int().describe('How many loans have been processed.'),
  quarantined: z.int().describe('How many loans a step skipped because of an error.'),
  started_at: z.string().describe('When the close started.'),
  finished_at: z.string().nullable().describe('When the close finished. Null until then.'),
  seconds_left: z
    .int()
    .nullable()
    .describe(
      'Estimated seconds until it finishes. Null if it has finished or cannot be estimated.',
    ),
});

export const listCloses = (tx: OperationsConnection) =>
  tx.any(sql.type(Close)`select * from app.list_closes()`);

export const Receiver = z.object({
  tenant: z.string().describe('The short name of the tenant.'),
  subscription_id: z.string(),
  host: z.string().nullable().describe('The host of the receiver. Null if you may not see it.'),
  is_active: z.boolean().describe('Whether events are sent to the receiver.'),
  consecutive_failures: z.int().describe('How many deliveries in a row have failed for good.'),
  waiting: z.int().describe('How many deliveries wait for it.'),
  last_error: z
    .string()
    .nullable()
    .describe('Why the subscription was disabled. Null if it is active.'),
  disabled_at: z
    .string()
    .nullable()
    .describe('When the subscription was disabled. Null if it is active.'),
  /** The time of the first failed attempt since the last success. */
  failing_since: z
    .string()
    .nullable()
    .describe(
      'When the first attempt failed since the last success. Null if the last one succeeded.',
    ),
  is_slow: z
    .boolean()
    .describe('Whether it is throttled because its last answer took five seconds or longer.'),
});

/** Failing receivers first. */
export const listReceivers = (tx: OperationsConnection) =>
  tx.any(sql.type(Receiver)`
    select tenant, subscription_id, host, is_active, consecutive_failures, waiting::integer,
      last_error, disabled_at, failing_since, is_slow
    from app.list_receivers()
  `);

export const Tenant = z.object({
  id: z.string(),
  slug: z.string().describe('The short name of the tenant.'),
  is_active: z.boolean().describe('Whether the tenant is open.'),
});

/** The tenants whose jobs are visible: all for operators, otherwise the caller's own. */
export const listTenants = (tx: OperationsConnection) =>
  tx.any(sql.type(Tenant)`select id, slug, is_active from app.list_visible_tenants()`);

const Tick = z.object({ task: z.string(), last_at: z.string().nullable() });

export const listScheduleTicks = (tx: OperationsConnection) =>
  tx.any(sql.type(Tick)`select * from app.list_schedule_ticks()`);

export const Change = z.object({
  id: z.string(),
  done_at: z.string().describe('When the operator did it.'),
  who: z.string().describe('The email address of the operator.'),
  action: z.string().describe('What was done, such as `pause`.'),
  details: z.record(z.string(), z.unknown()).describe('What it applied to, such as the pool.'),
  why: z.string().describe('The reason that the operator gave.'),
});

export const listChanges = (tx: OperationsConnection, limit: number) =>
  tx.any(sql.type(Change)`
    select id, done_at, who, action, details, why from app.list_operations(${limit}::integer)
  `);
