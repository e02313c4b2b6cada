-- Investors, portfolios, daily snapshots, loan sales, remittances and loan tapes.

-- Owners of loans that are serviced here.
create table investors (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  investor_type text not null default 'institutional',
  legal_name text,
  tax_id_last_four text check (tax_id_last_four ~ '^\d{4}$'),
  contact_name text,
  contact_email text,
  contact_phone text,
  address jsonb not null default '{}',
  remittance_type text not null default 'actual_actual',
  remittance_frequency text not null default 'monthly',
  remittance_day integer check (remittance_day between 1 and 31),
  servicing_fee_rate app.rate not null default 0.005,
  is_active boolean not null default true,
  external_id text,
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint investors_tenant_id_name_key unique (tenant_id, name),
  constraint investors_tenant_id_external_id_key unique (tenant_id, external_id)
);
create index investors_created on investors (tenant_id, created_at desc, id desc);
call app.protect('investors');

create table portfolios (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  portfolio_type text not null default 'static',
  description text,
  criteria jsonb not null default '{}',
  status text not null default 'active',
  sold_at timestamptz,
  sale_price app.money,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  investor_id uuid,
  sale_date date,
  servicing_retained boolean,
  -- The buyer, from the agreement of a sale until it settles. Until then the seller owns the portfolio and
  -- its loans.
  buyer_id uuid,
  settlement_date date,
  settled_on date,
  primary key (tenant_id, id),
  constraint portfolios_tenant_id_name_key unique (tenant_id, name),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  check (status in ('active', 'sold')),
  check (portfolio_type in ('static', 'dynamic')),
  foreign key (tenant_id, buyer_id) references investors (tenant_id, id)
);
create index portfolios_created on portfolios (tenant_id, created_at desc, id desc);
call app.protect('portfolios');

-- Bank accounts for money that goes to investors.
create table settlement_instruments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  instrument_type text not null,
  account_holder_name text,
  bank_name text,
  routing_number text,
  account_number_last_four text check (account_number_last_four ~ '^\d{4}$'),
  account_type text,
  swift_code text,
  is_primary boolean not null default false,
  is_active boolean not null default true,
  status text not null default 'active',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id)
);
create index settlement_instruments_investor
  on settlement_instruments (tenant_id, investor_id, created_at desc, id desc);
create unique index settlement_instruments_one_primary
  on settlement_instruments (tenant_id, investor_id) where is_primary;
call app.protect('settlement_instruments');

-- Each loan as of the close of a day.
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
  past_due_principal app.money not null default 0,
  past_due_interest app.money not null default 0,
  past_due_fees app.money not null default 0,
  past_due_30_amount app.money not null default 0,
  days_past_due integer not null,
  delinquency_bucket text not null,
  first_delinquency_date date,
  first_delinquency_30_date date,
  times_delinquent_30 integer not null default 0,
  times_delinquent_60 integer not null default 0,
  times_delinquent_90 integer not null default 0,
  next_payment_date date,
  next_payment_amount app.money,
  last_payment_date date,
  last_payment_amount app.money,
  total_paid_principal app.money not null,
  total_paid_interest app.money not null,
  total_paid_fees app.money not null,
  interest_rate app.rate not null,
  remaining_term integer not null,
  payments_remaining integer not null default 0,
  maturity_date date,
  final_payment_amount app.money,
  credit_limit app.money,
  available_credit app.money,
  is_frozen boolean not null,
  is_accelerated boolean not null,
  is_non_accrual boolean not null,
  charge_off_balance app.money not null,
  net_charge_off app.money not null default 0,
  portfolio_id uuid,
  investor_id uuid,
  loan_officer_id uuid,
  labels jsonb not null,
  created_at timestamptz not null default now(),
  -- The schedule version in force that night, for credit reporting as of month-end.
  schedule_version integer,
  interest_free_balance app.money not null default 0,
  -- Whether the loan was frozen because of a disaster; null if not known.
  is_in_disaster boolean,
  -- The term in months as of that day's close.
  term integer,
  primary key (tenant_id, snapshot_date, loan_id)
);
create index loan_snapshots_portfolio on loan_snapshots (tenant_id, portfolio_id, snapshot_date);
call app.protect('loan_snapshots', 'select, insert');
call app.declare_borrower_data('loan_snapshots', 'loans', links => '{"loan_id": "loans"}',
  redacted_as => $${"labels": "'[]'"}$$,
  kept => '{"one of a few values": ["status", "sub_status", "delinquency_bucket"]}',
  exported_as => '{"sub_status": "case when not app.is_joint(loan_id) then sub_status end"}');

