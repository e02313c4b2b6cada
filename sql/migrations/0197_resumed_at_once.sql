-- What is resumed or asked for again begins at once: workers look by themselves once a second, and are called here
-- as the queue calls them for a new job. The words are the same each time, so that a thousand jobs that are retried
-- in one transaction call once; whoever is called fetches into all its free slots.
create function app.call_workers() returns void
  language sql
as $$ select pg_notify('jobs:insert', '{"count":1}') $$;

create or replace function app.resume_work(pool text, task text, tenant_id uuid, who text, why text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform app.assert_sees_all();
  delete from app.pauses as pause
  where pause.pool is not distinct from resume_work.pool
    and pause.task is not distinct from resume_work.task
    and pause.tenant_id is not distinct from resume_work.tenant_id;
  if not found then return false; end if;
  perform app.note_operation(
    who, 'resume', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why);
  perform app.call_workers();
  return true;
end $$;

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
  if found then
    perform app.call_workers();
  else
    perform graphile_worker.add_job(
      identifier => failed.task, payload => failed.payload::json,
      max_attempts => greatest(failed.attempts, 2)
    );
  end if;
  return true;
end $$;
