-- The job queue. Its own tables (schema graphile_worker) belong to the queue library and to servicing_owner.
-- The application may only enqueue; servicing_worker fetches and finishes jobs.
grant usage on schema graphile_worker to servicing_worker;
grant select, insert, update, delete on all tables in schema graphile_worker to servicing_worker;
grant usage on all sequences in schema graphile_worker to servicing_worker;
-- The library enables row-level security on its tables without policies, which would hide all rows from a worker.
do $$ declare target regclass; begin
  for target in
    select oid from pg_class
    where relnamespace = 'graphile_worker'::regnamespace and relkind = 'r' and relrowsecurity
  loop
    execute format('create policy worker on %s to servicing_worker using (true) with check (true)', target);
  end loop;
end $$;

-- Every running worker process registers here. A process whose heartbeat stopped and whose lock is free is dead.
create table app.worker_pools (
  pool_id text primary key,
  name text not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now(),
  -- The number of jobs that the process runs concurrently.
  slots integer
);
grant select on app.worker_pools to servicing_app, servicing_auditor;
grant select, insert, update, delete on app.worker_pools to servicing_worker;

-- Concurrent jobs in each process of a pool or sub-pool. Without a row, the setting with which the process
-- started applies.
create table app.pool_slots (
  pool text primary key,
  slots integer not null check (slots between 1 and 200),
  set_by text not null,
  set_at timestamptz not null default now()
);
grant select on app.pool_slots to servicing_app, servicing_worker, servicing_auditor;

-- Kinds of jobs with their own processes, such as documents:letters. A kind belongs to at most one
-- sub-pool.
create table app.sub_pools (
  task text primary key,
  name text not null check (name ~ '^[a-z]{1,20}:[a-z0-9-]{1,30}$')
);
create index sub_pools_name on app.sub_pools (name);
grant select on app.sub_pools to servicing_app, servicing_worker, servicing_auditor;

-- Jobs that match every non-null column of a row are not started. Running jobs finish, and no attempt is used.
create table app.pauses (
  id uuid primary key default uuidv7(),
  pool text,
  task text,
  tenant_id uuid constraint pauses_tenant_id_tenant_id_fkey references public.tenants (id),
  paused_by text not null,
  paused_at timestamptz not null default now(),
  reason text not null,
  check (num_nonnulls(pool, task, tenant_id) > 0),
  unique nulls not distinct (pool, task, tenant_id)
);
grant select on app.pauses to servicing_app, servicing_worker, servicing_auditor;

-- The cost of each kind of job, per pool and day.
create table app.job_runs (
  task text not null,
  pool text not null,
  day date not null default current_date,
  runs bigint not null default 0,
  failures bigint not null default 0,
  seconds numeric(14, 3) not null default 0,
  primary key (task, pool, day)
);
grant select on app.job_runs to servicing_app, servicing_auditor;
grant select, insert, update, delete on app.job_runs to servicing_worker;

-- Statistics of each kind of job per quarter of an hour, kept for 8 days. `waits` is a histogram of the time that
-- due jobs waited for a worker; jobs/operations/wait-histogram.ts defines its bounds.
create table app.job_quarters (
  task text not null,
  pool text not null,
  quarter timestamptz not null,
  runs bigint not null,
  failures bigint not null,
  seconds numeric(14,3) not null,
  waits bigint[] not null,
  primary key (quarter, task, pool)
);
grant select, insert, update, delete on app.job_quarters to servicing_worker;
grant select on app.job_quarters to servicing_auditor;

-- Every error of every attempt, kept for 14 days. The queue itself keeps only the last error of each job.
create table app.job_errors (
  id uuid primary key default uuidv7(),
  job_id bigint not null,
  task text not null,
  tenant_id uuid,
  attempt integer not null,
  error text not null check (length(error) <= 2000),
  failed_at timestamptz not null default now()
);
create index job_errors_of_job on app.job_errors (job_id, failed_at);
create index job_errors_oldest on app.job_errors (failed_at);
grant select, insert, update, delete on app.job_errors to servicing_worker;
grant select on app.job_errors to servicing_auditor;

