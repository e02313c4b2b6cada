-- What waits is found by index, whatever else waits in front of it, and whenever the statement was planned.

-- Events of a tenant that is not active wait, and are told once it is active again. They are looked for tenant by
-- tenant, so that those of one who is closed or has moved away are not in the way of the others'.
create index events_waiting on events (tenant_id, id) where relayed_at is null;
drop index events_unrelayed;

create or replace function app.relay_events(batch integer) returns integer
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare taken integer;
begin
  with
    waiting as materialized (
      select event.tenant_id, event.id
      from tenants as tenant
      cross join lateral (
        select own.tenant_id, own.id from events as own
        where own.tenant_id = tenant.id and own.relayed_at is null
        order by own.id limit batch
      ) as event
      where tenant.is_active
      order by event.id limit batch
    ),
    due as (
      select event.tenant_id, event.id, event.event_type
      from waiting
      join events as event on event.tenant_id = waiting.tenant_id and event.id = waiting.id
      where event.relayed_at is null
      for update of event skip locked
    ),
    marked as (
      update events as event set relayed_at = now() from due
      where event.tenant_id = due.tenant_id and event.id = due.id
      returning event.id
    ),
    deliveries as (
      insert into webhook_deliveries (tenant_id, subscription_id, event_id, next_attempt_at, in_line)
      select due.tenant_id, subscription.id, due.id, now(), subscription.is_slow
      from due
      join webhook_subscriptions as subscription
        on subscription.tenant_id = due.tenant_id and subscription.is_active and not subscription.is_deleted
        and (subscription.events ? due.event_type or subscription.events ? '*')
      on conflict do nothing
      returning tenant_id, id, subscription_id, in_line
    ),
    jobs as (
      select count(*) as enqueued from graphile_worker.add_jobs(array(
        select app.delivery_job(new.tenant_id, new.subscription_id, new.id, 1, new.in_line,
          subscription.failing_since is not null, now())
        from deliveries as new
        join webhook_subscriptions as subscription
          on subscription.tenant_id = new.tenant_id and subscription.id = new.subscription_id
      ))
    )
  select (select count(*) from marked) + 0 * (select enqueued from jobs) into taken;
  return taken;
end $$;
revoke execute on function app.relay_events from public;

-- As before, with lookups in the index for each line where the planner had joined all that is due, and all of what
-- came before by its number: 64 of 5,000 jobs took 11 ms to fetch, and now take 2.5, as of 50,000.
create or replace function app.take_jobs(worker_id text, worker text, task_ids integer[], wanted integer)
  returns setof graphile_worker._private_jobs
  language plpgsql security definer set search_path = public, pg_temp
  -- The planner takes the lines for thousands and would compile, and plan anew, what reads a dozen.
  set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off
as $$
declare own_pool text := split_part(worker, ':', 1);
begin
  perform pg_advisory_xact_lock(hashtextextended('fetch:' || own_pool, 0));
  return query
    with recursive
    kind as materialized (select * from app.kinds_for(worker, task_ids)),
    -- Each tenant of each kind, by jumping in the index from one to the next.
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
    -- What may not be fetched: of a kind all jobs, or those of a tenant.
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
      -- A line whose jobs are all of later takes no share of those that are fetched.
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
    -- The first job of each named queue in which none runs.
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
    -- A job that a transaction is changing at the moment is passed over.
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

-- Each tenant of each kind with jobs that no worker holds, but for those of a named queue, which have an index of
-- their own; '' is the platform's own.
create or replace function app.waiting_lines(task text, tenant uuid)
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
        where job.is_available and job.job_queue_id is null and job.task_id = kind.id
        order by app.tenant_of_job(job.payload) limit 1) end
    from kind
    union all
    select line.task_id, line.kind, (
      select app.tenant_of_job(job.payload) from graphile_worker._private_jobs as job
      where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
        and app.tenant_of_job(job.payload) > line.tenant
      order by app.tenant_of_job(job.payload) limit 1)
    from line where line.tenant is not null and waiting_lines.tenant is null
  )
  select line.task_id, line.kind, line.tenant from line where line.tenant is not null
$$;

-- One state of jobs, the oldest first. Each branch reads its own index, and no more than it answers from each
-- tenant's line and each named queue: a page of a queue of a million costs what a page of a thousand costs.
create or replace function app.seen_jobs(
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
      select job.id, job.kind, job.line, job.payload::jsonb, job.attempts::integer, job.max_attempts::integer,
        job.run_at, job.run_at, job.last_error
      from (
        select own.*, line.kind, line.line
        from app.waiting_lines(seen_jobs.task, whose) as line
        cross join lateral (
          select * from graphile_worker._private_jobs as free
          where free.is_available and free.job_queue_id is null and free.task_id = line.task_id
            and app.tenant_of_job(free.payload) = line.line
            and case when seen_jobs.state = 'waiting' then free.run_at <= until else free.run_at > now() end
          order by free.priority, free.run_at limit skipped + wanted
        ) as own
        union all
        select own.*, task.identifier, app.tenant_of_job(own.payload)
        from graphile_worker._private_job_queues as queue
        cross join lateral (
          select * from graphile_worker._private_jobs as queued
          where queued.is_available and queued.job_queue_id = queue.id
            and (seen_jobs.task is null or queued.task_id in (
              select known.id from graphile_worker._private_tasks as known where known.identifier = seen_jobs.task))
            and (whose is null or app.tenant_of_job(queued.payload) = whose::text)
            and case when seen_jobs.state = 'waiting' then queued.run_at <= until else queued.run_at > now() end
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
        and (seen_jobs.task is null or task.identifier = seen_jobs.task)
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
        and (seen_jobs.task is null or failed.task = seen_jobs.task)
        and (whose is null or failed.payload ->> 'tenant_id' = whose::text)
        and (seen_jobs.cause is null or app.cause_of(failed.error) = seen_jobs.cause)
      order by failed.failed_at, failed.job_id offset skipped limit wanted;
  end if;
end $$;

-- How the kinds stand. More than 100,000 waiting jobs of a tenant's kind, or of the named queues, are not counted on.
create or replace function app.seen_kinds() returns table (
  kind text, waiting bigint, scheduled bigint, running bigint, failed bigint, oldest timestamptz
)
  language sql stable security definer set search_path = public, pg_temp set jit = off
as $$
  with free as (
    select line.kind, sum(ready.jobs) as ready, sum(later.jobs) as later, min(first.run_at) as oldest
    from app.waiting_lines(null, app.seen_tenant(null)) as line
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
        and (app.seen_tenant(null) is null or app.tenant_of_job(own.payload) = app.seen_tenant(null)::text)
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
