-- One run closes one business day of one tenant. Days are closed one by one, in order.
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
  parked integer not null default 0,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (tenant_id, id),
  constraint cob_runs_day unique (tenant_id, cob_date)
);
call app.protect('cob_runs', 'select, insert, update');

-- A range of loans within a run. The row is the guard that makes a repeated chunk do nothing, and
-- what a writer of one of its loans locks to know whether the day's interest is posted yet.
create table cob_chunks (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  run_id uuid not null,
  chunk integer not null,
  cob_date date not null,
  first_loan_id uuid not null,
  -- Null in the last chunk, which takes every later loan too.
  before_loan_id uuid,
  is_accrued boolean not null default false,
  loans integer not null default 0,
  interest app.money not null default 0,
  done_at timestamptz,
  primary key (tenant_id, run_id, chunk),
  foreign key (tenant_id, run_id) references cob_runs (tenant_id, id)
);
call app.protect('cob_chunks', 'select, insert, update');
create index cob_chunks_day on cob_chunks (tenant_id, cob_date, first_loan_id);

-- A loan whose close failed is parked with its reason; the day goes on without it.
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

-- The cents that each loan earned on each day: the sub-ledger of the aggregated accrual entries. The
-- nightly row is sequence 0; a difference found later (a backdated event) is a further row, dated on
-- the day it was posted. The rows of a loan add up to its rounded interest accrued.
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
create trigger append_only before update or delete on interest_accruals
  for each row execute function app.refuse_change();

-- Makes the month's partition when the first day of it is accrued.
create function app.ensure_accrual_month(day date) returns void
  language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  first date := date_trunc('month', day)::date;
  name text := 'interest_accruals_' || to_char(day, 'YYYYMM');
begin
  if to_regclass(name) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtext(name));
  if to_regclass(name) is not null then return; end if;
  execute format('create table %I partition of interest_accruals for values from (%L) to (%L)
    with (autovacuum_vacuum_insert_scale_factor = 0.02)', name, first, (first + interval '1 month')::date);
  execute format('alter table %I enable row level security, force row level security', name);
end $$;

create table loan_snapshots (
  tenant_id uuid not null default app.current_tenant(),
  snapshot_date date not null,
  loan_id uuid not null,
  id uuid not null default uuidv7(),
  status text not null,
  sub_status text,
  principal_balance app.money not null,
  accrued_interest app.money not null,
  outstanding_fees app.money not null,
  total_balance app.money not null,
  suspense_balance app.money not null,
  payoff_amount app.money not null,
  per_diem app.money not null,
  interest_accrued_today app.money not null,
  past_due_amount app.money not null,
  days_past_due integer not null,
  delinquency_bucket text not null,
  first_delinquency_date date,
  next_payment_date date,
  next_payment_amount app.money,
  last_payment_date date,
  last_payment_amount app.money,
  total_paid_principal app.money not null,
  total_paid_interest app.money not null,
  total_paid_fees app.money not null,
  interest_rate app.rate not null,
  remaining_term integer not null,
  maturity_date date,
  is_frozen boolean not null,
  is_accelerated boolean not null,
  is_non_accrual boolean not null,
  charge_off_balance app.money not null,
  portfolio_id uuid,
  loan_officer_id uuid,
  labels jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, snapshot_date, loan_id)
);
call app.protect('loan_snapshots', 'select, insert');
create index loan_snapshots_loan on loan_snapshots (tenant_id, loan_id, snapshot_date desc);
create index loan_snapshots_portfolio on loan_snapshots (tenant_id, portfolio_id, snapshot_date);

-- Locks a loan for a change, before any of its children, and answers whether today's interest of it is
-- posted already. A writer holds the tenant's share lock, so that a close is planned either before
-- it begins or after it has committed; and its chunk's row, so that the chunk accrues either before
-- or after the change, and both sides know which.
create function app.lock_loan(loan uuid) returns boolean
language plpgsql set search_path = public, pg_temp
as $$
declare accrued boolean;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('close ' || app.current_tenant(), 0));
  perform from loans where id = loan for no key update;
  if not found then return null; end if;
  select chunk.is_accrued into accrued
  from cob_chunks as chunk
  where chunk.cob_date = app.business_date() and chunk.first_loan_id <= loan
    and (chunk.before_loan_id is null or loan < chunk.before_loan_id)
  for share;
  return coalesce(accrued, false);
end $$;
