-- What the workers keep lies outside the tenants. The application reads of it what its tenant may see, and
-- changes of it what operators may change, whatever its endpoints ask for.

do $$
declare target text;
begin
  foreach target in array array['failed_jobs', 'operations_log', 'operators', 'pauses', 'worker_pauses', 'pool_slots',
    'sub_pools', 'worker_pools', 'job_runs']
  loop
    execute format('alter table app.%I enable row level security', target);
    execute format(
      'create policy operators on app.%I for select to servicing_app using ((select app.sees_all()))', target);
    execute format('create policy worker on app.%I to servicing_worker using (true) with check (true)', target);
    execute format('create policy auditor on app.%I for select to servicing_auditor using (true)', target);
  end loop;
end $$;
create policy tenant on app.failed_jobs for select to servicing_app
  using (payload ->> 'tenant_id' = (select app.current_tenant())::text);
-- The release before reads its tenant's pauses here; since then app.seen_pauses tells them.
create policy tenant on app.pauses for select to servicing_app
  using (tenant_id = (select app.current_tenant()));

create function app.assert_sees_all() returns void
  language plpgsql stable security definer set search_path = public, pg_temp
as $$
begin
  if not app.sees_all() then
    raise exception 'This is for operators of the platform.' using errcode = 'insufficient_privilege';
  end if;
end $$;

-- What concerns a tenant: its own pauses with their reasons, and that whole pools or kinds are paused. Who
-- paused them, and why others are, is for operators.
create function app.seen_pauses() returns table (
  pool text, task text, tenant_id uuid, tenant text, reason text, paused_by text, paused_at timestamptz
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select pause.pool, pause.task, pause.tenant_id, tenants.slug,
    case when all_seen or pause.tenant_id = app.current_tenant() then pause.reason end,
    case when all_seen then pause.paused_by end, pause.paused_at
  from app.pauses as pause
  cross join app.sees_all() as all_seen
  left join tenants on tenants.id = pause.tenant_id
  where all_seen or pause.tenant_id is null or pause.tenant_id = app.current_tenant()
  order by pause.paused_at, pause.id
$$;

-- Who works. A tenant is told that somebody does, and not on which machine.
create function app.seen_processes() returns table (
  pool_id text, name text, host text, pid integer, started_at timestamptz, slots integer, heartbeat_seconds integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select case when all_seen then process.pool_id end, process.name, case when all_seen then process.host end,
    case when all_seen then process.pid end, case when all_seen then process.started_at end, process.slots,
    extract(epoch from now() - process.heartbeat_at)::integer
  from app.worker_pools as process cross join app.sees_all() as all_seen
  order by process.name, process.started_at
$$;

-- Whose jobs there may be: for operators all tenants, for a tenant itself.
create function app.seen_tenants() returns table (id uuid, slug text, is_active boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.id, tenants.slug, tenants.is_active from tenants
  where app.seen_tenant(null) is null or tenants.id = app.seen_tenant(null)
  order by tenants.slug
$$;

-- What was done, the newest first: of all, or what touched this tenant. A superadmin changes jobs alone; what else
-- is there of the tenant operators did.
create or replace function app.seen_changes(wanted integer) returns setof app.operations_log
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, done_at,
    case when all_seen or action like '%-jobs' then who else 'an operator of the platform' end, action, details, why
  from app.operations_log cross join app.sees_all() as all_seen
  where all_seen or details ->> 'tenant_id' = app.current_tenant()::text
  order by done_at desc, id desc limit wanted
$$;

-- These four as before, for operators and the command line.
create or replace function app.pause_work(pool text, task text, tenant_id uuid, who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select app.assert_sees_all();
  insert into app.pauses (pool, task, tenant_id, paused_by, reason)
  values (pool, task, tenant_id, who, why)
  on conflict on constraint pauses_pool_task_tenant_id_key do update
    set paused_by = excluded.paused_by, reason = excluded.reason;
  select app.note_operation(
    who, 'pause', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why)
$$;

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
  return true;
end $$;

create or replace function app.set_slots(pool text, slots integer, who text, why text) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform app.assert_sees_all();
  if slots is null then
    delete from app.pool_slots as known where known.pool = set_slots.pool;
  else
    insert into app.pool_slots (pool, slots, set_by) values (pool, slots, who)
    on conflict on constraint pool_slots_pkey do update
      set slots = excluded.slots, set_by = excluded.set_by, set_at = now();
  end if;
  perform app.note_operation(
    who, 'slots', jsonb_build_object('pool', pool, 'slots', coalesce(slots::text, 'own')), why);
end $$;

create or replace function app.define_sub_pool(name text, tasks text[], who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  select app.assert_sees_all();
  delete from app.sub_pools as known where known.name = define_sub_pool.name and known.task <> all(tasks);
  insert into app.sub_pools (task, name) select task, define_sub_pool.name from unnest(tasks) as task
  on conflict on constraint sub_pools_pkey do update set name = excluded.name;
  select app.note_operation(
    who, 'sub-pool', jsonb_build_object('sub_pool', define_sub_pool.name, 'tasks', to_jsonb(tasks)), why)
$$;

-- The application changes jobs by app.change_jobs alone, which knows whose they are and keeps who did it.
revoke execute on function app.retry_failed_job, app.note_operation from servicing_app;
-- How the jobs of all tenants stand is for whoever works on all of them.
revoke execute on function app.queue_status, app.assert_sees_all, app.seen_pauses, app.seen_processes,
  app.seen_tenants from public;
grant execute on function app.queue_status to servicing_worker, servicing_auditor;
grant execute on function app.seen_pauses, app.seen_processes, app.seen_tenants to servicing_app, servicing_worker;

-- What receivers answered is forgotten after a while, in dead letters as in attempts.
create index dead_letters_answers on dead_letters (tenant_id, attempted_at) where response_body is not null;

-- As before, and a receiver is in trouble from its first failure on.
drop function app.seen_webhooks();
create function app.seen_webhooks() returns table (
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
  where not hook.is_deleted and (app.seen_tenant(null) is null or hook.tenant_id = app.seen_tenant(null))
  order by hook.is_active, hook.failing_since is null, hook.consecutive_failures desc, hook.id limit 200
$$;
revoke execute on function app.seen_webhooks from public;
grant execute on function app.seen_webhooks to servicing_app, servicing_worker;

-- As before, and a close whose chunks have failed for good says so: nothing more happens until they are retried.
create or replace function app.seen_closes() returns table (
  tenant text, cob_date date, status text, chunks_total integer, chunks_done integer, loans integer,
  set_aside integer, started_at timestamptz, finished_at timestamptz, seconds_left integer
)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenants.slug, run.cob_date,
    case when run.status = 'running' and failed.is_so then 'failed' else run.status end,
    run.chunks_total, done.chunks, run.loans, run.parked, run.started_at, run.finished_at,
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
    and (app.seen_tenant(null) is null or run.tenant_id = app.seen_tenant(null))
  order by run.finished_at is not null, run.started_at desc limit 50
$$;
