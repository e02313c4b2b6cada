import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { sql } from '../database/db.ts';

/**
 * Enqueues the scheduled job for that minute unless it was enqueued already, by this or another process.
 * Returns whether it was enqueued now.
 */
export const enqueueScheduledJob = (
  owner: DatabasePool,
  task: string,
  minute: Date,
  maxAttempts: number,
) =>
  owner.oneFirst(sql.type(z.object({ tick_schedule: z.boolean() }))`
    select app.tick_schedule(${task}, ${minute.toISOString()}::timestamptz, ${maxAttempts}::integer)
  `);

/** Seconds since the most overdue close of any tenant was due; 0 if none is overdue. */
export const closeOverdueSeconds = async (owner: DatabasePool) =>
  Number(
    await owner.oneFirst(sql.type(z.object({ seconds: z.string() }))`
      select app.close_overdue_seconds()::text as seconds
    `),
  );
