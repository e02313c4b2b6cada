-- What operators of the platform and a tenant's staff see and change of the running jobs. The functions
-- decide what their caller may see: an operator sees everything, staff see the jobs of their own tenant.

-- The tenant whose superadmins operate the whole platform. Only the command line sets it.
create table app.operators (
  tenant_id uuid primary key references public.tenants (id),
  named_at timestamptz not null default now()
);
grant select on app.operators to servicing_app, servicing_worker, servicing_auditor;

-- Who changed what on the platform, and why. app.log_operation writes a row with each change; rows never change.
create table app.operations_log (
  id uuid primary key default uuidv7(),
  done_at timestamptz not null default now(),
  who text not null check (length(who) between 1 and 200),
  action text not null check (action ~ '^[a-z][a-z-]{0,59}$'),
  -- What was changed, in ids and names: {"pool": "documents", "slots": 4}.
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  why text not null check (length(why) between 1 and 500)
);
create index operations_log_newest on app.operations_log (done_at desc, id desc);
grant select on app.operations_log to servicing_app, servicing_worker, servicing_auditor;

-- Whether the caller sees the jobs of all tenants: operators, workers and the command line do.
create function app.is_platform_operator() returns boolean
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when app.current_tenant() is null then pg_has_role(session_user, 'servicing_worker', 'member')
    else exists (select from app.operators where tenant_id = app.current_tenant()) end
$$;
revoke execute on function app.is_platform_operator from public;
grant execute on function app.is_platform_operator to servicing_app, servicing_worker;

-- The tenant whose jobs the caller may see, or null for all tenants. Staff always get their own tenant.
create function app.visible_tenant(wanted uuid) returns uuid
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when app.is_platform_operator() then wanted
    else coalesce(app.current_tenant(), '00000000-0000-0000-0000-000000000000') end
$$;
revoke execute on function app.visible_tenant from public;

-- Refuses callers that are not operators.
create function app.assert_platform_operator() returns void
  language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  if not app.is_platform_operator() then
    raise exception 'Only operators of the platform may do this.' using errcode = 'insufficient_privilege';
  end if;
end $$;
revoke execute on function app.assert_platform_operator from public;

