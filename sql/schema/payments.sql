-- Payments, autopay, and the files that order a bank to move money.

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
  -- The next due date to draw, and the business day of that draw.
  next_due_date date,
  next_run_date date,
  -- The next day on which money is drawn if nothing happens before, and the amount. recordEvents keeps them current.
  next_draw_date date,
  next_draw_amount app.money,
  -- Due dates through this day have been drawn, or had passed when the plan began.
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
  foreign key (tenant_id, backup_payment_instrument_id) references payment_instruments (tenant_id, id)
);
create index autopay_plans_borrower on autopay_plans (tenant_id, borrower_id, created_at desc, id desc);
create index autopay_plans_loan on autopay_plans (tenant_id, loan_id, created_at desc, id desc);
create index autopay_plans_instrument on autopay_plans (tenant_id, payment_instrument_id);
create index autopay_plans_created on autopay_plans (tenant_id, created_at desc, id desc);
create index autopay_plans_status on autopay_plans (tenant_id, status, created_at desc, id desc);
create index autopay_plans_run on autopay_plans (tenant_id, next_run_date, id);
create unique index autopay_plans_one_open on autopay_plans (tenant_id, loan_id)
  where status in ('active', 'paused');
call app.protect('autopay_plans');
call app.declare_borrower_data('autopay_plans', 'borrower', links => '{"borrower_id": "borrowers"}',
  redacted => '{cancel_reason}', kept => '{"one of a few values": ["amount_type", "extra_toward", "frequency"]}',
  takes_rows_after_redaction => true);

create table payments (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  borrower_id uuid not null,
  receipt_number text not null,
  amount app.money not null check (amount > 0),
  payment_date date not null,
  effective_date date not null,
  payment_method text not null,
  payment_type text not null default 'regular',
  payment_instrument_id uuid,
  allocation_override jsonb,
  external_id text,
  reference_number text,
  notes text,
  status text not null,
  source text not null default 'staff',
  autopay_plan_id uuid,
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  suspense_applied app.money not null default 0,
  remaining_balance app.money not null default 0,
  allocations jsonb not null default '[]',
  coverage jsonb not null default '[]',
  posted_at timestamptz,
  settled_at timestamptz,
  failed_at timestamptz,
  failure_reason text,
  return_code text,
  reversed_at timestamptz,
  reversed_by uuid,
  reversal_reason text,
  -- The effective day of the reversal.
  reversal_effective_date date,
  reverses_payment_id uuid,
  -- Until this day the money cannot be refunded. From then on the payment counts as settled.
  hold_until date,
  waive_returned_fee boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The payment plan that scheduled the payment.
  payment_plan_id uuid,
  -- The last day by which a bank file must contain the order; null for payments without a bank order.
  send_by date,
  -- The borrower's authorization of the draw, for payments from the portal.
  consent_id uuid,
  primary key (tenant_id, id),
  constraint payments_tenant_id_external_id_key unique (tenant_id, external_id),
  check (status in ('scheduled', 'canceled', 'pending', 'failed') or
    principal_applied + interest_applied + fees_applied + suspense_applied =
      case payment_type when 'reimbursement' then -amount else amount end),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  foreign key (tenant_id, autopay_plan_id) references autopay_plans (tenant_id, id),
  foreign key (tenant_id, payment_plan_id) references payment_plans (tenant_id, id),
  foreign key (tenant_id, consent_id) references borrower_consents (tenant_id, id)
);
create index payments_loan on payments (tenant_id, loan_id, created_at desc, id desc);
create index payments_held on payments (tenant_id, hold_until)
  where status = 'completed' and hold_until is not null;
create index payments_scheduled on payments (tenant_id, payment_date) where status = 'scheduled';
-- For the payments that are agreed for a loan.
create index payments_scheduled_loan on payments (tenant_id, loan_id) where status = 'scheduled';
create index payments_autopay on payments (tenant_id, autopay_plan_id)
  where autopay_plan_id is not null;
