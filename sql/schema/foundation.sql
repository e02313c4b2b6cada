-- The basis of every other file: roles, amounts, the tenant of a transaction, and the protection of a
-- table. sql/database/migrate.ts creates the roles, which cannot log in: servicing_owner changes the
-- schema, servicing_app works with the rows of one tenant at a time, servicing_worker fetches jobs,
-- servicing_auditor reads.
create schema app;
grant usage on schema app, public to servicing_app, servicing_worker, servicing_auditor;

-- Text search in borrowers' names, with the tenant as the first column of the same index.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- An amount of money in the tenant's currency. NaN would pass every comparison, so the domain refuses it.
create domain app.money as numeric(15, 2) check (value <> 'NaN');
-- A fraction: 0.085 is 8.5 percent.
create domain app.rate as numeric(12, 8) check (value <> 'NaN' and value >= 0);

-- The tenant of the running transaction. Without a tenant, policies show no rows.
create function app.current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('app.tenant_id', true), '')::uuid;

-- The id of the HTTP request behind the running transaction. Events and jobs keep it and pass it on to the jobs
-- that they enqueue.
create function app.current_request() returns text
language sql stable parallel safe
return nullif(current_setting('app.request_id', true), '');

-- Sealing a secret again under a newer key is no change for clients, so updated_at stays the same.
create function app.touch() returns trigger language plpgsql as $$
begin
  if current_setting('app.sealing', true) is distinct from 'on' then
    new.updated_at := now();
  end if;
  return new;
end $$;

-- Makes a table append-only, except for a redaction, and for the reset of a sandbox.
create function app.refuse_change() returns trigger
  language plpgsql
as $$
begin
  if tg_level = 'ROW' and tg_op = 'UPDATE' then
    if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  end if;
  if tg_level = 'ROW' and tg_op = 'DELETE' then
    if app.is_importing(tg_relid, (to_jsonb(old) ->> 'tenant_id')::uuid) then return old; end if;
  end if;
  raise exception '% is append-only. Insert a new row instead.', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- Protects a tenant's table: forced row-level security by the transaction's tenant. The owner, whose functions look
-- across tenants, and the auditor see all rows.
create procedure app.protect(target regclass, rights text default 'select, insert, update, delete')
language plpgsql as $$
begin
  execute format('alter table %s enable row level security, force row level security', target);
  execute format(
    -- The subselect makes the tenant a constant of the query, read once instead of once per row.
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
