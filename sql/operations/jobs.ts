import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { ChangeReason } from '../queue/worker-operations.ts';
import type { OwnerConnection } from '../queue/workers.ts';

/** A tenant's transaction sees that tenant's jobs; the operators' tenant and the command line see all. */
export type OperationsConnection = OwnerConnection;

export const JOB_STATES = ['waiting', 'scheduled', 'running', 'failed'] as const;
export const JOB_ACTIONS = ['retry', 'run-now', 'reschedule', 'cancel', 'discard'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** Jobs of one state, of a kind, a tenant or a cause alone, that are in it for so many seconds at least. */
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

/** The oldest first. */
export const listJobs = (tx: OperationsConnection, match: JobFilter, { offset, limit }: Page) =>
  tx.any(sql.type(ListedJob)`
    select * from app.list_jobs(
      ${match.state}, ${match.kind ?? null}, ${match.tenant_id ?? null}::uuid,
      ${match.older_seconds ?? null}::integer, ${match.cause ?? null}, ${offset}::integer, ${limit}::integer
    )
  `);

const Counted = z.object({ count: z.int() });

/** How many match; of more than `most` no more is said. */
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

const Tried = z.object({ attempt: z.int(), error: z.string(), failed_at: z.string() });

/** The errors of a job's attempts, the newest first. */
export const listAttemptErrors = (tx: OperationsConnection, number: string) =>
  tx.any(sql.type(Tried)`select * from app.list_attempt_errors(${number}::bigint)`);

export const FailureGroup = z.object({
  kind: z.string(),
  cause: z.string(),
  jobs: z.int(),
  tenants: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  example: z.string(),
});

/** What failed for good and waits for somebody, by cause. */
export const listFailureGroups = (tx: OperationsConnection) =>
  tx.any(sql.type(FailureGroup)`
    select kind, cause, jobs::integer, tenants::integer, first_at, last_at, example
    from app.list_failure_causes()
  `);

const Changed = z.object({ changed: z.int() });

/** Does it to all of these jobs that the caller sees and that are in a state for it; answers to how many. */
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
      -- What is due now begins now; what is retried calls by itself.
      cross join app.wake_workers() as called
    `)
  ).changed;
