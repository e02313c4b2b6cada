-- The fetch of the workers. The library's own takes the oldest jobs and walks past those that it may not
-- take: with 100,000 of them in front each fetch reads them all. This one goes from tenant to tenant by
-- an index, so that it costs as many steps as there are tenants and kinds with waiting jobs.

create function app.tenant_of_job(payload json) returns text
  language sql immutable parallel safe
  return coalesce(left(payload ->> 'tenant_id', 36), '');

create index jobs_of_tenants on graphile_worker._private_jobs
  (task_id, app.tenant_of_job(payload), priority, run_at) where is_available and job_queue_id is null;
-- Those of a named queue, in which one job runs at a time.
create index jobs_in_queues on graphile_worker._private_jobs
  (job_queue_id, priority, run_at) where is_available and job_queue_id is not null;
create index jobs_running on graphile_worker._private_jobs (locked_by) where locked_by is not null;

-- Which of these kinds a worker runs: one of a sub-pool, that sub-pool's; one of a pool, all but those whose
-- sub-pool has a living process, so that no kind is left to nobody.
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

-- Locks at most `wanted` jobs for a worker and answers them. Who has least work running in the pool comes
-- first: first the tenant, then within the tenant the kind of job; among equals the lot decides, so that
-- one slot is shared as well as many. What is paused, or of a tenant that is not active, stays where it is.
-- The fetches of a pool wait for each other (some milliseconds each), or all would choose the same jobs.
create function app.take_jobs(worker_id text, worker text, task_ids integer[], wanted integer)
  returns setof graphile_worker._private_jobs
  language plpgsql security definer set search_path = public, pg_temp
  -- The planner takes the lines for thousands and would compile, and plan anew, what reads a dozen.
  set plan_cache_mode = force_generic_plan set jit = off
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
      where line.tenant is not null
        and not exists (
          select from closed
          where closed.task_id = line.task_id and (closed.tenant is null or closed.tenant = line.tenant))
        -- A line whose jobs are all of later takes no share of those that are fetched.
        and exists (
          select from graphile_worker._private_jobs as job
          where job.is_available and job.job_queue_id is null and job.task_id = line.task_id
            and app.tenant_of_job(job.payload) = line.tenant and job.run_at <= now())
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
    from taken
    where job.id = taken.id
      and (taken.job_queue_id is null or taken.job_queue_id in (select held.id from held))
    returning job.*;
end $$;
revoke execute on function app.tenant_of_job, app.kinds_for, app.take_jobs from public;
grant execute on function app.kinds_for, app.take_jobs to servicing_worker;
-- Whoever adds a job writes its line of the index.
grant execute on function app.tenant_of_job to servicing_app, servicing_worker;
