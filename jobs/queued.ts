import type { z } from 'zod';
import type { Job } from './job.ts';
import type { Outside } from './outside.ts';

/** A job whose payload type is known to itself alone, so that all kinds fit into one list. */
export type QueuedJob = Pick<Job, 'name' | 'pool' | 'attempts'> & {
  /** The job with its payload, or what is wrong with the payload. */
  prepare(payload: unknown): { run: (outside: Outside) => Promise<void> } | { problem: z.ZodError };
};

export function queue<Payload>(declared: Job<Payload>): QueuedJob {
  const { name, pool, attempts, payload: schema, run } = declared;
  return {
    name,
    pool,
    attempts,
    prepare: (payload) => {
      const checked = schema.safeParse(payload);
      if (!checked.success) return { problem: checked.error };
      return { run: (outside) => run(checked.data, outside) };
    },
  };
}

/** Every queued job, listed once: what is missing here is never run. */
export const queued: readonly QueuedJob[] = [];
