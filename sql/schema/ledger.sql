-- The double-entry ledger: accounts, journal entries with their lines, closed periods and year ends.

create table ledger_accounts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  code text not null,
  name text not null,
  account_type text not null check (account_type in ('asset', 'liability', 'equity', 'revenue', 'expense')),
  parent_id uuid,
  description text,
  -- A header account groups its children; nothing is posted to it.
  is_header boolean not null default false,
  is_active boolean not null default true,
  -- The account's purpose in system entries, such as cash or loans_receivable.
  role text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint ledger_accounts_tenant_id_code_key unique (tenant_id, code),
  unique (tenant_id, role),
  check (parent_id <> id),
  foreign key (tenant_id, parent_id) references ledger_accounts (tenant_id, id)
);
create index ledger_accounts_parent on ledger_accounts (tenant_id, parent_id) where parent_id is not null;
call app.protect('ledger_accounts', 'select, insert, update');

-- A closing ends the period through its day permanently: nothing is posted on or before that day.
create table period_closings (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  closed_through date not null,
  description text,
  closed_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint period_closings_closed_through unique (tenant_id, closed_through)
);
call app.protect('period_closings', 'select, insert');

-- Postings of the general ledger; the lines hold the amounts.
create table journal_entries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  entry_date date not null,
  effective_date date not null,
  description text,
  reference_type text not null,
  reference_id uuid,
  -- Distinguishes the entries of one business event; unique with the reference.
  purpose text not null default '',
  loan_id uuid,
  source text not null check (source in ('system', 'manual')),
  status text not null check (status in ('draft', 'posted')),
  posted_at timestamptz,
  posted_by uuid,
  reversal_of_entry_id uuid,
  reversal_reason text,
  is_archived boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint journal_entries_reversed_once unique (tenant_id, reversal_of_entry_id),
  constraint journal_entries_posted_once unique (tenant_id, reference_type, reference_id, purpose),
  foreign key (tenant_id, reversal_of_entry_id) references journal_entries (tenant_id, id)
);
create index journal_entries_date on journal_entries (tenant_id, entry_date desc, id desc);
create index journal_entries_loan on journal_entries (tenant_id, loan_id, entry_date, id) where loan_id is not null;
create index journal_entries_reference on journal_entries (tenant_id, reference_id) where reference_id is not null;
create index journal_entries_drafts on journal_entries (tenant_id, id) where status = 'draft';
create index journal_entries_created on journal_entries (tenant_id, created_at desc, id desc)
  include (is_archived);
call app.protect('journal_entries', 'select, insert');
call app.declare_borrower_data('journal_entries', 'books', links => '{"loan_id": "loans"}',
  redacted => '{reversal_reason}',
  redacted_as => $${"description": "case source when 'system' then description else 'Redacted' end"}$$,
  kept => '{"the books: one of our codes": ["reference_type", "purpose", "source", "status"]}');
grant update (status, posted_at, posted_by, is_archived) on journal_entries to servicing_app;

create table journal_lines (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  entry_id uuid not null,
  -- A copy of the entry's date, so that a balance is read from one covering index. A trigger keeps it equal to the
  -- entry's.
  entry_date date not null,
  account_id uuid not null,
  -- The role of the line, such as loans_receivable, even if the product maps it to another account.
  role text,
  position integer not null,
  debit app.money not null default 0,
  credit app.money not null default 0,
  description text,
  primary key (tenant_id, id),
  check (debit >= 0 and credit >= 0),
  check ((debit = 0) <> (credit = 0)),
  foreign key (tenant_id, entry_id) references journal_entries (tenant_id, id),
  foreign key (tenant_id, account_id) references ledger_accounts (tenant_id, id)
);
create index journal_lines_entry on journal_lines (tenant_id, entry_id);
create index journal_lines_balance on journal_lines (tenant_id, account_id, entry_date)
  include (debit, credit, entry_id);
call app.protect('journal_lines', 'select, insert');
call app.declare_borrower_data('journal_lines', 'books', redacted => '{description}',
  kept => '{"the books: one of our codes": ["role"]}');

-- The end of a fiscal year: income and expense move to retained earnings, once and permanently.
create table year_ends (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  fiscal_year_end date not null,
  net_income app.money,
  -- Null if there was no income and no expense.
  journal_entry_id uuid,
  closed_by uuid,
  created_at timestamptz not null default now(),
  -- The net income if it has more than the 13 digits of app.money; net_income is null then. The journal entry moves
  -- it in several lines.
  wide_net_income numeric(24, 2),
  primary key (tenant_id, id),
  constraint year_ends_once unique (tenant_id, fiscal_year_end),
  foreign key (tenant_id, journal_entry_id) references journal_entries (tenant_id, id),
  foreign key (tenant_id, closed_by) references users (tenant_id, id),
  constraint year_ends_net_income check (coalesce(net_income, wide_net_income) is not null)
);
call app.protect('year_ends', 'select, insert');