create index payments_ordered on payments (tenant_id, payment_plan_id) where payment_plan_id is not null;
create index payments_send_by on payments (tenant_id, send_by) where send_by is not null;
-- For the first page of the list of payments.
create index payments_created on payments (tenant_id, created_at desc, id desc);
call app.protect('payments');
call app.declare_borrower_data('payments', 'loans',
  redacted => '{reference_number,notes,reversal_reason,failure_reason}', emptied => '{external_id}',
  kept => '{"our own number": ["receipt_number"], "one of a few values": ["payment_method", "payment_type",
    "status", "source"], "the bank''s code": ["return_code"], "how the money was applied": ["allocation_override",
    "allocations", "coverage"]}',
  takes_rows_after_redaction => true);

-- One draw per plan and due date, however often the day is closed, and whether it is repeated after a return.
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
create index autopay_draws_plan on autopay_draws (tenant_id, autopay_plan_id, created_at desc, id desc);
create index autopay_draws_payment on autopay_draws (tenant_id, payment_id);
create index autopay_draws_retry on autopay_draws (tenant_id, retry_on) where status = 'retrying';
call app.protect('autopay_draws');
call app.declare_borrower_data('autopay_draws', 'loans', links => '{"loan_id": "loans"}',
  kept => '{"one of a few values": ["reason"]}');

-- Files for the bank (NACHA).
create table nacha_files (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  file_date date not null,
  file_id_modifier text not null check (file_id_modifier ~ '^[A-Z0-9]$'),
  effective_entry_date date not null,
  -- The originator settings when the file was ordered.
  originator jsonb not null,
  entry_count integer not null,
  debit_total app.money not null,
  credit_total app.money not null,
  status text not null default 'pending' check (status in ('pending', 'completed')),
  filename text not null,
  storage_key text not null,
  -- The file is stored encrypted under this key (jobs/files/sealed-files.ts).
  file_key_sealed text not null,
  -- Size and hash as downloaded.
  file_size integer,
  sha256_hash text,
  stored_sha256_hash text,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint nacha_files_modifier unique (tenant_id, file_date, file_id_modifier)
);
create index nacha_files_created on nacha_files (tenant_id, created_at desc, id desc);
call app.protect('nacha_files');

-- Each entry as it was sent, so that a file that is regenerated after a crash is identical.
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
  draw_id uuid,
  -- The clearing account that holds the amount until the file's day; null if cash was booked with the order.
  clearing_account_id uuid,
  -- The day on which the amount moved from the clearing account to cash.
  settled_on date,
  primary key (tenant_id, id),
  constraint nacha_entries_payment unique (tenant_id, payment_id),
  constraint nacha_entries_disbursement unique (tenant_id, disbursement_id),
  constraint nacha_entries_trace_number unique (tenant_id, trace_number),
  foreign key (tenant_id, nacha_file_id) references nacha_files (tenant_id, id),
  foreign key (tenant_id, payment_id) references payments (tenant_id, id),
  foreign key (tenant_id, disbursement_id) references disbursements (tenant_id, id),
  constraint nacha_entries_draw unique (tenant_id, draw_id),
  foreign key (tenant_id, draw_id) references draws (tenant_id, id),
  check (num_nonnulls(payment_id, disbursement_id, draw_id) = 1),
  foreign key (tenant_id, clearing_account_id) references ledger_accounts (tenant_id, id)
);
create index nacha_entries_file on nacha_entries (tenant_id, nacha_file_id, trace_number);
create index nacha_entries_in_transit on nacha_entries (tenant_id, nacha_file_id)
  where settled_on is null and return_code is null and clearing_account_id is not null;
