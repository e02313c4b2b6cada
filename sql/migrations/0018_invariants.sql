-- What may not be in the queue, for the auditor, who sees nothing else of it. Whoever holds a job for a
-- minute signs as a worker, and a failure for good is recorded within as much.
create function app.queue_faults()
  returns table (rule text, subject text, message text)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select 'jobs are held by living workers', job.id::text,
    format('Job %s (%s) is held by %s, which is not alive.', job.id, task.identifier, job.locked_by)
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  left join app.worker_pools as pool on pool.pool_id = job.locked_by
  where job.locked_at < now() - interval '1 minute'
    and coalesce(pool.heartbeat_at, '-infinity') < now() - interval '1 minute'
  union all
  select 'failed jobs are visible', job.id::text,
    format('Job %s (%s) failed for good, and no record says so.', job.id, task.identifier)
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  where job.attempts >= job.max_attempts and job.locked_at is null
    and job.updated_at < now() - interval '1 minute'
    and not exists (
      select from app.failed_jobs as failed where failed.job_id = job.id and failed.retried_at is null
    )
  union all
  select 'scheduled deliveries have their job', delivery.id::text,
    format('Delivery %s is scheduled for %s, and no job will make it.', delivery.id, delivery.next_attempt_at)
  from webhook_deliveries as delivery
  where delivery.status = 'scheduled' and not exists (
    select from graphile_worker._private_jobs as job
    where job.key = format('deliver-webhook:%s:%s', delivery.id, delivery.attempt)
  )
$$;
revoke execute on function app.queue_faults from public;
grant execute on function app.queue_faults to servicing_auditor;
