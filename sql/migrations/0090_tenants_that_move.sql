-- A tenant that moves to another database is closed meanwhile: closing (what runs may finish), closed
-- (nothing is read or written), exported (a file holds it, and it may be open elsewhere).
alter table tenants add column door text not null default 'open'
  check (door in ('open', 'closing', 'closed', 'exported'));
alter table tenants add constraint tenants_shut_is_inactive check (door = 'open' or not is_active);

-- Whether transactions of the running tenant are refused.
create function app.is_shut() returns boolean
  language sql stable parallel safe
  return exists (select from tenants where id = app.current_tenant() and door in ('closed', 'exported'));

drop function app.tenant_of_host(text);
create function app.tenant_of_host(host text)
  returns table (id uuid, slug text, is_active boolean, door text)
  language sql stable security definer set search_path = public, pg_temp
as $$
  select tenant.id, tenant.slug, tenant.is_active, tenant.door
  from tenant_domains as domain join tenants as tenant on tenant.id = domain.tenant_id
  where domain.domain = host
$$;

-- Events of a tenant that is not open wait to be relayed, here or where the tenant moves to: the relay
-- would mark them as told without telling anybody.
create function app.event_waits() returns trigger language plpgsql as $$
begin
  if exists (select from tenants where id = new.tenant_id and door <> 'open') then return null; end if;
  return new;
end $$;
create trigger waits before update of relayed_at on events
  for each row when (old.relayed_at is null) execute function app.event_waits();

-- The one way past what keeps the books as they were written: rows that come in as they were in another
-- database, brought by the owner of the tables into a tenant that is closed (sql/moving/rows.ts).
create function app.comes_in(target regclass, tenant uuid) returns boolean
  language sql stable set search_path = public, pg_temp
  return current_setting('app.coming_in', true) = tenant::text
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = target);

-- These three close a circle of tables: rows that come in are compared when all of them are there. All
-- other transactions compare them at once, as before.
alter table autopay_plans alter constraint autopay_plans_tenant_id_last_payment_id_fkey deferrable initially immediate;
alter table borrowers alter constraint borrowers_tenant_id_redacted_by_fkey deferrable initially immediate;
alter table programs alter constraint programs_tenant_id_default_product_id_fkey deferrable initially immediate;

create or replace function app.entry_in_open_period() returns trigger language plpgsql as $$
declare closed date;
begin
  if tg_op = 'INSERT' and app.comes_in(tg_relid, new.tenant_id) then
    return new;
  end if;
  -- Lines join an entry of their own transaction only, so nobody says when it was created.
  if tg_op = 'INSERT' then
    new.created_at := now();
  end if;
  perform from tenants where id = new.tenant_id for key share;
  select closed_through into closed from period_closings
  where tenant_id = new.tenant_id order by closed_through desc limit 1;
  if closed is null or new.entry_date > closed
    or (new.source = 'system' and new.reference_type = 'year_end') then
    return new;
  end if;
  if new.source = 'system' and tg_op = 'INSERT' then
    new.entry_date := closed + 1;
    return new;
  end if;
  raise exception 'The books are closed through %.', closed
    using errcode = 'check_violation', constraint = 'journal_entries_period_closed';
end $$;

create or replace function app.line_joins_new_entry() returns trigger language plpgsql as $$
declare entry record;
begin
  if app.comes_in(tg_relid, new.tenant_id) then
    return new;
  end if;
  select status, entry_date, created_at = now() as is_new into entry
  from journal_entries where tenant_id = new.tenant_id and id = new.entry_id for share;
  if not found or not entry.is_new then
    raise exception 'Lines are written together with their entry.' using errcode = 'check_violation';
  end if;
  if entry.entry_date <> new.entry_date then
    raise exception 'A line has the date of its entry.' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace function app.refuse_change_of_redacted() returns trigger
  language plpgsql set search_path = public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.redacted_at is null or app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then
      return new;
    end if;
  elsif app.comes_in(tg_relid, new.tenant_id) or not exists (
    select from borrowers
    where tenant_id = new.tenant_id and id = new.borrower_id and redacted_at is not null
  ) then
    return new;
  end if;
  raise exception 'The borrower is redacted.'
    using errcode = 'check_violation', constraint = 'borrowers_redacted';
end $$;
