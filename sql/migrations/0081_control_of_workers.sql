-- What operations change of the workers at run time, and the fetch that obeys it. All of it is read at
-- each fetch: it holds for every process on every machine, at once, and after restarts.

-- Who did what to the platform, and why. Written by app.note_operation beside the change, and then
-- never changed. It lies outside the tenants.
create table app.operations_log (
  id uuid primary key default uuidv7(),
  done_at timestamptz not null default now(),
  who text not null check (length(who) between 1 and 200),
  action text not null check (action ~ '^[a-z][a-z-]{0,59}$'),
  -- What it was done to, in ids and names: {"pool": "documents", "slots": 4}.
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  why text not null check (length(why) between 1 and 500)
);
create index operations_log_newest on app.operations_log (done_at desc, id desc);
create trigger append_only before update or delete on app.operations_log
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on app.operations_log
  for each statement execute function app.refuse_change();

create function app.note_operation(who text, action text, details jsonb, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  insert into app.operations_log (who, action, details, why)
  values (who, action, jsonb_strip_nulls(details), why)
$$;

-- Kinds of jobs that have processes of their own, such as documents:letters. A kind is in one at most.
create table app.sub_pools (
  task text primary key,
  name text not null check (name ~ '^[a-z]{1,20}:[a-z0-9-]{1,30}$')
);
create index sub_pools_name on app.sub_pools (name);

-- Jobs at a time in each process of a pool or sub-pool; without a row, what the process was started with.
create table app.pool_slots (
  pool text primary key,
  slots integer not null check (slots between 1 and 200),
  set_by text not null,
  set_at timestamptz not null default now()
);

-- Jobs that match all that a row names are not fetched: of a pool or sub-pool, of a kind, of a tenant, or of
-- several of these together. Jobs that run already are finished, and no attempts are spent.
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
insert into app.pauses (pool, task, paused_by, paused_at, reason)
select case when kind = 'pool' then name end, case when kind = 'task' then name end, 'unknown', paused_at, reason
from app.worker_pauses;
-- Workers of the release before still read app.worker_pauses; it goes with the next one.

-- How many jobs a process runs at a time, as it knows by now.
alter table app.worker_pools add column slots integer;

grant select on app.operations_log, app.sub_pools, app.pool_slots, app.pauses
  to servicing_app, servicing_worker, servicing_auditor;

-- A pause that stands keeps its beginning; who says it again gives it his name and reason.
create function app.pause_work(pool text, task text, tenant_id uuid, who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  insert into app.pauses (pool, task, tenant_id, paused_by, reason)
  values (pool, task, tenant_id, who, why)
  on conflict on constraint pauses_pool_task_tenant_id_key do update
    set paused_by = excluded.paused_by, reason = excluded.reason;
  select app.note_operation(
    who, 'pause', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why)
$$;

-- Ends the pause of exactly these words; answers whether there was one.
create function app.resume_work(pool text, task text, tenant_id uuid, who text, why text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  delete from app.pauses as pause
  where pause.pool is not distinct from resume_work.pool
    and pause.task is not distinct from resume_work.task
    and pause.tenant_id is not distinct from resume_work.tenant_id;
  if not found then return false; end if;
  perform app.note_operation(
    who, 'resume', jsonb_build_object('pool', pool, 'task', task, 'tenant_id', tenant_id), why);
  return true;
end $$;

-- Without slots, each process goes back to what it was started with.
create function app.set_slots(pool text, slots integer, who text, why text) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
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

-- A sub-pool has exactly these kinds from now on, which leave any other; without kinds it ends.
create function app.define_sub_pool(name text, tasks text[], who text, why text) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  delete from app.sub_pools as known where known.name = define_sub_pool.name and known.task <> all(tasks);
  insert into app.sub_pools (task, name) select task, define_sub_pool.name from unnest(tasks) as task
  on conflict on constraint sub_pools_pkey do update set name = excluded.name;
  select app.note_operation(
    who, 'sub-pool', jsonb_build_object('sub_pool', define_sub_pool.name, 'tasks', to_jsonb(tasks)), why)
$$;
revoke execute on function app.note_operation, app.pause_work, app.resume_work, app.set_slots,
  app.define_sub_pool from public;
grant execute on function app.note_operation, app.pause_work, app.resume_work, app.set_slots,
  app.define_sub_pool to servicing_app, servicing_worker;
