-- The close of business: its runs, their chunks of loans, and the interest that each day accrued.

-- One run closes one business day of one tenant. Days are closed in order.
create table cob_runs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  cob_date date not null,
  -- Catching up ends with this day.
  through_date date not null,
  status text not null default 'running' check (status in ('running', 'finished')),
  chunks_total integer not null,
  chunks_done integer not null default 0,
  loans integer not null default 0,
  interest app.money not null default 0,
  quarantined integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, id),
  constraint cob_runs_day unique (tenant_id, cob_date)
);
call app.protect('cob_runs', 'select, insert, update');

-- A range of loans in a run. The row makes repeating a chunk harmless. Writers of its loans lock it to know whether
-- the day's interest is posted.
create table cob_chunks (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  run_id uuid not null,
  chunk integer not null,
  cob_date date not null,
  first_loan_id uuid not null,
  -- Null in the last chunk, which includes all later loans.
  before_loan_id uuid,
  is_accrued boolean not null default false,
  loans integer not null default 0,
  interest app.money not null default 0,
  done_at timestamptz,
  -- Set while some of the chunk's loans are not billed yet for a month that has ended. A transaction that
  -- changes such a loan bills it first.
  unbilled_month date,
  -- True while reliefs that ended with the day may still be in force on some of the chunk's loans. No other
  -- transaction changes such a loan before the close has ended its relief.
  has_ended_reliefs boolean not null default false,
  primary key (tenant_id, run_id, chunk),
  foreign key (tenant_id, run_id) references cob_runs (tenant_id, id)
);
create index cob_chunks_day on cob_chunks (tenant_id, cob_date, first_loan_id);
create index cob_chunks_of_morning on cob_chunks (tenant_id, cob_date)
  where unbilled_month is not null or has_ended_reliefs;
call app.protect('cob_chunks', 'select, insert, update');

-- A loan whose close failed is quarantined with the reason; the close continues without it.
create table cob_loan_errors (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  run_id uuid not null,
  loan_id uuid not null,
  step text not null,
  error text not null,
  resolved_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint cob_loan_errors_once unique (tenant_id, run_id, loan_id, step),
  foreign key (tenant_id, run_id) references cob_runs (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('cob_loan_errors', 'select, insert, update');
call app.declare_borrower_data('cob_loan_errors', not_exported_because => 'an error during a close',
  redacted => '{error}', kept => '{"one of our codes": ["step"]}');

-- Loans that were changed after their close posted the day's interest. Finishing the day recomputes their
-- snapshots and delinquency.
create table cob_changed_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  cob_date date not null,
  loan_id uuid not null,
  primary key (tenant_id, cob_date, loan_id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('cob_changed_loans', 'select, insert');
call app.declare_borrower_data('cob_changed_loans',
  not_exported_because => 'loans that the next close looks at again');

-- The cents that each loan earned on each day: the sub-ledger of the aggregated accrual entries. Sequence 0
-- is the nightly row. A later difference (after a backdated event) is another row, dated on the day it was
-- posted. A loan's rows add up to its rounded accrued interest.
create table interest_accruals (
  tenant_id uuid not null default app.current_tenant(),
  accrual_date date not null,
  loan_id uuid not null,
  sequence smallint not null default 0,
  amount app.money not null,
  entry_id uuid not null,
  primary key (tenant_id, accrual_date, loan_id, sequence)
) partition by range (accrual_date);
call app.protect('interest_accruals', 'select, insert');
call app.declare_borrower_data('interest_accruals', 'books', links => '{"loan_id": "loans"}');

-- Creates the partition of a month. A second caller waits and then finds it in pg_class, because
-- to_regclass would answer from its cache.
create function app.ensure_accrual_month(day date) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  first date := date_trunc('month', day)::date;
  name text := 'interest_accruals_' || to_char(day, 'YYYYMM');
begin
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext(name));
  if exists (
    select from pg_class where relname = name and relnamespace = 'public'::regnamespace
  ) then return; end if;
  execute format('create table %I partition of interest_accruals for values from (%L) to (%L)
    with (autovacuum_vacuum_insert_scale_factor = 0.02)', name, first, (first + interval '1 month')::date);
  execute format('alter table %I enable row level security, force row level security', name);
  perform app.assume_equal_tenants(name::regclass);
end $$;

create trigger append_only before update or delete on interest_accruals
  for each row execute function app.refuse_change();