-- Jobs that exhausted their attempts or were canceled.
create table app.failed_jobs (
  id uuid primary key default uuidv7(),
  job_id bigint not null unique,
  task text not null,
  payload jsonb not null,
  attempts integer not null,
  error text not null,
  failed_at timestamptz not null default now(),
  retried_at timestamptz,
  -- When the job's dependent record was marked as failed.
  handled_at timestamptz,
  -- An operator canceled the job before it used up its attempts. Its row stays in the queue with its
  -- priority and key, so a retry runs it unchanged.
  is_canceled boolean not null default false
);
create index failed_jobs_unhandled on app.failed_jobs (failed_at) where handled_at is null;
create index failed_jobs_open on app.failed_jobs (failed_at, job_id) where retried_at is null;
grant select on app.failed_jobs to servicing_app, servicing_auditor;
grant select, insert, update, delete on app.failed_jobs to servicing_worker;

-- Adds the current request's id to a job's payload.
create function app.with_request_id(payload json) returns json
language sql stable parallel safe
return case
  when app.current_request() is null then payload
  else (payload::jsonb || jsonb_build_object('request_id', app.current_request()))::json
end;

-- The only way for the application to enqueue a job.
create function app.add_job(
  identifier text, payload json, run_at timestamptz, max_attempts integer, job_key text
) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select graphile_worker.add_job(
    identifier => identifier, payload => app.with_request_id(payload), run_at => run_at,
    max_attempts => max_attempts, job_key => job_key
  )
$$;

-- Enqueues many jobs of one kind in one statement. keys[i] may be null.
create function app.add_jobs(
  identifier text, payloads json[], run_at timestamptz, max_attempts integer, keys text[]
) returns void
language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select row(
      identifier, app.with_request_id(item.payload), null, add_jobs.run_at, add_jobs.max_attempts,
      item.key, 0, null
    )::graphile_worker.job_spec
    from unnest(payloads, keys) as item (payload, key)
  ))
$$;

-- Wakes the workers, which otherwise look for jobs once a second. The payload is constant, so that Postgres sends
-- one notification per transaction, even after thousands of retried jobs.
create function app.wake_workers() returns void
  language sql
as $$ select pg_notify('jobs:insert', '{"count":1}') $$;

-- Numbers of all jobs, by kind and state.
create function app.queue_status()
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
  group by task.identifier
  order by task.identifier
$$;
revoke execute on function app.queue_status from public;
grant execute on function app.queue_status to servicing_auditor, servicing_worker;

-- Numbers of the current tenant's jobs, by kind and state.
create function app.tenant_queue_status()
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
revoke execute on function app.tenant_queue_status from public;
grant execute on function app.tenant_queue_status to servicing_app;

-- The number of jobs that wait for a pool, for an autoscaler whose login can read nothing else. Paused jobs
-- and jobs of inactive tenants do not count, because more processes would not run them.
create function public.queue_depth(pool text, kinds text[]) returns bigint
  language sql stable security definer set search_path = public, pg_temp
as $$
  select count(*) from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  left join app.sub_pools as sub_pool on sub_pool.task = task.identifier
  where task.identifier = any(kinds) and job.attempts < job.max_attempts and job.run_at <= now()
    and (job.locked_by is not null or not exists (
      select from app.pauses as pause
      where (pause.pool is null or pause.pool in (queue_depth.pool, sub_pool.name))
        and (pause.task is null or pause.task = task.identifier)
        and (pause.tenant_id is null or pause.tenant_id::text = app.tenant_of_job(job.payload))
    ) and app.tenant_of_job(job.payload) not in (
      select tenants.id::text from tenants where not tenants.is_active
    ))
$$;

-- Jobs that must not exist, for the invariants check. A worker that holds a job for a minute must be registered,
-- and a job that exhausted its attempts must be recorded within a minute.
create function app.queue_violations()
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
revoke execute on function app.queue_violations from public;
grant execute on function app.queue_violations to servicing_auditor;

-- The tenant id in a job's payload, or an empty string for jobs of the platform.
create function app.tenant_of_job(payload json) returns text
  language sql immutable parallel safe
  return coalesce(left(payload ->> 'tenant_id', 36), '');
revoke execute on function app.tenant_of_job from public;
grant execute on function app.tenant_of_job to servicing_app, servicing_worker;

