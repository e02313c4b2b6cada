-- What operations see of the work, and do to single jobs. A tenant's superadmin sees that tenant's jobs;
-- superadmins of the operators' tenant see all. The functions decide it, whatever their caller asks for.

-- The tenant whose superadmins operate the whole platform. Named on the command line alone.
create table app.operators (
  tenant_id uuid primary key references public.tenants (id),
  named_at timestamptz not null default now()
);

-- Every error of every attempt, for 14 days: the queue itself keeps the last one of each job.
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

-- What each kind of job came to in each quarter of an hour, for 8 days. `waits` counts how long jobs that
-- were due waited for a worker, by the bounds that are said in jobs/operations/waits.ts.
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
grant select on app.operators, app.job_errors, app.job_quarters
  to servicing_app, servicing_worker, servicing_auditor;
grant insert, update, delete on app.job_errors, app.job_quarters to servicing_worker;
-- The quarters say nothing of whose jobs they were, and yet are for operators alone.
revoke select on app.job_errors, app.job_quarters from servicing_app;

-- Who is not within a tenant sees all if it is a worker or the command line, and else nothing.
create function app.sees_all() returns boolean
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when app.current_tenant() is null then pg_has_role(session_user, 'servicing_worker', 'member')
    else exists (select from app.operators where tenant_id = app.current_tenant()) end
$$;

-- The tenant whose jobs are asked for, null for those of all; nobody gets another's by naming it.
create function app.seen_tenant(wanted uuid) returns uuid
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when app.sees_all() then wanted
    else coalesce(app.current_tenant(), '00000000-0000-0000-0000-000000000000') end
$$;