-- The totals of each portfolio as of the close of a day.
create table portfolio_snapshots (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  portfolio_id uuid not null,
  snapshot_date date not null,
  total_loans integer not null,
  total_principal app.money,
  total_outstanding app.money,
  weighted_average_rate numeric(12, 6) not null,
  weighted_average_term integer not null,
  delinquency_rate numeric(12, 6) not null,
  default_rate numeric(12, 6) not null,
  by_bucket jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The owner of all loans in the portfolio that day; null if there is none or several.
  investor_id uuid,
  -- The sums if they have more than the 13 digits of app.money; the columns without wide_ are null then.
  wide_principal numeric(24, 2),
  wide_outstanding numeric(24, 2),
  primary key (tenant_id, id),
  constraint portfolio_snapshots_day unique (tenant_id, portfolio_id, snapshot_date),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  constraint portfolio_snapshots_total_principal check (coalesce(total_principal, wide_principal) is not null),
  constraint portfolio_snapshots_total_outstanding
    check (coalesce(total_outstanding, wide_outstanding) is not null)
);
create index portfolio_snapshots_newest on portfolio_snapshots (tenant_id, snapshot_date desc, id desc);
call app.protect('portfolio_snapshots');

-- The share of a loan that an investor owns, or will own after a pending sale.
create table loan_assignments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  loan_id uuid not null,
  portfolio_id uuid,
  ownership_percentage numeric(5, 4) not null default 1
    check (ownership_percentage > 0 and ownership_percentage <= 1),
  assignment_type text not null default 'whole_loan_sale',
  effective_date date not null,
  settlement_date date,
  end_date date,
  purchase_price app.money,
  purchase_price_ratio app.rate,
  servicing_fee_rate app.rate,
  recourse boolean not null default false,
  status text not null default 'pending'
    check (status in ('pending', 'active', 'declined', 'canceled', 'bought_back', 'ended')),
  settlement_instrument_id uuid,
  journal_entry_ids jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The loan's status when the sale was agreed, and why the loan was not transferred, if it was not.
  agreed_status text,
  decline_reason text
    check (decline_reason in ('paid_off', 'settled', 'charged_off', 'reinstated', 'transferred', 'canceled', 'nothing_owed',
      'not_allowed')),
  -- Whether the sale is booked. A charged-off loan sold for nothing has no journal entry.
  is_booked boolean not null default false,
  primary key (tenant_id, id),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, settlement_instrument_id) references settlement_instruments (tenant_id, id)
);
create index loan_assignments_investor on loan_assignments (tenant_id, investor_id, created_at desc, id desc);
create index loan_assignments_loan on loan_assignments (tenant_id, loan_id)
  where status in ('pending', 'active');
create index loan_assignments_settlement on loan_assignments (tenant_id, settlement_date)
  where status = 'pending';
create index loan_assignments_portfolio on loan_assignments (tenant_id, portfolio_id)
  where portfolio_id is not null;
call app.protect('loan_assignments');
call app.declare_borrower_data('loan_assignments', 'loans',
  kept => '{"one of a few values": ["assignment_type", "agreed_status"], "ids": ["journal_entry_ids"]}');