-- Indexes on the queue library's own table, for app.take_jobs: jobs by tenant, jobs of named queues (in which one job
-- runs at a time), and running jobs.
create index jobs_of_tenants on graphile_worker._private_jobs
  (task_id, app.tenant_of_job(payload), priority, run_at) where is_available and job_queue_id is null;
create index jobs_in_queues on graphile_worker._private_jobs
  (job_queue_id, priority, run_at) where is_available and job_queue_id is not null;
create index jobs_running on graphile_worker._private_jobs (locked_by) where locked_by is not null;

-- The number of the session lock that a live worker process holds.
create function app.worker_lock(pool_id text) returns bigint
  language sql immutable parallel safe
  return hashtextextended('worker:' || pool_id, 0);

-- Returns the jobs of dead workers to the queue, and returns the names of these workers. A worker is dead
-- when its heartbeat is silent and its lock is free. A silent heartbeat alone may be a stalled process, and
-- a free lock alone may follow a restart of Postgres. If the process is known to have ended, a quarter of
-- the silence is enough.
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

  -- Workers that died before they registered: their name is unknown, and their oldest lock is a minute old.
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
revoke execute on function app.sweep_dead_workers from public;
grant execute on function app.sweep_dead_workers to servicing_worker;

-- Records jobs that exhausted their attempts. If the same job failed before, its record describes the latest
-- failure.
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
      set error = excluded.error, attempts = excluded.attempts, payload = excluded.payload,
        failed_at = now(), retried_at = null, handled_at = null
      where failed.retried_at is not null
    returning 1
  )
  select count(*)::integer from recorded
$$;
revoke execute on function app.record_failed_jobs from public;
grant execute on function app.record_failed_jobs to servicing_worker;

-- Runs a failed job again from its first attempt. If a worker is about to report the last attempt, that
-- report finds attempts left and changes nothing. If the job's row is gone, it is created again from the
-- record. Returns whether the failure existed.
create function app.retry_failed_job(failed_id uuid) returns boolean
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
    perform app.wake_workers();
  else
    perform graphile_worker.add_job(
      identifier => failed.task, payload => failed.payload::json,
      max_attempts => greatest(failed.attempts, 2)
    );
  end if;
  return true;
end $$;
revoke execute on function app.retry_failed_job from public;
grant execute on function app.retry_failed_job to servicing_worker;

-- The kinds of jobs that a worker fetches: those of its sub-pool, or for a pool all kinds except those whose
-- sub-pool has a living process.
create function app.kinds_for(worker text, task_ids integer[])
  returns table (id integer, task text, sub_pool text)
  language sql stable rows 10 security definer set search_path = public, pg_temp
as $$
  select task.id, task.identifier, sub_pool.name
  from graphile_worker._private_tasks as task
  left join app.sub_pools as sub_pool on sub_pool.task = task.identifier
  where task.id = any(task_ids)
    and case when worker like '%:%' then sub_pool.name = worker
      else sub_pool.name is null or not exists (
        select from app.worker_pools as other
        where other.name = sub_pool.name and other.heartbeat_at > now() - interval '30 seconds')
      end
$$;
revoke execute on function app.kinds_for from public;
grant execute on function app.kinds_for to servicing_worker;

