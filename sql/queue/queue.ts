import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';

export type QueuedJob = {
  name: string;
  payload: Record<string, unknown>;
  attempts: number;
  runAt?: Date | undefined;
  key?: string | undefined;
};

/** Adds a job in the caller's transaction. The job exists only if the transaction commits. */
export async function addJob(tx: Transaction, { name, payload, attempts, runAt, key }: QueuedJob) {
  await tx.query(
    deferred(sql.typeAlias('void')`
    select app.add_job(
      identifier   => ${name},
      payload      => ${JSON.stringify(payload)}::json,
      run_at       => ${runAt?.toISOString() ?? null}::timestamptz,
      max_attempts => ${attempts}::integer,
      job_key      => ${key ?? null}
    )
  `),
  );
}

export async function addJobs(
  tx: Transaction,
  name: string,
  attempts: number,
  jobs: Pick<QueuedJob, 'payload' | 'key'>[],
) {
  if (jobs.length === 0) return;
  await tx.query(
    deferred(sql.typeAlias('void')`
    select app.add_jobs(
      identifier   => ${name},
      payloads     => ${sql.array(
        jobs.map(({ payload }) => JSON.stringify(payload)),
        'text',
      )}::json[],
      run_at       => now(),
      max_attempts => ${attempts}::integer,
      keys         => ${sql.array(
        jobs.map(({ key }) => key ?? null),
        'text',
      )}
    )
  `),
  );
}

const TaskStatus = z.object({
  task: z.string(),
  ready: z.string(),
  scheduled: z.string(),
  running: z.string(),
  failed: z.string(),
  oldest_ready: z.string().nullable(),
});

export const tenantQueueStatus = (tx: Transaction) =>
  tx.any(sql.type(TaskStatus)`select * from app.tenant_queue_status()`);

/** The numbers of waiting, running and permanently failed jobs of each kind. */
export const queueStatus = (tx: Transaction) =>
  tx.any(sql.type(TaskStatus)`select * from app.queue_status()`);
