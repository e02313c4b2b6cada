import type { DatabasePool } from 'slonik';
import { z } from 'zod';
import { sql } from '../database/db.ts';

/**
 * Enqueues the scheduled job for that minute, unless this or another process has already enqueued it.
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

/** Seconds by which the most overdue close of any tenant is late; 0 if none is. */
export const closeOverdueSeconds = async (owner: DatabasePool) =>
  Number(
    await owner.oneFirst(sql.type(z.object({ seconds: z.string() }))`
      select app.close_overdue_seconds()::text as seconds
    `),
  );