-- An investor's servicing fee rate from a day on. A month uses the rate of its first day; remittances of past
-- months do not change.
create table servicing_fee_rates (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  from_date date not null check (extract(day from from_date) = 1),
  servicing_fee_rate app.rate not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index servicing_fee_rates_investor
  on servicing_fee_rates (tenant_id, investor_id, from_date desc, id desc);
call app.protect('servicing_fee_rates', 'select, insert');

-- What was collected for an investor in a closed month. A remittance never changes; later corrections belong to a
-- later month.
create table remittances (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  period_start date not null,
  period_end date not null check (period_end >= period_start),
  loan_count integer not null,
  -- Principal of the loans that the investor owned at the start of the period. All sums are null if one of them has
  -- more than the 13 digits of app.money: then the rows of remittance_loans add up to them.
  principal_owned app.money,
  -- Negative if more was reversed or paid out than collected.
  principal_collected app.money,
  interest_collected app.money,
  fees_collected app.money,
  other_collected app.money,
  collected app.money check (
    collected = principal_collected + interest_collected + fees_collected + other_collected
    ),
  servicing_fee app.money check (servicing_fee >= 0),
  amount_due app.money check (amount_due = collected - servicing_fee),
  status text not null default 'due' check (status in ('due', 'paid')),
  -- The entry of the servicing fee; null if there is none.
  journal_entry_id uuid,
  paid_on date,
  reference_number text,
  -- The entry of the payment to the investor; null if nothing was due.
  payment_entry_id uuid,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint remittances_once unique (tenant_id, investor_id, period_start),
  check ((status = 'paid') = (paid_on is not null)),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  foreign key (tenant_id, journal_entry_id) references journal_entries (tenant_id, id),
  foreign key (tenant_id, payment_entry_id) references journal_entries (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  constraint remittances_all_sums_or_none check (
    num_nulls(principal_owned, principal_collected, interest_collected, fees_collected, other_collected,
    collected, servicing_fee, amount_due) in (0, 8)
    )
);
create index remittances_newest on remittances (tenant_id, period_end desc, id desc);
call app.protect('remittances', 'select, insert');
grant update (status, journal_entry_id, paid_on, reference_number, payment_entry_id, updated_at) on remittances to servicing_app;

-- The same sums for each loan, with the loan assignment that made the investor its owner.
create table remittance_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  remittance_id uuid not null,
  loan_id uuid not null,
  assignment_id uuid not null,
  -- The liability account for what is owed to the investor.
  account_id uuid not null,
  principal_owned app.money not null,
  principal_collected app.money not null,
  interest_collected app.money not null,
  fees_collected app.money not null,
  other_collected app.money not null,
  servicing_fee_rate app.rate not null,
  servicing_fee app.money not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint remittance_loans_once unique (tenant_id, remittance_id, assignment_id),
  foreign key (tenant_id, remittance_id) references remittances (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, assignment_id) references loan_assignments (tenant_id, id),
  foreign key (tenant_id, account_id) references ledger_accounts (tenant_id, id)
);
create index remittance_loans_loan on remittance_loans (tenant_id, loan_id);
call app.protect('remittance_loans', 'select, insert');
call app.declare_borrower_data('remittance_loans', 'loans', links => '{"loan_id": "loans"}');

create table loan_tape_configs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  portfolio_id uuid,
  format text not null default 'csv' check (format in ('csv', 'json', 'xlsx')),
  columns jsonb not null,
  filters jsonb not null default '{}',
  schedule text not null default 'none',
  include_header boolean not null default true,
  is_active boolean not null default true,
  delivery text not null default 'document',
  last_generated_at timestamptz,
  -- The close of this day generates the tape.
  next_run_at date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Email addresses that receive the tape, as a link unless attach_file is set.
  recipients jsonb not null default '[]',
  attach_file boolean not null default false,
  sftp_server_id uuid,
  primary key (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, sftp_server_id) references sftp_servers (tenant_id, id),
  constraint loan_tape_configs_delivery_check check (
    delivery = 'document'
    or (delivery = 'email' and recipients <> '[]')
    or (delivery = 'sftp' and sftp_server_id is not null)
    )
);
create index loan_tape_configs_created on loan_tape_configs (tenant_id, created_at desc, id desc);
create index loan_tape_configs_due on loan_tape_configs (tenant_id, next_run_at)
  where is_active and next_run_at is not null;
call app.protect('loan_tape_configs');

-- Loan tapes that were generated or are being generated, with their parameters and result.
create table loan_tapes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_tape_config_id uuid not null,
  portfolio_id uuid,
  as_of_date date not null,
  format text not null,
  columns jsonb not null,
  filters jsonb not null,
  include_header boolean not null,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  filename text not null,
  row_count integer,
  document_id uuid,
  checksum text,
  totals jsonb not null default '{}',
  warnings jsonb not null default '[]',
  generated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  failure_reason text,
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_tape_config_id) references loan_tape_configs (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index loan_tapes_config on loan_tapes (tenant_id, loan_tape_config_id, created_at desc, id desc);
create index loan_tapes_created on loan_tapes (tenant_id, created_at desc, id desc);
-- For finding out whether a document is a tape, and which deliveries fail when its file is removed.
create index loan_tapes_document on loan_tapes (tenant_id, document_id) where document_id is not null;
call app.protect('loan_tapes');

-- Deliveries of a tape by email or SFTP.
create table tape_deliveries (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_tape_id uuid not null,
  recipient text not null,
  attach_file boolean not null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'superseded')),
  -- Number of attempts.
  attempts integer not null default 0,
  error text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  sftp_server_id uuid,
  -- The number of attempts before the last manual retry.
  previous_attempts integer not null default 0,
  -- Set during an upload, so that files with one name are uploaded one at a time and in order. It expires
  -- after minutes, in case the worker was killed.
  started_at timestamptz,
  primary key (tenant_id, id),
  constraint tape_deliveries_once unique (tenant_id, loan_tape_id, recipient),
  foreign key (tenant_id, loan_tape_id) references loan_tapes (tenant_id, id),
  foreign key (tenant_id, sftp_server_id) references sftp_servers (tenant_id, id)
);
call app.protect('tape_deliveries', 'select, insert, update');