create function app.name_operators(tenant_slug text, who text, why text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare named uuid := (select id from tenants where slug = tenant_slug);
begin
  if named is null then return false; end if;
  delete from app.operators where tenant_id <> named;
  insert into app.operators (tenant_id) values (named) on conflict do nothing;
  perform app.note_operation(who, 'operators', jsonb_build_object('tenant_id', named), why);
  return true;
end $$;

-- The message without what tells one failure from another, so that one cause is one line.
create function app.cause_of(error text) returns text
  language sql immutable parallel safe
  return regexp_replace(left(error, 300),
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]+', '#', 'g');

-- Each tenant of each kind with jobs that no worker holds, by jumping in the index; '' is the platform's own.
create function app.waiting_lines(task text, tenant uuid)
  returns table (task_id integer, kind text, line text)
  language sql stable rows 100 security definer set search_path = public, pg_temp
as $$
  with recursive
  kind as (
    select id, identifier from graphile_worker._private_tasks
    where waiting_lines.task is null or identifier = waiting_lines.task
  ),
  line (task_id, kind, tenant) as (
    select kind.id, kind.identifier, case when waiting_lines.tenant is not null then waiting_lines.tenant::text
      else (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1) end
    from kind
    union all
    select line.task_id, line.kind, (
      select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
      where job.is_available and job.task_id = line.task_id
        and app.tenant_of_job(job.payload) > line.tenant
      order by app.tenant_of_job(job.payload) limit 1)
    from line where line.tenant is not null and waiting_lines.tenant is null
  )
  select line.task_id, line.kind, line.tenant from line where line.tenant is not null
$$;

-- One state of jobs, the oldest first. Each branch reads its own index, and no more than it answers from
-- each tenant's line: a page of a queue of a million costs what a page of a thousand costs.
create function app.seen_jobs(
  state text, task text, tenant uuid, older_seconds integer, cause text, skipped integer, wanted integer
) returns table (
  number bigint, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer,
  run_at timestamptz, since timestamptz, error text
)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off
as $$
declare
  whose uuid := app.seen_tenant(tenant);
  until timestamptz := now() - make_interval(secs => coalesce(older_seconds, 0));
begin
  if state in ('waiting', 'scheduled') then
    return query
      select job.id, line.kind, line.line, job.payload::jsonb, job.attempts::integer, job.max_attempts::integer,
        job.run_at, job.run_at, job.last_error
      from app.waiting_lines(seen_jobs.task, whose) as line
      cross join lateral (
        select * from graphile_worker._private_jobs as own
        where own.is_available and own.task_id = line.task_id and app.tenant_of_job(own.payload) = line.line
          and case when seen_jobs.state = 'waiting' then own.run_at <= until else own.run_at > now() end
        order by own.priority, own.run_at limit skipped + wanted
      ) as job
      order by job.run_at, job.id offset skipped limit wanted;
  elsif state = 'running' then
    return query
      select job.id, task.identifier, app.tenant_of_job(job.payload), job.payload::jsonb, job.attempts::integer,
        job.max_attempts::integer, job.run_at, job.locked_at, job.last_error
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
      where job.locked_by is not null and job.locked_at <= until
        and (seen_jobs.task is null or task.identifier = seen_jobs.task)
        and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.locked_at, job.id offset skipped limit wanted;
  elsif state = 'failed' then
    return query
      select failed.job_id, failed.task, app.tenant_of_job(failed.payload::json), failed.payload, failed.attempts,
        failed.attempts, null::timestamptz, failed.failed_at, failed.error
      from app.failed_jobs as failed
      where failed.retried_at is null and failed.failed_at <= until
        and (seen_jobs.task is null or failed.task = seen_jobs.task)
        and (whose is null or failed.payload ->> 'tenant_id' = whose::text)
        and (seen_jobs.cause is null or app.cause_of(failed.error) = seen_jobs.cause)
      order by failed.failed_at, failed.job_id offset skipped limit wanted;
  end if;
end $$;
create index failed_jobs_open on app.failed_jobs (failed_at, job_id) where retried_at is null;

-- One job by its number, in whatever state it is.
create function app.seen_job(wanted bigint) returns table (
  number bigint, state text, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer,
  run_at timestamptz, since timestamptz, error text
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select * from (
    select failed.job_id, 'failed', failed.task, app.tenant_of_job(failed.payload::json) as whose, failed.payload,
      failed.attempts, failed.attempts, null::timestamptz, failed.failed_at, failed.error
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

create function app.seen_errors(wanted bigint) returns table (attempt integer, error text, failed_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select attempt, error, failed_at from app.job_errors
  where job_id = wanted and (app.seen_tenant(null) is null or tenant_id = app.seen_tenant(null))
  order by failed_at desc, id desc limit 100
$$;

create function app.seen_causes() returns table (
  kind text, cause text, jobs bigint, tenants bigint, first_at timestamptz, last_at timestamptz, example bigint
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select failed.task, app.cause_of(failed.error), count(*), count(distinct failed.payload ->> 'tenant_id'),
    min(failed.failed_at), max(failed.failed_at), max(failed.job_id)
  from app.failed_jobs as failed
  where failed.retried_at is null
    and (app.seen_tenant(null) is null or failed.payload ->> 'tenant_id' = app.seen_tenant(null)::text)
  group by 1, 2 order by 3 desc, 1, 2 limit 200
$$;

-- How the kinds stand. More than 100,000 waiting jobs of a tenant's kind are not counted on.
create function app.seen_kinds() returns table (
  kind text, waiting bigint, scheduled bigint, running bigint, failed bigint, oldest timestamptz
)
  language sql stable security definer set search_path = public, pg_temp set jit = off
as $$
  with waiting as (
    select line.kind, sum(ready.jobs) as ready, sum(later.jobs) as later, min(first.run_at) as oldest
    from app.waiting_lines(null, app.seen_tenant(null)) as line
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() limit 100000) as counted) as ready
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at > now() limit 100000) as counted) as later
    left join lateral (
      select job.run_at from graphile_worker._private_jobs as job
      where job.is_available and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() order by job.priority, job.run_at limit 1) as first on true
    group by line.kind having sum(ready.jobs) + sum(later.jobs) > 0
  ), running as (
    select task.identifier as kind, count(*) as jobs from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.locked_by is not null
      and (app.seen_tenant(null) is null or app.tenant_of_job(job.payload) = app.seen_tenant(null)::text)
    group by 1
  ), failed as (
    select failed.task as kind, count(*) as jobs from app.failed_jobs as failed
    where failed.retried_at is null
      and (app.seen_tenant(null) is null or failed.payload ->> 'tenant_id' = app.seen_tenant(null)::text)
    group by 1
  )
  select kind, coalesce(waiting.ready, 0)::bigint, coalesce(waiting.later, 0)::bigint,
    coalesce(running.jobs, 0), coalesce(failed.jobs, 0), waiting.oldest
  from waiting full join running using (kind) full join failed using (kind)
  order by kind
$$;

-- The quarters of the last hours; for operators alone.
create function app.seen_quarters(hours integer) returns table (
  quarter timestamptz, pool text, runs bigint, failures bigint, seconds numeric, waits bigint[]
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select quarter, pool, sum(runs)::bigint, sum(failures)::bigint, sum(seconds), (
    select array_agg(total order by place) from (
      select place, sum(count)::bigint as total
      from app.job_quarters as own cross join unnest(own.waits) with ordinality as wait (count, place)
      where own.quarter = known.quarter and own.pool = known.pool group by place
    ) as summed)
  from app.job_quarters as known
  where app.sees_all() and quarter > now() - make_interval(hours => hours)
  group by quarter, pool order by quarter, pool
$$;

-- Closes that run, and those of the last two days.
create function app.seen_closes() returns table (
  tenant text, cob_date date, status text, chunks_total integer, chunks_done integer, loans integer,
  set_aside integer, started_at timestamptz, finished_at timestamptz, seconds_left integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, run.cob_date, run.status, run.chunks_total, done.chunks, run.loans, run.parked,
    run.started_at, run.finished_at,
    case when run.finished_at is null and done.chunks > 0 then
      (extract(epoch from now() - run.started_at) / done.chunks * (run.chunks_total - done.chunks))::integer end
  from cob_runs as run
  join tenants on tenants.id = run.tenant_id
  cross join lateral (
    select count(*)::integer as chunks from cob_chunks as chunk
    where chunk.tenant_id = run.tenant_id and chunk.run_id = run.id and chunk.done_at is not null
  ) as done
  where (run.finished_at is null or run.started_at > now() - interval '2 days')
    and (app.seen_tenant(null) is null or run.tenant_id = app.seen_tenant(null))
  order by run.finished_at is not null, run.started_at desc limit 50
$$;

-- Receivers of webhooks, those in trouble first. Of an address only the host is told: a path may be a secret.
create function app.seen_webhooks() returns table (
  tenant text, subscription_id uuid, host text, is_active boolean, consecutive_failures integer,
  waiting bigint, last_error text, disabled_at timestamptz
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, hook.id, substring(hook.url from '^https?://(?:[^@/]*@)?([^/?#]+)'), hook.is_active,
    hook.consecutive_failures, (
      select count(*) from webhook_deliveries as delivery
      where delivery.tenant_id = hook.tenant_id and delivery.subscription_id = hook.id
        and delivery.status = 'scheduled'),
    left(hook.last_error, 200), hook.disabled_at
  from webhook_subscriptions as hook
  join tenants on tenants.id = hook.tenant_id
  where not hook.is_deleted and (app.seen_tenant(null) is null or hook.tenant_id = app.seen_tenant(null))
  order by hook.is_active, hook.consecutive_failures desc, hook.id limit 200
$$;

-- When the clock last started each of its jobs.
create function app.seen_clock() returns table (task text, last_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
as $$ select identifier, last_execution from graphile_worker._private_known_crontabs $$;

-- What was done, the newest first: of all, or what touched this tenant.
create function app.seen_changes(wanted integer) returns setof app.operations_log
  language sql stable security definer set search_path = public, pg_temp
as $$
  select * from app.operations_log
  where app.sees_all() or details ->> 'tenant_id' = app.current_tenant()::text
  order by done_at desc, id desc limit wanted
$$;

-- Does one thing to the jobs that the caller sees, all or none, and answers to how many. What a worker holds,
-- or has ended meanwhile, is left alone. A canceled job is kept as a failed one: what waits for it is told, and it may
-- be retried. A discarded failure is gone, once what waits for it has been told.
create function app.change_jobs(action text, numbers bigint[], at timestamptz, who text, why text) returns integer
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
      select job.id, job.task_id, job.payload, job.attempts from graphile_worker._private_jobs as job
      where job.id = any(numbers) and job.is_available and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.id for update skip locked
    ), gone as (
      delete from graphile_worker._private_jobs as job using chosen where job.id = chosen.id
    ), kept as (
      insert into app.failed_jobs (job_id, task, payload, attempts, error)
      select chosen.id, task.identifier, chosen.payload::jsonb, greatest(chosen.attempts, 1), 'Canceled by operations.'
      from chosen join graphile_worker._private_tasks as task on task.id = chosen.task_id
      on conflict (job_id) do update set error = excluded.error, failed_at = now(), retried_at = null, told_at = null
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

-- Forgetting a borrower makes the error of a failed job say nothing; those of its attempts follow.
create function app.redact_job_errors() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  update app.job_errors set error = 'Redacted' where job_id = new.job_id;
  return null;
end $$;
create trigger redact_attempts after update of error on app.failed_jobs
  for each row when (new.error = 'Redacted') execute function app.redact_job_errors();

revoke execute on function app.sees_all, app.seen_tenant, app.name_operators, app.cause_of, app.waiting_lines,
  app.seen_jobs, app.seen_job, app.seen_errors, app.seen_causes, app.seen_kinds, app.seen_quarters, app.seen_closes,
  app.seen_webhooks, app.seen_clock, app.seen_changes, app.change_jobs, app.redact_job_errors from public;
grant execute on function app.sees_all, app.seen_jobs, app.seen_job, app.seen_errors, app.seen_causes,
  app.seen_kinds, app.seen_quarters, app.seen_closes, app.seen_webhooks, app.seen_clock, app.seen_changes,
  app.change_jobs to servicing_app, servicing_worker;
grant execute on function app.name_operators to servicing_worker;