-- Sets the tenant whose superadmins operate the platform.
create function app.set_operator_tenant(tenant_slug text, who text, why text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare named uuid := (select id from tenants where slug = tenant_slug);
begin
  if named is null then return false; end if;
  delete from app.operators where tenant_id <> named;
  insert into app.operators (tenant_id) values (named) on conflict do nothing;
  perform app.log_operation(who, 'operators', jsonb_build_object('tenant_id', named), why);
  return true;
end $$;
revoke execute on function app.set_operator_tenant from public;
grant execute on function app.set_operator_tenant to servicing_worker;

-- Writes a row of app.operations_log.
create function app.log_operation(who text, action text, details jsonb, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  insert into app.operations_log (who, action, details, why)
  values (who, action, jsonb_strip_nulls(details), why)
$$;
revoke execute on function app.log_operation from public;
grant execute on function app.log_operation to servicing_worker;

-- Pauses a pool, a kind, a tenant, or a combination of them. Only operators may call it.
create function app.pause_work(pool text, task text, tenant_id uuid, who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select app.assert_platform_operator();
  insert into app.pauses (pool, task, tenant_id, paused_by, reason)
  values (pool, task, tenant_id, who, why)
  on conflict on constraint pauses_pool_task_tenant_id_key do update
    set paused_by = excluded.paused_by, reason = excluded.reason;
  select app.log_operation(
    who, 'pause', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why)
$$;
revoke execute on function app.pause_work from public;
grant execute on function app.pause_work to servicing_app, servicing_worker;

-- Ends the pause with exactly these values. Returns whether it existed.
create function app.resume_work(pool text, task text, tenant_id uuid, who text, why text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform app.assert_platform_operator();
  delete from app.pauses as pause
  where pause.pool is not distinct from resume_work.pool
    and pause.task is not distinct from resume_work.task
    and pause.tenant_id is not distinct from resume_work.tenant_id;
  if not found then return false; end if;
  perform app.log_operation(
    who, 'resume', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why);
  perform app.wake_workers();
  return true;
end $$;
revoke execute on function app.resume_work from public;
grant execute on function app.resume_work to servicing_app, servicing_worker;

-- Sets the slots of each process in a pool. Null slots restore the setting with which each process started.
create function app.set_slots(pool text, slots integer, who text, why text) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform app.assert_platform_operator();
  if slots is null then
    delete from app.pool_slots as known where known.pool = set_slots.pool;
  else
    insert into app.pool_slots (pool, slots, set_by) values (pool, slots, who)
    on conflict on constraint pool_slots_pkey do update
      set slots = excluded.slots, set_by = excluded.set_by, set_at = now();
  end if;
  perform app.log_operation(
    who, 'slots', jsonb_build_object('pool', pool, 'slots', coalesce(slots::text, 'own')), why);
end $$;
revoke execute on function app.set_slots from public;
grant execute on function app.set_slots to servicing_app, servicing_worker;

-- Defines the kinds of a sub-pool and removes them from any other sub-pool. Without kinds the sub-pool is
-- deleted.
create function app.define_sub_pool(name text, tasks text[], who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select app.assert_platform_operator();
  delete from app.sub_pools as known where known.name = define_sub_pool.name and known.task <> all(tasks);
  insert into app.sub_pools (task, name) select task, define_sub_pool.name from unnest(tasks) as task
  on conflict on constraint sub_pools_pkey do update set name = excluded.name;
  select app.log_operation(
    who, 'sub-pool', jsonb_build_object('sub_pool', define_sub_pool.name, 'tasks', to_jsonb(tasks)), why)
$$;
revoke execute on function app.define_sub_pool from public;
grant execute on function app.define_sub_pool to servicing_app, servicing_worker;

-- Applies one action to those of the given jobs that the caller sees, in one transaction, and returns their
-- number. Jobs that a worker holds or has finished are skipped. A canceled job has no attempts left and is
-- recorded as failed, so its dependent record is marked as failed and the job can be retried. A failure can
-- be discarded once that record is marked.
create function app.change_jobs(
  action text, numbers bigint[], at timestamptz, who text, why text
) returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  whose uuid := app.visible_tenant(null);
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
        payload = excluded.payload, failed_at = now(), retried_at = null, handled_at = null, is_canceled = true
      returning job_id
    ) select array_agg(job_id) into done from kept;
  elsif action = 'discard' then
    with chosen as (
      select known.id, known.job_id from app.failed_jobs as known
      where known.job_id = any(numbers) and known.retried_at is null and known.handled_at is not null
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
  perform app.log_operation(who, action || '-jobs', jsonb_build_object(
    'tenant_id', app.current_tenant(), 'count', cardinality(done), 'jobs', to_jsonb(done[1:100]), 'at', at), why);
  return cardinality(done);
end $$;
revoke execute on function app.change_jobs from public;
grant execute on function app.change_jobs to servicing_app, servicing_worker;

-- The error message with ids and numbers replaced, so that equal causes group into one line.
create function app.error_cause(error text) returns text
  language sql immutable parallel safe
  return regexp_replace(left(error, 300),
    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]+', '#', 'g');
revoke execute on function app.error_cause from public;

-- When a redaction clears the error of a failed job, clears the errors of its attempts too.
create function app.redact_job_errors() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  update app.job_errors set error = 'Redacted' where job_id = new.job_id;
  return null;
end $$;
revoke execute on function app.redact_job_errors from public;

-- Each tenant of each kind with jobs that no worker holds, except jobs of named queues, which have their
-- own index. An empty string means the platform.
create function app.waiting_tenants(task text, tenant uuid)
  returns table (task_id integer, kind text, line text)
  language sql stable rows 100 security definer set search_path = public, pg_temp
as $$
  with recursive
  kind as (
    select id, identifier from graphile_worker._private_tasks
    where waiting_tenants.task is null or identifier = waiting_tenants.task
  ),
  line (task_id, kind, tenant) as (
    select kind.id, kind.identifier, case when waiting_tenants.tenant is not null then waiting_tenants.tenant::text
      else (
        select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
        where job.is_available and job.job_queue_id is null and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1) end
    from kind
    union all
    select line.task_id, line.kind, (
      select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
        and app.tenant_of_job(job.payload) > line.tenant
      order by app.tenant_of_job(job.payload) limit 1)
    from line where line.tenant is not null and waiting_tenants.tenant is null
  )
  select line.task_id, line.kind, line.tenant from line where line.tenant is not null
$$;
revoke execute on function app.waiting_tenants from public;

-- The jobs in one state, oldest first. Each branch reads its own index and only as many rows as the page
-- needs, so a page of a long queue costs no more than one of a short queue.
create function app.list_jobs(
  state text, task text, tenant uuid, older_seconds integer, cause text, skipped integer, wanted integer
) returns table (
  number bigint, kind text, tenant_id text, payload jsonb, attempts integer, max_attempts integer,
  run_at timestamptz, since timestamptz, error text
)
  language plpgsql stable security definer set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set jit = off
as $$
declare
  whose uuid := app.visible_tenant(tenant);
  until timestamptz := now() - make_interval(secs => coalesce(older_seconds, 0));
begin
  if state in ('waiting', 'scheduled') then
    return query
      select job.id, job.kind, job.line, job.payload::jsonb, job.attempts::integer, job.max_attempts::integer,
        job.run_at, job.run_at, job.last_error
      from (
        select own.*, line.kind, line.line
        from app.waiting_tenants(list_jobs.task, whose) as line
        cross join lateral (
          select * from graphile_worker._private_jobs as free
          where free.is_available and free.job_queue_id is null and free.task_id = line.task_id
            and app.tenant_of_job(free.payload) = line.line
            and case when list_jobs.state = 'waiting' then free.run_at <= until else free.run_at > now() end
          order by free.priority, free.run_at limit skipped + wanted
        ) as own
        union all
        select own.*, task.identifier, app.tenant_of_job(own.payload)
        from graphile_worker._private_job_queues as queue
        cross join lateral (
          select * from graphile_worker._private_jobs as queued
          where queued.is_available and queued.job_queue_id = queue.id
            and (list_jobs.task is null or queued.task_id in (
              select known.id from graphile_worker._private_tasks as known where known.identifier = list_jobs.task))
            and (whose is null or app.tenant_of_job(queued.payload) = whose::text)
            and case when list_jobs.state = 'waiting' then queued.run_at <= until else queued.run_at > now() end
          order by queued.priority, queued.run_at limit skipped + wanted
        ) as own
        join graphile_worker._private_tasks as task on task.id = own.task_id
      ) as job
      order by job.run_at, job.id offset skipped limit wanted;
  elsif state = 'running' then
    return query
      select job.id, task.identifier, app.tenant_of_job(job.payload), job.payload::jsonb, job.attempts::integer,
        job.max_attempts::integer, job.run_at, job.locked_at, job.last_error
      from graphile_worker._private_jobs as job
      join graphile_worker._private_tasks as task on task.id = job.task_id
      where job.locked_by is not null and job.locked_at <= until
        and (list_jobs.task is null or task.identifier = list_jobs.task)
        and (whose is null or app.tenant_of_job(job.payload) = whose::text)
      order by job.locked_at, job.id offset skipped limit wanted;
  elsif state = 'failed' then
    return query
      select failed.job_id, failed.task, app.tenant_of_job(failed.payload::json), failed.payload, failed.attempts,
        coalesce((
          select own.max_attempts::integer from graphile_worker._private_jobs as own where own.id = failed.job_id
        ), failed.attempts), null::timestamptz, failed.failed_at, failed.error
      from app.failed_jobs as failed
      where failed.retried_at is null and failed.failed_at <= until
        and (list_jobs.task is null or failed.task = list_jobs.task)
        and (whose is null or failed.payload ->> 'tenant_id' = whose::text)
        and (list_jobs.cause is null or app.error_cause(failed.error) = list_jobs.cause)
      order by failed.failed_at, failed.job_id offset skipped limit wanted;
  end if;
end $$;
revoke execute on function app.list_jobs from public;
grant execute on function app.list_jobs to servicing_app, servicing_worker;

-- One job with its attempts and errors. A failed job also shows its maximum attempts while the queue still has its
-- row.
create function app.find_job(wanted bigint) returns table (
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
  where app.visible_tenant(null) is null or whose = app.visible_tenant(null)::text
  limit 1
$$;
revoke execute on function app.find_job from public;
grant execute on function app.find_job to servicing_app, servicing_worker;

-- Errors of a job's attempts.
create function app.list_attempt_errors(wanted bigint) returns table (attempt integer, error text, failed_at timestamptz)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select attempt, error, failed_at from app.job_errors
  where job_id = wanted and (app.visible_tenant(null) is null or tenant_id = app.visible_tenant(null))
  order by failed_at desc, id desc limit 100
$$;
revoke execute on function app.list_attempt_errors from public;
grant execute on function app.list_attempt_errors to servicing_app, servicing_worker;

-- Errors grouped by cause.
create function app.list_failure_causes() returns table (
  kind text, cause text, jobs bigint, tenants bigint, first_at timestamptz, last_at timestamptz, example bigint
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select failed.task, app.error_cause(failed.error), count(*), count(distinct failed.payload ->> 'tenant_id'),
    min(failed.failed_at), max(failed.failed_at), max(failed.job_id)
  from app.failed_jobs as failed
  where failed.retried_at is null
    and (app.visible_tenant(null) is null or failed.payload ->> 'tenant_id' = app.visible_tenant(null)::text)
  group by 1, 2 order by 3 desc, 1, 2 limit 200
$$;
revoke execute on function app.list_failure_causes from public;
grant execute on function app.list_failure_causes to servicing_app, servicing_worker;

-- Numbers of jobs per kind. Counting stops at 100,000 waiting jobs per tenant and kind, and for named queues.
create function app.list_job_kinds() returns table (
  kind text, waiting bigint, scheduled bigint, running bigint, failed bigint, oldest timestamptz
)
  language sql stable security definer set search_path = public, pg_temp set jit = off
as $$
  with free as (
    select line.kind, sum(ready.jobs) as ready, sum(later.jobs) as later, min(first.run_at) as oldest
    from app.waiting_tenants(null, app.visible_tenant(null)) as line
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() limit 100000) as counted) as ready
    cross join lateral (select count(*) as jobs from (
      select from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at > now() limit 100000) as counted) as later
    left join lateral (
      select job.run_at from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id and app.tenant_of_job(job.payload) = line.line
        and job.run_at <= now() order by job.priority, job.run_at limit 1) as first on true
    group by line.kind
  ), queued as (
    select task.identifier as kind, count(*) filter (where job.run_at <= now()) as ready,
      count(*) filter (where job.run_at > now()) as later, min(job.run_at) filter (where job.run_at <= now()) as oldest
    from (
      select own.task_id, own.run_at from graphile_worker._private_jobs as own
      where own.is_available and own.job_queue_id is not null
        and (app.visible_tenant(null) is null or app.tenant_of_job(own.payload) = app.visible_tenant(null)::text)
      limit 100000
    ) as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    group by 1
  ), waiting as (
    select kind, sum(ready) as ready, sum(later) as later, min(oldest) as oldest
    from (select * from free union all select * from queued) as both_kinds
    group by kind having sum(ready) + sum(later) > 0
  ), running as (
    select task.identifier as kind, count(*) as jobs from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    where job.locked_by is not null
      and (app.visible_tenant(null) is null or app.tenant_of_job(job.payload) = app.visible_tenant(null)::text)
    group by 1
  ), failed as (
    select failed.task as kind, count(*) as jobs from app.failed_jobs as failed
    where failed.retried_at is null
      and (app.visible_tenant(null) is null or failed.payload ->> 'tenant_id' = app.visible_tenant(null)::text)
    group by 1
  )
  select kind, coalesce(waiting.ready, 0)::bigint, coalesce(waiting.later, 0)::bigint,
    coalesce(running.jobs, 0), coalesce(failed.jobs, 0), waiting.oldest
  from waiting full join running using (kind) full join failed using (kind)
  order by kind
$$;
revoke execute on function app.list_job_kinds from public;
grant execute on function app.list_job_kinds to servicing_app, servicing_worker;

-- Statistics of the last hours, for operators only.
create function app.list_quarters(hours integer) returns table (
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
  where app.is_platform_operator() and quarter > now() - make_interval(hours => hours)
  group by quarter, pool order by quarter, pool
$$;
revoke execute on function app.list_quarters from public;
grant execute on function app.list_quarters to servicing_app, servicing_worker;

-- Running closes of business. A close whose chunks exhausted their attempts is reported, because it waits until
-- they are retried.
create function app.list_closes() returns table (
  tenant text, cob_date date, status text, chunks_total integer, chunks_done integer, loans integer,
  quarantined integer, started_at timestamptz, finished_at timestamptz, seconds_left integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, run.cob_date,
    case when run.status = 'running' and failed.is_so then 'failed' else run.status end,
    run.chunks_total, done.chunks, run.loans, run.quarantined, run.started_at, run.finished_at,
    case when run.finished_at is null and done.chunks > 0 and not failed.is_so then
      (extract(epoch from now() - run.started_at) / done.chunks * (run.chunks_total - done.chunks))::integer end
  from cob_runs as run
  join tenants on tenants.id = run.tenant_id
  cross join lateral (
    select count(*)::integer as chunks from cob_chunks as chunk
    where chunk.tenant_id = run.tenant_id and chunk.run_id = run.id and chunk.done_at is not null
  ) as done
  cross join lateral (
    select run.finished_at is null and exists (
      select from app.failed_jobs as job
      where job.retried_at is null and job.task = 'close-loans' and job.payload ->> 'run_id' = run.id::text
    ) as is_so
  ) as failed
  where (run.finished_at is null or run.started_at > now() - interval '2 days')
    and (app.visible_tenant(null) is null or run.tenant_id = app.visible_tenant(null))
  order by run.finished_at is not null, run.started_at desc limit 50
$$;
revoke execute on function app.list_closes from public;
grant execute on function app.list_closes to servicing_app, servicing_worker;

-- Webhook receivers, failing ones first, and the number of deliveries that wait for each.
create function app.list_receivers() returns table (
  tenant text, subscription_id uuid, host text, is_active boolean, consecutive_failures integer,
  waiting bigint, last_error text, disabled_at timestamptz, failing_since timestamptz, is_slow boolean
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, hook.id, substring(hook.url from '^https?://(?:[^@/]*@)?([^/?#]+)'), hook.is_active,
    hook.consecutive_failures, (
      select count(*) from webhook_deliveries as delivery
      where delivery.tenant_id = hook.tenant_id and delivery.subscription_id = hook.id
        and delivery.status = 'scheduled'),
    left(coalesce(hook.last_error, hook.last_failure), 200), hook.disabled_at, hook.failing_since, hook.is_slow
  from webhook_subscriptions as hook
  join tenants on tenants.id = hook.tenant_id
  where not hook.is_deleted and (app.visible_tenant(null) is null or hook.tenant_id = app.visible_tenant(null))
  order by hook.is_active, hook.failing_since is null, hook.consecutive_failures desc, hook.id limit 200
$$;
revoke execute on function app.list_receivers from public;
grant execute on function app.list_receivers to servicing_app, servicing_worker;

-- When each scheduled job was last enqueued, by the clock of this server.
create table app.schedule_ticks (
  task text primary key,
  ticked_at timestamptz not null
);

-- Enqueues a scheduled job once for that minute, whichever process calls first. A tick in the future, left
-- by a server whose clock was wrong, does not keep the job from being enqueued now.
create function app.tick_schedule(task text, minute timestamptz, max_attempts integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare current timestamptz := clock_timestamp();
begin
  if minute > current then return false; end if;
  insert into app.schedule_ticks as known (task, ticked_at) values (tick_schedule.task, minute)
  on conflict on constraint schedule_ticks_pkey do update set ticked_at = excluded.ticked_at
    where known.ticked_at < excluded.ticked_at or known.ticked_at > current;
  if not found then return false; end if;
  perform graphile_worker.add_job(
    identifier => tick_schedule.task, payload => '{}'::json, run_at => current,
    max_attempts => tick_schedule.max_attempts, job_key => 'clock:' || tick_schedule.task, job_key_mode => 'replace'
  );
  return true;
end $$;
revoke execute on function app.tick_schedule from public;
grant execute on function app.tick_schedule to servicing_worker;

-- Seconds since the most overdue close of business of any tenant was due, at midnight or the tenant's cut-off; 0 if
-- none is overdue. A sandbox has no schedule.
create function app.close_overdue_seconds() returns numeric
  language sql stable security definer set search_path = public, pg_temp
as $$
  select coalesce(max(greatest(0, extract(epoch from
    clock_timestamp() - (
      (business_date + 1 + coalesce(settings ->> 'eod_cutoff_time', '00:00')::time) at time zone time_zone
    )
  ))), 0)
  from tenants where is_active and not is_sandbox
$$;
revoke execute on function app.close_overdue_seconds from public;
grant execute on function app.close_overdue_seconds to servicing_worker;

-- Tables with outdated statistics: more than 1,000 rows and 2 % of the table changed since the last
-- ANALYZE, or it was never analyzed. Autovacuum waits for 10 %, and never analyzes a partitioned table as a
-- whole.
create function app.tables_to_analyze() returns table (name text)
language sql stable security definer set search_path = public, pg_temp
as $$
  with known as (
    select class.oid, class.relkind, class.reltuples,
      stats.n_mod_since_analyze as changed,
      greatest(stats.last_analyze, stats.last_autoanalyze) as analyzed_at
    from pg_class as class
    join pg_stat_all_tables as stats on stats.relid = class.oid
    where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
      and pg_has_role(current_user, class.relowner, 'usage')
  )
  select known.oid::regclass::text from known
  where known.relkind = 'r'
    and case
      when known.analyzed_at is null then pg_relation_size(known.oid) > 0
      else known.changed > 1000 and known.changed > 0.02 * known.reltuples
    end
  union all
  select parent.oid::regclass::text from known as parent
  where parent.relkind = 'p' and exists (
    select from pg_inherits
    join known as part on part.oid = pg_inherits.inhrelid
    where pg_inherits.inhparent = parent.oid
      and part.analyzed_at > coalesce(parent.analyzed_at, '-infinity')
  )
$$;
revoke execute on function app.tables_to_analyze from public;
grant execute on function app.tables_to_analyze to servicing_app;

-- Makes the planner assume that every tenant owns an equal share of the table, and keeps ANALYZE from
-- changing that. At most 100 shares, because with more of them a tenant would seem to have no rows.
create function app.assume_equal_tenants(wanted regclass) returns void language plpgsql as $$
declare
  shares real := least(greatest((select count(*) from tenants), 1), 100);
begin
  if not exists (
    select from pg_attribute where attrelid = wanted and attname = 'tenant_id' and attstattarget = 0
  ) then
    execute format('alter table only %s alter column tenant_id set statistics 0', wanted);
  end if;
  perform pg_restore_attribute_stats(
    'schemaname', 'public', 'relname', relname::text, 'attname', 'tenant_id', 'inherited', relkind = 'p',
    'null_frac', 0::real, 'avg_width', 16, 'n_distinct', shares, 'correlation', 1::real
  ) from pg_class where oid = wanted;
end $$;
revoke execute on function app.assume_equal_tenants from public;

-- Updates the statistics of one of these tables; of a partitioned table, without its partitions. Returns
-- whether an update was due.
create function app.analyze_table(wanted text) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare due text;
begin
  select name into due from app.tables_to_analyze() where name = wanted;
  if due is null then return false; end if;
  execute format('analyze only %s', due::regclass);
  if exists (
    select from pg_attribute where attrelid = due::regclass and attname = 'tenant_id' and not attisdropped
  ) then
    perform app.assume_equal_tenants(due::regclass);
  end if;
  return true;
end $$;
revoke execute on function app.analyze_table from public;
grant execute on function app.analyze_table to servicing_app;

-- When the clock last started each of its jobs.
create function app.list_schedule_ticks() returns table (task text, last_at timestamptz)
language sql stable security definer set search_path = public, pg_temp
as $$ select task, ticked_at from app.schedule_ticks $$;
revoke execute on function app.list_schedule_ticks from public;
grant execute on function app.list_schedule_ticks to servicing_app, servicing_worker;

-- The newest changes: all of them for operators, and for a tenant's staff those that affect their tenant.
create function app.list_operations(wanted integer) returns setof app.operations_log
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, done_at,
    case when all_seen or action like '%-jobs' then who else 'an operator of the platform' end, action, details, why
  from app.operations_log cross join app.is_platform_operator() as all_seen
  where all_seen or details ->> 'tenant_id' = app.current_tenant()::text
  order by done_at desc, id desc limit wanted
$$;
revoke execute on function app.list_operations from public;
grant execute on function app.list_operations to servicing_app, servicing_worker;

-- Pauses that affect the caller. A tenant sees its own pauses with their reasons, and paused pools and
-- kinds without the person who paused them.
create function app.list_pauses() returns table (
  pool text, task text, tenant_id uuid, tenant text, reason text, paused_by text, paused_at timestamptz
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select pause.pool, pause.task, pause.tenant_id, tenants.slug,
    case when all_seen or pause.tenant_id = app.current_tenant() then pause.reason end,
    case when all_seen then pause.paused_by end, pause.paused_at
  from app.pauses as pause
  cross join app.is_platform_operator() as all_seen
  left join tenants on tenants.id = pause.tenant_id
  where all_seen or pause.tenant_id is null or pause.tenant_id = app.current_tenant()
  order by pause.paused_at, pause.id
$$;
revoke execute on function app.list_pauses from public;
grant execute on function app.list_pauses to servicing_app, servicing_worker;

-- Worker processes. Tenants only see the pools, not the machines.
create function app.list_processes() returns table (
  pool_id text, name text, host text, pid integer, started_at timestamptz, slots integer, heartbeat_seconds integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when all_seen then process.pool_id end, process.name, case when all_seen then process.host end,
    case when all_seen then process.pid end, case when all_seen then process.started_at end, process.slots,
    extract(epoch from now() - process.heartbeat_at)::integer
  from app.worker_pools as process cross join app.is_platform_operator() as all_seen
  order by process.name, process.started_at
$$;
revoke execute on function app.list_processes from public;
grant execute on function app.list_processes to servicing_app, servicing_worker;

-- Tenants whose jobs the caller may see: all for operators, their own for staff.
create function app.list_visible_tenants() returns table (id uuid, slug text, is_active boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.id, tenants.slug, tenants.is_active from tenants
  where app.visible_tenant(null) is null or tenants.id = app.visible_tenant(null)
  order by tenants.slug
$$;
revoke execute on function app.list_visible_tenants from public;
grant execute on function app.list_visible_tenants to servicing_app, servicing_worker;

create trigger append_only before update or delete on app.operations_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on app.operations_log
  for each statement execute function app.refuse_change();
create trigger redact_attempts after update of error on app.failed_jobs
  for each row when (new.error = 'Redacted') execute function app.redact_job_errors();

-- These tables belong to no tenant. The application reads what operators may see and cannot change rows
-- directly.
do $$
declare target text;
begin
  foreach target in array array['failed_jobs', 'operations_log', 'operators', 'pauses', 'pool_slots', 'sub_pools',
    'worker_pools', 'job_runs']
  loop
    execute format('alter table app.%I enable row level security', target);
    execute format(
      'create policy operators on app.%I for select to servicing_app using ((select app.is_platform_operator()))', target);
    execute format('create policy worker on app.%I to servicing_worker using (true) with check (true)', target);
    execute format('create policy auditor on app.%I for select to servicing_auditor using (true)', target);
  end loop;
end $$;
-- A tenant's staff see the failed jobs of their own tenant.
create policy tenant on app.failed_jobs for select to servicing_app
  using (payload ->> 'tenant_id' = (select app.current_tenant())::text);
