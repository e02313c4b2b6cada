-- What scales the pools asks how many jobs there are to do, from outside and with a login that may read nothing.
create function public.queue_depth(kinds text[]) returns bigint
  language sql stable security definer set search_path = public, pg_temp
as $$
  select count(*) from graphile_worker._private_jobs as job
  join graphile_worker._private_tasks as task on task.id = job.task_id
  where task.identifier = any(kinds) and job.attempts < job.max_attempts and job.run_at <= now()
$$;
