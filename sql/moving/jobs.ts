import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Text = z.object({ text: z.string() });
const Count = z.object({ count: z.int() });

export const countRunningJobs = (tx: Transaction, tenantId: string) =>
  tx.oneFirst(sql.type(Count)`
    select count(*)::integer as count from graphile_worker._private_jobs
    where payload ->> 'tenant_id' = ${tenantId} and locked_at is not null
  `);

/** The tenant's waiting jobs as lines of JSON. Jobs that failed permanently are not moved. */
export const exportWaitingJobs = (tx: Transaction, tenantId: string) =>
  tx.anyFirst(sql.type(Text)`
    select jsonb_build_object(
      'task', task.identifier, 'payload', job.payload, 'queue', queue.queue_name,
      'run_at', job.run_at, 'attempts', job.attempts, 'max_attempts', job.max_attempts,
      'priority', job.priority, 'key', job.key, 'last_error', job.last_error
    )::text as text
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    left join graphile_worker._private_job_queues as queue on queue.id = job.job_queue_id
    where job.payload ->> 'tenant_id' = ${tenantId} and job.attempts < job.max_attempts
    order by job.id
  `);

/** Jobs of any tenant with one of these keys. Importing a job with the same key would replace them. */
export const findExistingJobKeys = (tx: Transaction, keys: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ key: z.string() }))`
    select key from graphile_worker._private_jobs where key = any(${sql.array([...keys], 'text')})
  `);

const Added = z.object({ id: z.string() });

export async function restoreJobs(tx: Transaction, lines: readonly string[]) {
  const batch = `[${lines.join(',')}]`;
  const ids = await tx.anyFirst(sql.type(Added)`
    select (graphile_worker.add_job(
      identifier => job.task, payload => job.payload, queue_name => job.queue, run_at => job.run_at,
      max_attempts => job.max_attempts, job_key => job.key, priority => job.priority
    )).id
    from jsonb_array_elements(${batch}::jsonb) with ordinality as line (job, place)
    cross join lateral jsonb_to_record(line.job) as job (
      task text, payload json, queue text, run_at timestamptz, max_attempts integer, key text,
      priority integer)
    order by line.place
  `);
  await tx.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs as job
    set attempts = known.attempts, last_error = known.last_error
    from unnest(${sql.array([...ids], 'text')}) with ordinality as added (id, place)
    join jsonb_array_elements(${batch}::jsonb) with ordinality as line (job, place) using (place)
    cross join lateral jsonb_to_record(line.job) as known (attempts smallint, last_error text)
    where job.id = added.id::bigint
  `);
}