create index nacha_entries_created on nacha_entries (tenant_id, nacha_file_id, created_at desc, id desc);
call app.protect('nacha_entries');
call app.declare_borrower_data('nacha_entries', 'books',
  links => '{"payment_id": "payments", "disbursement_id": "disbursements", "draw_id": "draws"}',
  redacted => '{individual_name}', redacted_as => $${"routing_number": "'000000000'"}$$,
  secret => '{account_number_sealed}',
  kept => '{"the format of the bank''s file": ["batch", "transaction_code", "trace_number", "return_code"],
    "the loan''s number": ["individual_id"]}',
  is_about => 'app.order_borrower(payment_id, disbursement_id, draw_id) = $1');

-- The bank account of an order, copied when the order is made. Bank files use this copy, so a later change of the
-- payment instrument never redirects money that was already ordered.
create table order_accounts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  payment_id uuid,
  disbursement_id uuid,
  draw_id uuid,
  payment_instrument_id uuid not null,
  -- The payer's or payee's name in the bank file.
  individual_name text not null,
  bank_name text,
  account_type text,
  routing_number text not null,
  account_number_sealed text not null,
  account_number_last_four text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint order_accounts_payment unique (tenant_id, payment_id),
  constraint order_accounts_disbursement unique (tenant_id, disbursement_id),
  constraint order_accounts_draw unique (tenant_id, draw_id),
  -- A scheduled payment is deleted and written again with the same id on its day.
  foreign key (tenant_id, payment_id) references payments (tenant_id, id) deferrable initially deferred,
  foreign key (tenant_id, disbursement_id) references disbursements (tenant_id, id),
  foreign key (tenant_id, draw_id) references draws (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  check (num_nonnulls(payment_id, disbursement_id, draw_id) = 1)
);
create index order_accounts_instrument on order_accounts (tenant_id, payment_instrument_id);
call app.protect('order_accounts', 'select, insert, update');
call app.declare_borrower_data('order_accounts', 'books',
  links => '{"payment_id": "payments", "disbursement_id": "disbursements", "draw_id": "draws"}',
  redacted => '{individual_name,bank_name}', emptied => '{account_number_last_four}',
  redacted_as => $${"routing_number": "'000000000'"}$$, secret => '{account_number_sealed}',
  kept => '{"one of a few values": ["account_type"]}',
  is_about => 'app.order_borrower(payment_id, disbursement_id, draw_id) = $1');

-- Notifications of change: a bank's correction of an account's number, bank or type.
create table change_notices (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  nacha_entry_id uuid not null,
  payment_instrument_id uuid not null,
  borrower_id uuid not null,
  loan_id uuid not null,
  code text not null check (code ~ '^C\d{2}$'),
  trace_number text not null,
  received_on date not null,
  due_date date not null,
  corrected_routing_number text check (corrected_routing_number ~ '^\d{9}$'),
  corrected_account_number_sealed text,
  corrected_account_number_last_four text check (corrected_account_number_last_four ~ '^\d{4}$'),
  corrected_account_type text check (corrected_account_type in ('checking', 'savings')),
  status text not null default 'pending' check (status in ('pending', 'applied', 'dismissed')),
  decided_at timestamptz,
  decided_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, nacha_entry_id) references nacha_entries (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  constraint change_notices_reported unique (tenant_id, nacha_entry_id, code, trace_number)
);
create index change_notices_created on change_notices (tenant_id, created_at desc, id desc);
create index change_notices_instrument on change_notices (tenant_id, payment_instrument_id, created_at desc, id desc);
call app.protect('change_notices');
call app.declare_borrower_data('change_notices', 'borrower', links => '{"borrower_id": "borrowers"}',
  emptied => '{corrected_account_number_last_four}',
  redacted_as => $${"corrected_routing_number": "'000000000'"}$$, secret => '{corrected_account_number_sealed}',
  kept => '{"the bank''s code": ["code"], "the format of the bank''s file": ["trace_number"]}',
  takes_rows_after_redaction => true);

-- Keys from earlier tables to those above.
alter table fees add foreign key (tenant_id, payment_id) references payments (tenant_id, id);
alter table autopay_plans add foreign key (tenant_id, last_payment_id) references payments (tenant_id, id) deferrable initially immediate;