-- Fetches due jobs for a worker. The queue library's own statement takes the oldest jobs and walks past
-- those that it must not take. This one goes from tenant to tenant by an index, so its cost depends on the
-- number of tenants and kinds with waiting jobs, and tenants get equal shares.
create function app.take_jobs(worker_id text, worker text, task_ids integer[], wanted integer)
  returns setof graphile_worker._private_jobs
  language plpgsql security definer set search_path = public, pg_temp
  -- Fixed plan settings: the planner overestimates the rows and would otherwise compile or re-plan a query that
  -- reads a dozen. A plan made while the queue was empty must not become a sequential scan.
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $$
declare own_pool text := split_part(worker, ':', 1);
begin
  perform pg_advisory_xact_lock(hashtextextended('fetch:' || own_pool, 0));
  return query
    with recursive
    kind as materialized (select * from app.kinds_for(worker, task_ids)),
    -- Each tenant of each kind, found by jumping from one to the next in the index.
    line (task_id, tenant) as (
      select kind.id, (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1)
      from kind
      union all
      select line.task_id, (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
          and app.tenant_of_job(job.payload) > line.tenant
        order by app.tenant_of_job(job.payload) limit 1)
      from line where line.tenant is not null
    ),
    -- Paused jobs: all of a kind, or those of one tenant.
    closed as materialized (
      select kind.id as task_id, pause.tenant_id::text as tenant
      from app.pauses as pause
      join kind on (pause.pool is null or pause.pool in (own_pool, kind.sub_pool))
        and (pause.task is null or pause.task = kind.task)
      union all
      select kind.id, tenants.id::text from tenants cross join kind where not tenants.is_active
    ),
    open_line as materialized (
      select line.task_id, line.tenant from line
      -- A tenant whose jobs are all scheduled for later takes no share of the fetch.
      cross join lateral (
        select from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
          and app.tenant_of_job(job.payload) = line.tenant and job.run_at <= now()
        order by job.priority, job.run_at limit 1
      ) as due
      where line.tenant is not null
        and not exists (
          select from closed
          where closed.task_id = line.task_id and (closed.tenant is null or closed.tenant = line.tenant))
    ),
    -- The first job of each named queue in which no job is running.
    queued as (
      select job.*
      from graphile_worker._private_job_queues as queue
      cross join lateral (
        select job.id, job.task_id, app.tenant_of_job(job.payload) as tenant, job.priority, job.run_at
        from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id = queue.id and job.run_at <= now()
          and job.task_id in (select kind.id from kind)
          and not exists (
            select from closed
            where closed.task_id = job.task_id
              and (closed.tenant is null or closed.tenant = app.tenant_of_job(job.payload)))
        order by job.priority, job.run_at limit 1
      ) as job
      where queue.is_available
    ),
    free as (
      select job.id, open_line.task_id, open_line.tenant, job.priority, job.run_at
      from open_line
      cross join lateral (
        select job.id, job.priority, job.run_at from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = open_line.task_id
          and app.tenant_of_job(job.payload) = open_line.tenant and job.run_at <= now()
        order by job.priority, job.run_at
        limit ceil(wanted::numeric / (select count(*) from open_line))
      ) as job
    ),
    busy as materialized (
      select job.task_id, app.tenant_of_job(job.payload) as tenant, count(*) as jobs
      from graphile_worker._private_jobs as job
      where job.locked_by is not null and job.task_id = any(task_ids)
      group by 1, 2
    ),
    busy_tenant as (select busy.tenant, sum(busy.jobs) as jobs from busy group by 1),
    head as (
      select job.id, job.priority, random() as lot, job.tenant,
        coalesce(busy.jobs, 0) + row_number() over (
          partition by job.task_id, job.tenant order by job.priority, job.run_at
        ) as turn_of_kind
      from (select * from free union all select * from queued) as job
      left join busy on busy.task_id = job.task_id and busy.tenant = job.tenant
    ),
    turn as (
      select head.id, head.priority, head.lot,
        coalesce(busy_tenant.jobs, 0) + row_number() over (
          partition by head.tenant order by head.priority, head.turn_of_kind, head.lot
        ) as turn_of_tenant
      from head left join busy_tenant on busy_tenant.tenant = head.tenant
    ),
    -- Skips jobs that another transaction is changing.
    taken as (
      select job.id, job.job_queue_id
      from (select turn.id from turn order by turn.priority, turn.turn_of_tenant, turn.lot) as next
      cross join lateral (
        select waiting.id, waiting.job_queue_id from graphile_worker._private_jobs as waiting
        where waiting.id = next.id and waiting.is_available
        for update skip locked
      ) as job
      limit wanted
    ),
    held as (
      update graphile_worker._private_job_queues as queue
      set locked_by = worker_id, locked_at = now()
      from taken where queue.id = taken.job_queue_id and queue.is_available
      returning queue.id
    )
    update graphile_worker._private_jobs as job
    set attempts = job.attempts + 1, locked_by = worker_id, locked_at = now()
    where job.id = any(array(
      select taken.id from taken
      where taken.job_queue_id is null or taken.job_queue_id in (select held.id from held)))
    returning job.*;
end $$;
revoke execute on function app.take_jobs from public;
grant execute on function app.take_jobs to servicing_worker;