-- The lines of posted entries. Drafts are few, so they are subtracted instead of looking up the entry of every
-- line.
create view posted_lines with (security_invoker = true) as
select * from journal_lines as line
where not exists (
  select from journal_entries as draft
  where draft.tenant_id = line.tenant_id and draft.id = line.entry_id and draft.status = 'draft'
);
grant select on posted_lines to servicing_app, servicing_auditor;

-- Refuses entries in a closed period, except the closing entry of a fiscal year, which only moves income and
-- expense to retained earnings and may be dated on the year's last day.
create function app.assert_open_period() returns trigger language plpgsql as $$
declare closed date;
begin
  if tg_op = 'INSERT' and app.is_importing(tg_relid, new.tenant_id) then
    return new;
  end if;
  -- A line may only join an entry of its own transaction, so callers cannot set created_at.
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
  raise exception 'The books are closed through %. Use a later date.', closed
    using errcode = 'check_violation', constraint = 'journal_entries_period_closed';
end $$;

-- Allows a line only in the transaction that creates its entry, and never in a posted entry. The share lock
-- prevents adding a line while another transaction posts the entry.
create function app.assert_line_in_new_entry() returns trigger language plpgsql as $$
declare entry record;
begin
  if app.is_importing(tg_relid, new.tenant_id) then
    return new;
  end if;
  select status, entry_date, created_at = now() as is_new into entry
  from journal_entries where tenant_id = new.tenant_id and id = new.entry_id for share;
  if not found or not entry.is_new then
    raise exception 'Insert lines in the transaction that creates their entry.' using errcode = 'check_violation';
  end if;
  if entry.entry_date <> new.entry_date then
    raise exception 'A line must have the date of its entry.' using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Checked at commit, once per entry: at least two lines, and debits equal credits.
create function app.assert_entry_balances() returns trigger language plpgsql as $$
declare lines bigint; difference numeric;
begin
  select count(*), coalesce(sum(debit - credit), 0) into lines, difference
  from journal_lines where tenant_id = new.tenant_id and entry_id = new.id;
  if lines < 2 or difference <> 0 then
    raise exception 'Entry % has % lines and is unbalanced by %.', new.id, lines, difference
      using errcode = 'check_violation', constraint = 'journal_entries_balanced';
  end if;
  return null;
end $$;

-- A posted entry never changes. A draft may be posted or archived.
create function app.refuse_posted_entry_change() returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' then
    if app.is_redaction(tg_relid, to_jsonb(old), to_jsonb(new)) then return new; end if;
  end if;
  if tg_op = 'DELETE' then
    if app.is_importing(tg_relid, old.tenant_id) then return old; end if;
  end if;
  if tg_op = 'DELETE' or old.status = 'posted'
    or (to_jsonb(old) - '{status,posted_at,posted_by,is_archived}'::text[])
       <> (to_jsonb(new) - '{status,posted_at,posted_by,is_archived}'::text[]) then
    raise exception 'Posted entries cannot change. Reverse the entry instead.' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

-- Raises an error for a line without an account, so that the statement fails by itself and its caller need
-- not count lines.
create function app.raise_missing_account(role text) returns uuid language plpgsql as $$
begin
  raise exception 'The chart of accounts has no account with the role %.', role;
end $$;

create trigger append_only before update or delete on period_closings
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on period_closings
  for each statement execute function app.refuse_change();
create trigger in_open_period before insert on journal_entries
  for each row execute function app.assert_open_period();
create trigger in_open_period_when_posted before update of status on journal_entries
  for each row when (new.status = 'posted') execute function app.assert_open_period();
create trigger joins_new_entry before insert on journal_lines
  for each row execute function app.assert_line_in_new_entry();
create trigger append_only before update or delete on journal_lines
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on journal_lines
  for each statement execute function app.refuse_change();
create constraint trigger balances after insert or update on journal_entries
  deferrable initially deferred for each row execute function app.assert_entry_balances();
create trigger immutable before update or delete on journal_entries
  for each row execute function app.refuse_posted_entry_change();
create trigger append_only_all before truncate on journal_entries
  for each statement execute function app.refuse_change();
create trigger append_only before update or delete on year_ends
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on year_ends
  for each statement execute function app.refuse_change();
