-- A row here keeps a pool, or one kind of job, from being fetched. The running workers read it every
-- two seconds; jobs that run already are allowed to finish.
create table app.worker_pauses (
  kind text not null check (kind in ('pool', 'task')),
  name text not null,
  reason text not null default '',
  paused_at timestamptz not null default now(),
  primary key (kind, name)
);
grant select on app.worker_pauses to servicing_app, servicing_auditor;

-- The number of the session lock that a living worker holds as a sign of life.
create function app.worker_lock(pool_id text) returns bigint
  language sql immutable parallel safe
  return hashtextextended('worker:' || pool_id, 0);

-- Gives back what dead workers hold, so that it runs again, and answers who they were. Two signs are
-- needed: a silent heartbeat alone may be a stalled process, a free lock alone may be a Postgres that
-- was restarted a moment ago under a living one. Of a worker whose process is known to have ended, a
-- quarter of the silence is enough.
create function app.sweep_dead_workers(silence interval, ended text[])
  returns table (dead_pool text, unlocked_jobs bigint)
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  for dead_pool in
    select pool.pool_id from app.worker_pools as pool
    where pool.heartbeat_at < now() - silence
      or (pool.pool_id = any(ended) and pool.heartbeat_at < now() - silence / 4)
    for update skip locked
  loop
    continue when not pg_try_advisory_xact_lock(app.worker_lock(dead_pool));
    unlocked_jobs := (select count(*) from graphile_worker._private_jobs as job where job.locked_by = dead_pool);
    perform graphile_worker.force_unlock_workers(array[dead_pool]);
    delete from app.worker_pools as pool where pool.pool_id = dead_pool;
    return next;
  end loop;

  -- Died before it could sign: nobody of that name is known, and its oldest lock is a minute old.
  for dead_pool, unlocked_jobs in
    select job.locked_by, count(*) from graphile_worker._private_jobs as job
    where job.locked_by is not null
      and not exists (select from app.worker_pools as pool where pool.pool_id = job.locked_by)
    group by job.locked_by
    having min(job.locked_at) < now() - 2 * silence
  loop
    continue when not pg_try_advisory_xact_lock(app.worker_lock(dead_pool));
    perform graphile_worker.force_unlock_workers(array[dead_pool]);
    return next;
  end loop;
end $$;

-- Makes every job that has used up its attempts visible, also one whose last attempt was a kill, and
-- answers how many are new.
create function app.record_failed_jobs() returns integer
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
      set error = excluded.error, attempts = excluded.attempts, failed_at = now(), retried_at = null
      where failed.retried_at is not null
    returning 1
  )
  select count(*)::integer from recorded
$$;

-- Runs a failed job once more from its first attempt: the same job where the queue still has it,
-- otherwise one with the same payload. Answers whether there was such a failure.
create function app.retry_failed_job(failed_id uuid) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare failed app.failed_jobs;
begin
  update app.failed_jobs set retried_at = now()
  where id = failed_id and retried_at is null
  returning * into failed;
  if not found then return false; end if;

  update graphile_worker._private_jobs
  set attempts = 0, run_at = now(), updated_at = now()
  where id = failed.job_id and locked_at is null;
  if not found then
    perform graphile_worker.add_job(
      identifier => failed.task, payload => failed.payload::json,
      max_attempts => greatest(failed.attempts, 2)
    );
  end if;
  return true;
end $$;

revoke execute on function app.sweep_dead_workers, app.record_failed_jobs, app.retry_failed_job from public;
grant execute on function app.retry_failed_job to servicing_app;
