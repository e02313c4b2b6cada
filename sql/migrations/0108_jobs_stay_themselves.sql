-- A job that is canceled, or whose payload is refused, stays the row that it is: with its queue, its priority, its
-- key and how often it may be tried. Retried, it runs as it would have run.

-- Ended by somebody, and not by its attempts.
alter table app.failed_jobs add column is_canceled boolean not null default false;

-- As before; what was put into the same row since then is what has failed now.
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
      set error = excluded.error, attempts = excluded.attempts, payload = excluded.payload,
        failed_at = now(), retried_at = null, told_at = null
      where failed.retried_at is not null
    returning 1
  )
  select count(*)::integer from recorded
$$;

-- Runs a failed job once more from its first attempt. One whose worker is only about to report the last one
-- is not put beside it: the report finds attempts left. A row that is gone (releases before this one deleted
-- what was canceled) is made again of what is known of it. Answers whether there was such a failure.
create or replace function app.retry_failed_job(failed_id uuid) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare failed app.failed_jobs;
begin
  update app.failed_jobs set retried_at = now(), is_canceled = false
  where id = failed_id and retried_at is null
  returning * into failed;
  if not found then return false; end if;

  update graphile_worker._private_jobs
  set attempts = 0, run_at = now(), updated_at = now()
  where id = failed.job_id;
  if not found then
    perform graphile_worker.add_job(
      identifier => failed.task, payload => failed.payload::json,
      max_attempts => greatest(failed.attempts, 2)
    );
  end if;
  return true;
end $$;

-- Does one thing to the jobs that the caller sees, all or none, and answers to how many. What a worker holds,
-- or has ended meanwhile, is left alone. A canceled job has no attempt left and is kept as a failed one: what
-- waits for it is told, and it may be retried. A discarded failure is gone, once what waits for it has been told.
create or replace function app.change_jobs(
  action text, numbers bigint[], at timestamptz, who text, why text
) returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  whose uuid := app.seen_tenant(null);
  done bigint[];
  failed record;
begin
  if action in ('run-now', 'reschedule') then
    with chosen as (
      select job.id from graphile_worker._private_jobs as job
      where job.id = any(numbers) and job.is_available and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.id for update skip locked
    ), changed as (
      update graphile_worker._private_jobs as job
      set run_at = case when action = 'run-now' then now() else at end, updated_at = now()
      from chosen where job.id = chosen.id returning job.id
    ) select array_agg(id) into done from changed;
  elsif action = 'cancel' then
    with chosen as (
      select job.id, job.attempts from graphile_worker._private_jobs as job
      where job.id = any(numbers) and job.is_available and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.id for update skip locked
    ), ended as (
      update graphile_worker._private_jobs as job
      set attempts = job.max_attempts, last_error = 'Canceled by operations.', updated_at = now()
      from chosen where job.id = chosen.id
      returning job.id, job.task_id, job.payload, chosen.attempts
    ), kept as (
      insert into app.failed_jobs (job_id, task, payload, attempts, error, is_canceled)
      select ended.id, task.identifier, ended.payload::jsonb, ended.attempts, 'Canceled by operations.', true
      from ended join graphile_worker._private_tasks as task on task.id = ended.task_id
      on conflict (job_id) do update set error = excluded.error, attempts = excluded.attempts,
        payload = excluded.payload, failed_at = now(), retried_at = null, told_at = null, is_canceled = true
      returning job_id
    ) select array_agg(job_id) into done from kept;
  elsif action = 'discard' then
    with chosen as (
      select known.id, known.job_id from app.failed_jobs as known
      where known.job_id = any(numbers) and known.retried_at is null and known.told_at is not null
        and (whose is null or known.payload ->> 'tenant_id' = whose::text)
      order by known.job_id for update skip locked
    ), gone as (
      delete from graphile_worker._private_jobs as job using chosen
      where job.id = chosen.job_id and job.locked_by is null and job.attempts >= job.max_attempts
    ), ended as (
      delete from app.failed_jobs as known using chosen where known.id = chosen.id returning known.job_id
    ) select array_agg(job_id) into done from ended;
  elsif action = 'retry' then
    for failed in
      select known.id, known.job_id from app.failed_jobs as known
      where known.job_id = any(numbers) and known.retried_at is null
        and (whose is null or known.payload ->> 'tenant_id' = whose::text)
      order by known.job_id for update skip locked
    loop
      if app.retry_failed_job(failed.id) then done := array_append(done, failed.job_id); end if;
    end loop;
  end if;
  if done is null then return 0; end if;
  perform app.note_operation(who, action || '-jobs', jsonb_build_object(
    'tenant_id', app.current_tenant(), 'count', cardinality(done), 'jobs', to_jsonb(done[1:100]), 'at', at), why);
  return cardinality(done);
end $$;

-- As before, and a failed job is told with how often it may be tried, as long as the queue has it.
create or replace function app.seen_job(wanted bigint) returns table (
  number bigint, state text, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer,
  run_at timestamptz, since timestamptz, error text
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select * from (
    select failed.job_id, 'failed', failed.task, app.tenant_of_job(failed.payload::json) as whose, failed.payload,
      failed.attempts, coalesce((
        select own.max_attempts::integer from graphile_worker._private_jobs as own where own.id = failed.job_id
      ), failed.attempts), null::timestamptz, failed.failed_at, failed.error
    from app.failed_jobs as failed
    where failed.job_id = wanted and failed.retried_at is null
    union all
    select job.id, case when job.locked_by is not null then 'running' when job.attempts >= job.max_attempts
        then 'failed' when job.run_at > now() then 'scheduled' else 'waiting' end,
      task.identifier, app.tenant_of_job(job.payload), job.payload::jsonb, job.attempts::integer,
      job.max_attempts::integer, job.run_at, coalesce(job.locked_at, job.run_at), job.last_error
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.id = wanted
  ) as job
  where app.seen_tenant(null) is null or whose = app.seen_tenant(null)::text
  limit 1
$$;
