-- What scales the pools asks how many jobs there are to do, from outside and with a login that may read nothing.
-- What is paused, or of a tenant that is not active, waits whatever the number of processes, and does not count.
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
