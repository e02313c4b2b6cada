-- How a borrower pays. The account's number is kept sealed (jobs/sealing/secrets.ts), so that a copy
-- of the database alone cannot debit anybody; people see its last four digits.
create table payment_instruments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  instrument_type text not null default 'bank_account',
  account_holder_name text,
  bank_name text,
  routing_number text check (routing_number ~ '^\d{9}$'),
  account_number_sealed text,
  account_number_last_four text check (account_number_last_four ~ '^\d{4}$'),
  account_type text,
  card_brand text,
  card_exp_month integer check (card_exp_month between 1 and 12),
  card_exp_year integer,
  token_sealed text,
  is_default boolean not null default false,
  is_verified boolean not null default false,
  verified_at timestamptz,
  verification_method text not null default 'none',
  status text not null default 'active' check (status in ('active', 'inactive', 'blocked')),
  last_return_code text,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('payment_instruments');
create index payment_instruments_borrower
  on payment_instruments (tenant_id, borrower_id, created_at desc, id desc);
create unique index payment_instruments_one_default on payment_instruments (tenant_id, borrower_id)
  where is_default and not is_archived;

alter table payments add foreign key (tenant_id, payment_instrument_id)
  references payment_instruments (tenant_id, id);
alter table disbursements add foreign key (tenant_id, payment_instrument_id)
  references payment_instruments (tenant_id, id);

create table autopay_plans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  borrower_id uuid not null,
  loan_id uuid not null,
  payment_instrument_id uuid not null,
  backup_payment_instrument_id uuid,
  amount_type text not null default 'minimum_due',
  fixed_amount app.money,
  extra_amount app.money,
  extra_toward text not null default 'principal',
  frequency text not null default 'on_due_date',
  days_before_due integer not null default 0 check (days_before_due between 0 and 30),
  day_of_month integer check (day_of_month between 1 and 31),
  start_date date not null,
  end_date date,
  -- The due date that is drawn for next, and the business day on which that happens.
  next_due_date date,
  next_run_date date,
  -- Due dates up to this one have had their draw, or were over before the plan began.
  drawn_through date not null,
  status text not null default 'active'
    check (status in ('active', 'paused', 'canceled', 'completed', 'failed')),
  is_enabled boolean not null default true,
  retry_count integer not null default 2 check (retry_count between 0 and 2),
  retry_interval_days integer not null default 3 check (retry_interval_days between 1 and 30),
  consecutive_failures integer not null default 0,
  canceled_at timestamptz,
  cancel_reason text,
  consent_id uuid,
  last_payment_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  foreign key (tenant_id, backup_payment_instrument_id)
    references payment_instruments (tenant_id, id),
  foreign key (tenant_id, last_payment_id) references payments (tenant_id, id)
);
call app.protect('autopay_plans');
create index autopay_plans_borrower on autopay_plans (tenant_id, borrower_id, created_at desc, id desc);
create index autopay_plans_loan on autopay_plans (tenant_id, loan_id, created_at desc, id desc);
create index autopay_plans_instrument on autopay_plans (tenant_id, payment_instrument_id);
create unique index autopay_plans_one_open on autopay_plans (tenant_id, loan_id)
  where status in ('active', 'paused');

alter table payments add foreign key (tenant_id, autopay_plan_id)
  references autopay_plans (tenant_id, id);
create index payments_autopay on payments (tenant_id, autopay_plan_id)
  where autopay_plan_id is not null;

-- One row per plan and due date, however often the day is closed: what was asked for, and whether it
-- is asked for again after a return.
create table autopay_draws (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  autopay_plan_id uuid not null,
  loan_id uuid not null,
  due_date date not null,
  run_date date not null,
  amount app.money not null default 0,
  payment_id uuid,
  status text not null check (status in ('drawn', 'skipped', 'retrying', 'returned', 'failed')),
  reason text,
  attempts integer not null default 0,
  retry_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint autopay_draws_once unique (tenant_id, autopay_plan_id, due_date),
  foreign key (tenant_id, autopay_plan_id) references autopay_plans (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_id) references payments (tenant_id, id)
);
call app.protect('autopay_draws');
create index autopay_draws_plan on autopay_draws (tenant_id, autopay_plan_id, created_at desc, id desc);
create index autopay_draws_payment on autopay_draws (tenant_id, payment_id);
create index autopay_draws_retry on autopay_draws (tenant_id, retry_on) where status = 'retrying';

-- What was handed to the bank, file by file.
create table nacha_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  file_date date not null,
  file_id_modifier text not null check (file_id_modifier ~ '^[A-Z0-9]$'),
  effective_entry_date date not null,
  -- The originator as the settings had it when the file was ordered.
  originator jsonb not null,
  entry_count integer not null,
  debit_total app.money not null,
  credit_total app.money not null,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  filename text not null,
  storage_key text not null,
  file_size integer,
  sha256_hash text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint nacha_files_modifier unique (tenant_id, file_date, file_id_modifier)
);
call app.protect('nacha_files');
create index nacha_files_created on nacha_files (tenant_id, created_at desc, id desc);

-- Each entry as it was sent, so that a file made again after a crash is the same file.
create table nacha_entries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  nacha_file_id uuid not null,
  payment_id uuid,
  disbursement_id uuid,
  batch text not null,
  transaction_code text not null,
  routing_number text not null,
  account_number_sealed text not null,
  amount app.money not null check (amount > 0),
  individual_id text not null,
  individual_name text not null,
  trace_number text not null check (trace_number ~ '^\d{15}$'),
  return_code text,
  returned_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (num_nonnulls(payment_id, disbursement_id) = 1),
  constraint nacha_entries_payment unique (tenant_id, payment_id),
  constraint nacha_entries_disbursement unique (tenant_id, disbursement_id),
  constraint nacha_entries_trace_number unique (tenant_id, trace_number),
  foreign key (tenant_id, nacha_file_id) references nacha_files (tenant_id, id),
  foreign key (tenant_id, payment_id) references payments (tenant_id, id),
  foreign key (tenant_id, disbursement_id) references disbursements (tenant_id, id)
);
call app.protect('nacha_entries');
create index nacha_entries_file on nacha_entries (tenant_id, nacha_file_id, trace_number);
