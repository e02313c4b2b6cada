-- The end of a fiscal year: what was earned and spent goes to retained earnings, once and for good.
create table year_ends (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  fiscal_year_end date not null,
  net_income app.money not null,
  -- Null where nothing was earned or spent.
  journal_entry_id uuid,
  closed_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint year_ends_once unique (tenant_id, fiscal_year_end),
  foreign key (tenant_id, journal_entry_id) references journal_entries (tenant_id, id),
  foreign key (tenant_id, closed_by) references users (tenant_id, id)
);
call app.protect('year_ends', 'select, insert');
create trigger append_only before update or delete on year_ends
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on year_ends
  for each statement execute function app.refuse_change();

-- As before, but that the last entry of a year is dated on its last day, although the month may be closed
-- by then: it moves nothing but income and expense to retained earnings.
create or replace function app.entry_in_open_period() returns trigger language plpgsql as $$
declare closed date;
begin
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
