import { z } from 'zod';
import { sql } from '../database/db.ts';
import type { Cause } from '../queue/worker-operations.ts';
import type { OwnerConnection } from '../queue/workers.ts';

/** A tenant's transaction sees that tenant's jobs; the operators' tenant and the command line see all. */
export type Seer = OwnerConnection;

export const STATES = ['waiting', 'scheduled', 'running', 'failed'] as const;
export const ACTIONS = ['retry', 'run-now', 'reschedule', 'cancel', 'discard'] as const;
export type Action = (typeof ACTIONS)[number];

/** Jobs of one state, of a kind, a tenant or a cause alone, that are in it for so many seconds at least. */
export type Match = {
  state: (typeof STATES)[number];
  kind?: string | undefined;
  tenant_id?: string | undefined;
  older_seconds?: number | undefined;
  cause?: string | undefined;
};

const Seen = z.object({
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
export type Seen = z.output<typeof Seen>;

type Page = { offset: number; limit: number };

/** The oldest first. */
export const jobs = (tx: Seer, match: Match, { offset, limit }: Page) =>
  tx.any(sql.type(Seen)`
    select * from app.seen_jobs(
      ${match.state}, ${match.kind ?? null}, ${match.tenant_id ?? null}::uuid,
      ${match.older_seconds ?? null}::integer, ${match.cause ?? null}, ${offset}::integer, ${limit}::integer
    )
  `);

const Counted = z.object({ count: z.int() });

/** How many match; of more than `most` no more is said. */
export const count = async (tx: Seer, match: Match, most: number): Promise<number> =>
  (
    await tx.one(sql.type(Counted)`
      select count(*)::integer as count from app.seen_jobs(
        ${match.state}, ${match.kind ?? null}, ${match.tenant_id ?? null}::uuid,
        ${match.older_seconds ?? null}::integer, ${match.cause ?? null}, 0, ${most}::integer
      )
    `)
  ).count;

export const job = (tx: Seer, number: string) =>
  tx.maybeOne(sql.type(Seen.extend({ state: z.enum(STATES) }))`
    select * from app.seen_job(${number}::bigint)
  `);

const Tried = z.object({ attempt: z.int(), error: z.string(), failed_at: z.string() });

/** The errors of a job's attempts, the newest first. */
export const errors = (tx: Seer, number: string) =>
  tx.any(sql.type(Tried)`select * from app.seen_errors(${number}::bigint)`);

export const Failures = z.object({
  kind: z.string(),
  cause: z.string(),
  jobs: z.int(),
  tenants: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  example: z.string(),
});

/** What failed for good and waits for somebody, by cause. */
export const causes = (tx: Seer) =>
  tx.any(sql.type(Failures)`
    select kind, cause, jobs::integer, tenants::integer, first_at, last_at, example
    from app.seen_causes()
  `);

const Changed = z.object({ changed: z.int() });

/** Does it to all of these jobs that the caller sees and that are in a state for it; answers to how many. */
export const change = async (
  tx: Seer,
  { action, numbers, at }: { action: Action; numbers: readonly string[]; at?: string | undefined },
  { who, why }: Cause,
): Promise<number> =>
  (
    await tx.one(sql.type(Changed)`
      select changed
      from app.change_jobs(
        ${action}, ${sql.array([...numbers], 'int8')}, ${at ?? null}::timestamptz, ${who}, ${why}
      ) as changed
      -- What is due now begins now; what is retried calls by itself.
      cross join app.call_workers() as called
    `)
  ).changed;
