-- What announced documents have left behind is found by their links' end; after that it is cleared.
create index documents_links on documents (tenant_id, expires_at)
  where expires_at is not null and status <> 'expired';

-- A job that failed for good is told to the record that waits for it, once for each time it fails.
alter table app.failed_jobs add column told_at timestamptz;
create index failed_jobs_untold on app.failed_jobs (failed_at) where told_at is null;

create or replace function app.record_failed_jobs() returns integer
  language sql security definer set search_path = public, pg_temp
as $$
  with recorded as (
    insert into app.failed_jobs as failed (job_id, task, payload, attempts, error)
    select job.id, task.identifier, job.payload, job.attempts,
      coalesce(job.last_error, 'The worker died during the last attempt.')
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.attempts >= job.max_attempts and job.locked_at is null
    on conflict (job_id) do update
      set error = excluded.error, attempts = excluded.attempts, failed_at = now(),
        retried_at = null, told_at = null
      where failed.retried_at is not null
    returning 1
  )
  select count(*)::integer from recorded
$$;

-- How the running tenant's own jobs stand; of the other tenants' nothing is said.
create function app.own_queue_status()
  returns table (
    task text, ready bigint, scheduled bigint, running bigint, failed bigint, oldest_ready timestamptz
  )
  language sql stable security definer set search_path = public, pg_temp
as $$
  select task.identifier,
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now()),
    count(*) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at > now()),
    count(*) filter (where job.locked_at is not null),
    count(*) filter (where job.attempts >= job.max_attempts and job.locked_at is null),
    min(job.run_at) filter (where job.locked_at is null and job.attempts < job.max_attempts and job.run_at <= now())
  from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  where job.payload ->> 'tenant_id' = app.current_tenant()::text
  group by task.identifier
  order by task.identifier
$$;
revoke execute on function app.own_queue_status from public;
grant execute on function app.own_queue_status to servicing_app;

alter table loan_tapes add column failure_reason text;
alter table loan_tapes drop constraint loan_tapes_status_check;
alter table loan_tapes add constraint loan_tapes_status_check
  check (status in ('pending', 'completed', 'failed'));