-- Servicing that moves to another servicer (out) or comes from one (in). A sale with released servicing is not among
-- them: its portfolio names the buyer.
create table servicing_transfers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  direction text not null check (direction in ('out', 'in')),
  effective_date date not null,
  -- The other servicer, as the notices name it.
  servicer_name text not null,
  servicer_address_line_1 text not null,
  servicer_address_line_2 text not null,
  servicer_phone text not null,
  -- The last day on which the old servicer accepts payments, and the first on which the new one does.
  last_payment_date date not null,
  first_payment_date date not null check (first_payment_date between last_payment_date and last_payment_date + 1),
  insurance_note text,
  -- Why the borrowers need not be notified before the transfer.
  late_notice_reason text check (late_notice_reason in
    ('terminated_for_cause', 'servicer_bankruptcy', 'servicer_conservatorship', 'combined_notice')),
  -- The last day on which the notices are in time. Null: the other servicer sends them, or none are required.
  notices_due_on date,
  -- When someone ordered the notices.
  notices_ordered_on date,
  notes text,
  canceled_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index servicing_transfers_created on servicing_transfers (tenant_id, created_at desc, id desc);
call app.protect('servicing_transfers', 'select, insert, update');

-- The loans of a servicing transfer.
create table servicing_transfer_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  servicing_transfer_id uuid not null,
  loan_id uuid not null,
  -- pending: the transfer is ahead. transferred: it happened. left_out: the loan was closed by then.
  status text not null default 'pending' check (status in ('pending', 'transferred', 'left_out', 'canceled')),
  -- waiting: ordered, not yet composed. not_required: the law and the tenant's settings ask for none.
  notice_status text not null default 'none'
    check (notice_status in ('none', 'waiting', 'sent', 'failed', 'not_required')),
  notice_sent_on date,
  -- The days on which a payment that the old servicer received on time is not late, both included.
  protected_from date,
  protected_until date check (protected_until >= protected_from),
  -- Whether no late fee is charged on these days.
  waives_late_fees boolean not null default false,
  -- 12 CFR 1024.33 applies, so the notice names the borrower's rights.
  is_mortgage boolean not null default false,
  transferred_on date,
  -- What the new servicer took over.
  principal_balance app.money,
  accrued_interest app.money,
  outstanding_fees app.money,
  charge_off_balance app.money,
  suspense_balance app.money,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint servicing_transfer_loans_once unique (tenant_id, servicing_transfer_id, loan_id),
  foreign key (tenant_id, servicing_transfer_id) references servicing_transfers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index servicing_transfer_loans_loan on servicing_transfer_loans (tenant_id, loan_id);
create index servicing_transfer_loans_list
  on servicing_transfer_loans (tenant_id, servicing_transfer_id, created_at desc, id desc);
create index servicing_transfer_loans_pending on servicing_transfer_loans (tenant_id, loan_id) where status = 'pending';
call app.protect('servicing_transfer_loans', 'select, insert, update');
call app.declare_borrower_data('servicing_transfer_loans', 'loans', takes_rows_after_redaction => true);

-- Money that the wrong servicer received around a transfer, and what became of it.
create table misdirected_payments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  servicing_transfer_id uuid not null,
  loan_id uuid not null,
  -- forwarded: sent to the new servicer. returned: paid back to the sender. received: forwarded to us.
  outcome text not null check (outcome in ('forwarded', 'returned', 'received')),
  amount app.money not null check (amount > 0),
  -- The day on which the servicer that was paid received the money. Null if several payments were sent on together.
  received_on date,
  recorded_on date not null default app.business_date(),
  -- The reimbursement that paid the money out, or the payment that was received.
  payment_id uuid not null,
  reference_number text,
  waived_fee_count integer not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, servicing_transfer_id) references servicing_transfers (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create index misdirected_payments_transfer
  on misdirected_payments (tenant_id, servicing_transfer_id, created_at desc, id desc);
create index misdirected_payments_loan on misdirected_payments (tenant_id, loan_id);
-- A servicer that sends its list twice must not pay twice.
create unique index misdirected_payments_reference
  on misdirected_payments (tenant_id, servicing_transfer_id, loan_id, reference_number)
  where outcome = 'received' and reference_number is not null;
call app.protect('misdirected_payments', 'select, insert');
call app.declare_borrower_data('misdirected_payments', 'payments',
  kept => '{"a reference of another servicer": ["reference_number"]}', takes_rows_after_redaction => true);

create trigger append_only before update or delete on misdirected_payments
  for each row execute function app.refuse_change();
create trigger append_only before update or delete on remittance_loans
  for each row execute function app.refuse_change();
create trigger append_only before update or delete on servicing_fee_rates
  for each row execute function app.refuse_change();

-- Keys from earlier tables to those above.
alter table loans add foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id);
