-- The role of the workers (sql/database/migrate.ts makes it): it fetches jobs and keeps the records of the
-- workers, and sees no row of any tenant. A login of production may work as it and as the
-- application; nobody who runs jobs needs to become the owner, who sees everything.
grant usage on schema app, public, graphile_worker to servicing_worker;
grant select, insert, update, delete on all tables in schema graphile_worker to servicing_worker;
grant usage on all sequences in schema graphile_worker to servicing_worker;
-- The queue's tables have row-level security without policies: only their owner sees their rows.
do $$ declare target regclass; begin
  for target in
    select oid from pg_class
    where relnamespace = 'graphile_worker'::regnamespace and relkind = 'r' and relrowsecurity
  loop
    execute format('create policy worker on %s to servicing_worker using (true) with check (true)', target);
  end loop;
end $$;
grant select, insert, update, delete
  on app.worker_pools, app.worker_pauses, app.job_runs, app.failed_jobs to servicing_worker;
grant execute on function app.sweep_dead_workers, app.record_failed_jobs, app.retry_failed_job,
  app.relay_events, app.create_tenant to servicing_worker;

-- Whose jobs wait, and where secrets are sealed: which tenants there are, and nothing of what is theirs.
create function app.all_tenants() returns table (id uuid, slug text, is_active boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, slug, is_active from tenants order by slug
$$;
revoke execute on function app.all_tenants from public;
grant execute on function app.all_tenants to servicing_worker;

-- The keys of SECRET under which something is, or may be, sealed. The check value tells whether a
-- process has the same key under that id, and not what the key is.
create table app.secret_keys (
  id text primary key,
  check_value text,
  first_used_at timestamptz not null default now(),
  -- Nothing is sealed under it any more: it may be taken out of SECRET.
  retired_at timestamptz
);
grant select on app.secret_keys to servicing_worker, servicing_auditor;
-- What was sealed before keys had ids.
insert into app.secret_keys (id) select 'first' where exists (select from tenants);

-- A process says which keys it has, the current one first. Answers those that it lacks or has with
-- another value; where there are none, its current key counts as used from now on.
create function app.use_secret_keys(ids text[], check_values text[])
  returns table (id text, is_other boolean)
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  return query
    select key.id, given.id is not null
    from app.secret_keys as key
    left join unnest(ids, check_values) as given (id, check_value) on given.id = key.id
    where (given.id is null and key.retired_at is null) or given.check_value <> key.check_value
    order by key.id;
  if found then return; end if;
  insert into app.secret_keys as key (id, check_value) values (ids[1], check_values[1])
  on conflict on constraint secret_keys_pkey do update
    set retired_at = null, check_value = excluded.check_value
    where key.retired_at is not null or key.check_value is null;
  update app.secret_keys as key set check_value = given.check_value
  from unnest(ids, check_values) as given (id, check_value)
  where key.id = given.id and key.check_value is null;
end $$;
revoke execute on function app.use_secret_keys from public;
grant execute on function app.use_secret_keys to servicing_app;

create function app.retire_secret_keys(ids text[]) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  update app.secret_keys set retired_at = now() where id = any(ids) and retired_at is null
$$;
revoke execute on function app.retire_secret_keys from public;
grant execute on function app.retire_secret_keys to servicing_worker;

-- The key under which something is sealed; null where nothing is.
create function app.key_of(sealed text) returns text
  language sql immutable parallel safe
  return case
    when sealed like 'v2:%' then split_part(sealed, ':', 2)
    when sealed like 'v1:%' then 'first'
  end;

-- Sealing anew changes nothing that anybody is told, so it is no change of the record.
create or replace function app.touch() returns trigger language plpgsql as $$
begin
  if current_setting('app.sealing', true) is distinct from 'on' then
    new.updated_at := now();
  end if;
  return new;
end $$;
