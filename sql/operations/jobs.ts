import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { ChangeReason } from '../queue/worker-operations.ts';
import type { OwnerConnection } from '../queue/workers.ts';

/**
 * A tenant's transaction sees that tenant's jobs. The operators' tenant and the command line see all jobs.
 */
export type OperationsConnection = OwnerConnection;

export const JOB_STATES = ['waiting', 'scheduled', 'running', 'failed'] as const;
export const JOB_ACTIONS = ['retry', 'run-now', 'reschedule', 'cancel', 'discard'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** Filters jobs by state, kind, tenant or cause, and by the minimum seconds in that state. */
export type JobFilter = {
  state: (typeof JOB_STATES)[number];
  kind?: string | undefined;
  tenant_id?: string | undefined;
  older_seconds?: number | undefined;
  cause?: string | undefined;
};

const ListedJob = z.object({
  number: z.string(),
  kind: z.string(),
  tenant_id: z.string(),
  payload: z.record(z.string(), z.unknown()).catch({}),
  attempts: z.int(),
  max_attempts: z.int(),
  run_at: z.string().nullable(),
  since: z.string(),
  error: z.string().nullable(),
});
export type ListedJob = z.output<typeof ListedJob>;

type Page = { offset: number; limit: number };

export const listJobs = (tx: OperationsConnection, match: JobFilter, { offset, limit }: Page) =>
  tx.any(sql.type(ListedJob)`
    select * from app.list_jobs(
      ${match.state}, ${match.kind ?? null}, ${match.tenant_id ?? null}::uuid,
      ${match.older_seconds ?? null}::integer, ${match.cause ?? null}, ${offset}::integer, ${limit}::integer
    )
  `);

const Counted = z.object({ count: z.int() });

/** How many jobs match, counted up to `most`. */
export const countJobs = async (
  tx: OperationsConnection,
  match: JobFilter,
  most: number,
): Promise<number> =>
  (
    await tx.one(sql.type(Counted)`
      select count(*)::integer as count from app.list_jobs(
        ${match.state}, ${match.kind ?? null}, ${match.tenant_id ?? null}::uuid,
        ${match.older_seconds ?? null}::integer, ${match.cause ?? null}, 0, ${most}::integer
      )
    `)
  ).count;

export const findJob = (tx: OperationsConnection, number: string) =>
  tx.maybeOne(sql.type(ListedJob.extend({ state: z.enum(JOB_STATES) }))`
    select * from app.find_job(${number}::bigint)
  `);

const FailedAttempt = z.object({ attempt: z.int(), error: z.string(), failed_at: z.string() });

export const listAttemptErrors = (tx: OperationsConnection, number: string) =>
  tx.any(sql.type(FailedAttempt)`select * from app.list_attempt_errors(${number}::bigint)`);

export const FailureGroup = z.object({
  kind: z.string().describe('The kind of job.'),
  cause: z.string().describe('The error, with # in place of numbers.'),
  jobs: z.int().describe('How many jobs failed for this cause.'),
  tenants: z.int().describe('How many tenants are affected.'),
  first_at: z.string().describe('When the first of them failed.'),
  last_at: z.string().describe('When the newest of them failed.'),
  example: z.string().describe('The error of one of the jobs.'),
});

/** Permanently failed jobs that wait for a person, grouped by cause. */
export const listFailureGroups = (tx: OperationsConnection) =>
  tx.any(sql.type(FailureGroup)`
    select kind, cause, jobs::integer, tenants::integer, first_at, last_at, example
    from app.list_failure_causes()
  `);

const Changed = z.object({ changed: z.int() });

/**
 * Applies the change to the given jobs that the caller sees and whose state allows it. Returns their
 * number.
 */
export const changeJobs = async (
  tx: OperationsConnection,
  {
    action,
    numbers,
    at,
  }: { action: JobAction; numbers: readonly string[]; at?: string | undefined },
  { who, why }: ChangeReason,
): Promise<number> =>
  (
    await tx.one(sql.type(Changed)`
      select changed
      from app.change_jobs(
        ${action}, ${sql.array([...numbers], 'int8')}, ${at ?? null}::timestamptz, ${who}, ${why}
      ) as changed
      -- Wakes the workers for due jobs; a retry wakes them itself.
      cross join app.wake_workers() as called
    `)
  ).changed;
