-- The roles exist already (sql/database/migrate.ts): the owner changes the schema, the application works with
-- rows of one tenant at a time, the auditor reads. None of them may log in.
create schema app;
grant usage on schema app to servicing_app, servicing_auditor;
grant usage on schema public to servicing_app, servicing_auditor;

-- An amount of money, in the tenant's currency. NaN would pass every comparison, so it is refused.
create domain app.money as numeric(15, 2) check (value <> 'NaN');
-- A fraction: 0.085 is 8.5 percent.
create domain app.rate as numeric(12, 8) check (value <> 'NaN' and value >= 0);

-- The tenant of the running transaction; no tenant, no rows.
create function app.current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

create function app.touch() returns trigger language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;

create function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- What every table of tenants' rows has: forced row-level security, keyed by the transaction's
-- tenant; the owner (whose functions look across tenants) and the auditor see all rows.
create procedure app.protect(target regclass, rights text default 'select, insert, update, delete')
language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format(
    -- The select around the tenant makes it a constant of the query: read once and not for each row.
    'create policy tenant on %s to servicing_app
       using (tenant_id = (select app.current_tenant()))
       with check (tenant_id = (select app.current_tenant()))', target);
  execute format('create policy owner on %s to servicing_owner using (true) with check (true)', target);
  execute format('create policy auditor on %s for select to servicing_auditor using (true)', target);
  execute format('grant %s on %s to servicing_app', rights, target);
  execute format('grant select on %s to servicing_auditor', target);
  if exists (
    select from pg_attribute where attrelid = target and attname = 'updated_at' and not attisdropped
  ) then
    execute format('create trigger touch before update on %s for each row execute function app.touch()', target);
  end if;
end $$;

create table tenants (
  id uuid primary key default uuidv7(),
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  time_zone text not null default 'America/New_York',
  currency text not null default 'USD',
  locale text not null default 'en-US',
  -- The day whose business is being done; only the close of business advances it.
  business_date date not null,
  settings jsonb not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table tenants enable row level security, force row level security;
create policy tenant on tenants to servicing_app using (id = app.current_tenant()) with check (id = app.current_tenant());
create policy owner on tenants to servicing_owner using (true) with check (true);
create policy auditor on tenants for select to servicing_auditor using (true);
grant select, update on tenants to servicing_app;
grant select on tenants to servicing_auditor;
create trigger touch before update on tenants for each row execute function app.touch();

create table tenant_domains (
  domain text primary key check (domain = lower(domain)),
  tenant_id uuid not null default app.current_tenant() references tenants (id)
);
call app.protect('tenant_domains', 'select, insert, delete');

-- The business date of the running transaction's tenant.
create function app.business_date() returns date
  language sql stable parallel safe
  return (select business_date from tenants where id = app.current_tenant());

-- Called before any tenant is known: the one tenant whose domain this host is.
create function app.tenant_of_host(host text)
  returns table (id uuid, slug text, is_active boolean)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenant.id, tenant.slug, tenant.is_active
  from tenant_domains as domain join tenants as tenant on tenant.id = domain.tenant_id
  where domain.domain = host
$$;

-- Every active tenant, for the clock that starts nightly work.
create function app.active_tenants()
  returns table (id uuid, slug text, name text, time_zone text, business_date date)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select id, slug, name, time_zone, business_date from tenants where is_active order by slug
$$;

create function app.create_tenant(slug text, name text, business_date date, domains text[])
  returns uuid
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare created uuid;
begin
  insert into tenants (slug, name, business_date)
  values (create_tenant.slug, create_tenant.name, create_tenant.business_date)
  returning id into created;
  insert into tenant_domains (domain, tenant_id) select lower(domain), created from unnest(domains) as domain;
  return created;
end $$;
revoke execute on function app.create_tenant from public;
