-- Tenants, their domains, and the ids of the keys that seal secrets.

create table tenants (
  id uuid primary key default uuidv7(),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  time_zone text not null default 'America/New_York',
  currency text not null default 'USD',
  locale text not null default 'en-US',
  -- The current business day. Only the close of business advances it.
  business_date date not null,
  settings jsonb not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Set while a tenant moves to another database. closing: running work may finish. closed: nothing is read or
  -- written. exported: a file holds the tenant, which may be open elsewhere.
  access text not null default 'open' check (access in ('open', 'closing', 'closed', 'exported')),
  -- The time zone of the tenant from its next business date on.
  next_time_zone text,
  -- A sandbox for trying things out: its clients move its business date and reset its book. Set when the tenant is
  -- created and never changed, so that no real tenant can become one.
  is_sandbox boolean not null default false,
  constraint tenants_closed_is_inactive check (access = 'open' or not is_active)
);
alter table tenants enable row level security, force row level security;
create policy tenant on tenants to servicing_app using (id = app.current_tenant()) with check (id = app.current_tenant());
create policy owner on tenants to servicing_owner using (true) with check (true);
create policy auditor on tenants for select to servicing_auditor using (true);
grant select, update on tenants to servicing_app;
grant select on tenants to servicing_auditor;
create trigger touch before update on tenants for each row execute function app.touch();

-- Keeps a tenant what it was created as.
create function app.refuse_sandbox_change() returns trigger language plpgsql as $$
begin
  raise exception 'A tenant is a sandbox from its creation, or never.' using errcode = 'insufficient_privilege';
end $$;
create trigger sandbox_for_good before update on tenants
  for each row when (old.is_sandbox is distinct from new.is_sandbox) execute function app.refuse_sandbox_change();

-- The host names of a tenant. The host of a request selects the tenant.
create table tenant_domains (
  domain text primary key check (domain = lower(domain)),
  tenant_id uuid not null default app.current_tenant() references tenants (id)
);
call app.protect('tenant_domains', 'select, insert, delete');

-- The keys of SECRET that seal something. The check value shows whether a process has the same key under an id,
-- without revealing the key.
create table app.secret_keys (
  id text primary key,
  check_value text,
  first_used_at timestamptz not null default now(),
  -- Nothing is sealed under this key any more: it may be removed from SECRET.
  retired_at timestamptz
);
grant select on app.secret_keys to servicing_worker, servicing_auditor;

-- The business date of the running transaction's tenant.
create function app.business_date() returns date
  language sql stable parallel safe
  return (select business_date from tenants where id = app.current_tenant());

-- The tenant of a host name. Called before the tenant of the request is known.
create function app.tenant_of_host(host text)
  returns table (id uuid, slug text, is_active boolean, access text)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenant.id, tenant.slug, tenant.is_active, tenant.access
  from tenant_domains as domain join tenants as tenant on tenant.id = domain.tenant_id
  where domain.domain = host
$$;

-- Every active tenant, for the clock that starts the close of business and other nightly jobs.
create function app.active_tenants()
  returns table (id uuid, slug text, name text, time_zone text, business_date date, is_sandbox boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, slug, name, time_zone, business_date, is_sandbox from tenants where is_active order by slug
$$;

-- Every tenant, active or not, for jobs that visit all of them. Reveals no tenant data.
create function app.all_tenants() returns table (id uuid, slug text, is_active boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, slug, is_active from tenants order by slug
$$;
revoke execute on function app.all_tenants from public;
grant execute on function app.all_tenants to servicing_worker;

-- Creates a tenant with its domains; for the command line.
create function app.create_tenant(
  slug text, name text, business_date date, domains text[], is_sandbox boolean default false
) returns uuid
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare created uuid;
begin
  insert into tenants (slug, name, business_date, is_sandbox)
  values (create_tenant.slug, create_tenant.name, create_tenant.business_date, create_tenant.is_sandbox)
  returning id into created;
  insert into tenant_domains (domain, tenant_id) select lower(domain), created from unnest(domains) as domain;
  return created;
end $$;
revoke execute on function app.create_tenant from public;
grant execute on function app.create_tenant to servicing_worker;

-- Whether transactions of the running tenant are refused.
create function app.is_tenant_closed() returns boolean
  language sql stable parallel safe
  return exists (select from tenants where id = app.current_tenant() and access in ('closed', 'exported'));

-- Ends the current transaction if its tenant is closed. For callers that send their first statement without
-- waiting for an answer.
create function app.refuse_closed_tenant() returns void language plpgsql stable as $$
begin
  if app.is_tenant_closed() then
    raise exception 'The tenant is closed while it moves to another database.' using errcode = 'TSHUT';
  end if;
end $$;

-- Ends a transaction that assumed the wrong business date, before it reads or writes anything.
create function app.assert_business_date(assumed date) returns void language plpgsql stable as $$
begin
  if assumed is not null and assumed is distinct from app.business_date() then
    raise exception 'The business date has moved. Start again on the new date.' using errcode = 'TODAY';
  end if;
end $$;

-- Whether the current role owns the table. Separate from app.is_importing, so that this function call is evaluated only
-- while rows are imported.
create function app.is_owner_of(target regclass) returns boolean
  language sql stable set search_path = public, pg_temp
  return current_user = (select pg_get_userbyid(relowner) from pg_class where oid = target);

-- Whether rows of this tenant are being imported from another database, or a sandbox is being reset. Its names are bound
-- at creation, so it needs no search path setting and can be inlined.
create function app.is_importing(target regclass, tenant uuid) returns boolean
  language sql stable
  return current_setting('app.importing_tenant', true) is not distinct from tenant::text
    and app.is_owner_of(target);

-- Registers a process's keys, the current one first. Returns the recorded keys that the process lacks or
-- has with another value. If there are none, records its current key as used.
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

-- Records that nothing is sealed under these keys any more.
create function app.retire_secret_keys(ids text[]) returns void
  language sql security definer set search_path = public, pg_temp
as $$
  update app.secret_keys set retired_at = now() where id = any(ids) and retired_at is null
$$;
revoke execute on function app.retire_secret_keys from public;
grant execute on function app.retire_secret_keys to servicing_worker;

-- The id of the key under which a value is sealed; null for null.
create function app.sealing_key_id(sealed text) returns text
  language sql immutable parallel safe
  return case
    when sealed like 'v2:%' then split_part(sealed, ':', 2)
    when sealed like 'v1:%' then 'first'
  end;
