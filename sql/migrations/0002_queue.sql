-- The application may enqueue, and look at the queue, and nothing else of it: the queue's own tables
-- belong to the owner, as which the workers fetch jobs.
create function app.add_job(
  identifier text, payload json, run_at timestamptz, max_attempts integer, job_key text
) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select graphile_worker.add_job(
    identifier => identifier, payload => payload, run_at => run_at,
    max_attempts => max_attempts, job_key => job_key
  )
$$;

-- Many jobs of one kind in one statement; keys[i] may be null.
create function app.add_jobs(
  identifier text, payloads json[], run_at timestamptz, max_attempts integer, keys text[]
) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select from graphile_worker.add_jobs(array(
    select row(
      identifier, item.payload, null, add_jobs.run_at, add_jobs.max_attempts, item.key, 0, null
    )::graphile_worker.job_spec
    from unnest(payloads, keys) as item (payload, key)
  ))
$$;

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

-- Every running worker process signs here; a pool that stopped signing, and whose lock is free, is dead.
create table app.worker_pools (
  pool_id text primary key,
  name text not null,
  host text not null,
  pid integer not null,
  started_at timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
);

-- Runs, so that people see what each kind of job costs, and failures for good, which are never silent.
create table app.job_runs (
  task text not null,
  pool text not null,
  day date not null default current_date,
  runs bigint not null default 0,
  failures bigint not null default 0,
  seconds numeric(14, 3) not null default 0,
  primary key (task, pool, day)
);

create table app.failed_jobs (
  id uuid primary key default uuidv7(),
  job_id bigint not null unique,
  task text not null,
  payload jsonb not null,
  attempts integer not null,
  error text not null,
  failed_at timestamptz not null default now(),
  retried_at timestamptz
);
grant select on app.worker_pools, app.job_runs, app.failed_jobs to servicing_app, servicing_auditor;
