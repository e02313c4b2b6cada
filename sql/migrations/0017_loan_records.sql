-- The records beneath a loan. What a record means for money is in loan_events; the record keeps what
-- was agreed, by whom, and how far it has come.

create table service_credits (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null check (amount > 0),
  credit_type text not null,
  reason text not null,
  apply_to text not null,
  effective_date date not null,
  sponsor text not null,
  status text not null default 'applied' check (status in ('applied', 'reversed')),
  -- As the history has them now: an event that arrives late may move them.
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('service_credits', 'select, insert, update');
create index service_credits_loan on service_credits (tenant_id, loan_id, created_at desc, id desc);

create table draws (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  draw_number integer not null,
  amount app.money not null check (amount > 0),
  draw_date date not null,
  purpose text,
  payment_instrument_id uuid,
  external_id text,
  fee_amount app.money not null default 0,
  status text not null default 'completed' check (status in ('pending', 'completed', 'failed', 'reversed')),
  outstanding_principal app.money not null,
  interest_rate app.rate not null,
  available_credit_after app.money not null,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint draws_external_id unique (tenant_id, external_id),
  constraint draws_draw_number unique (tenant_id, loan_id, draw_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id)
);
call app.protect('draws', 'select, insert, update');
create index draws_loan on draws (tenant_id, loan_id, created_at desc, id desc);

create table promises_to_pay (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  promised_on date not null default app.business_date(),
  promised_amount app.money not null check (promised_amount > 0),
  promised_date date not null,
  payment_method text,
  channel text not null,
  contact_note text,
  grace_days integer not null check (grace_days >= 0),
  installments jsonb not null default '[]',
  status text not null default 'pending' check (status in
    ('pending', 'kept', 'partially_kept', 'broken', 'canceled')),
  fulfilled_amount app.money not null default 0,
  fulfilled_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('promises_to_pay', 'select, insert, update');
create index promises_to_pay_loan on promises_to_pay (tenant_id, loan_id, created_at desc, id desc);
create index promises_to_pay_pending on promises_to_pay (tenant_id, loan_id) where status = 'pending';

create table payment_plans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  plan_type text not null check (plan_type in ('repayment', 'settlement', 'catch_up')),
  -- Payments from this day on count towards it.
  agreed_on date not null default app.business_date(),
  total_amount app.money not null check (total_amount > 0),
  -- [{due_date, amount, status}], in the order of their dates.
  installments jsonb not null,
  start_date date,
  frequency text,
  number_of_payments integer,
  amount app.money,
  settlement_amount app.money,
  waive_remaining boolean not null,
  grace_days integer not null check (grace_days >= 0),
  payment_instrument_id uuid,
  auto_collect boolean not null,
  notes text,
  status text not null check (status in ('proposed', 'active', 'completed', 'broken', 'canceled')),
  paid_amount app.money not null default 0,
  completed_at timestamptz,
  broken_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id)
);
call app.protect('payment_plans', 'select, insert, update');
create index payment_plans_loan on payment_plans (tenant_id, loan_id, created_at desc, id desc);
create unique index payment_plans_one_active on payment_plans (tenant_id, loan_id) where status = 'active';

-- Which plan ordered a payment that is not made yet.
alter table payments add column payment_plan_id uuid;
alter table payments add foreign key (tenant_id, payment_plan_id) references payment_plans (tenant_id, id);
create index payments_ordered on payments (tenant_id, payment_plan_id) where payment_plan_id is not null;

create table payoff_quotes (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  quote_number text not null,
  quote_date date not null default app.business_date(),
  payoff_date date not null,
  good_through_date date not null,
  principal_amount app.money not null,
  accrued_interest app.money not null,
  per_diem app.money not null,
  fees_amount app.money not null,
  unbilled_fees app.money not null default 0,
  prepayment_penalty app.money not null,
  credits_amount app.money not null,
  payoff_amount app.money not null,
  payoff_amount_good_through app.money not null,
  include_prepayment_penalty boolean not null,
  delivery_method text not null,
  explanation jsonb not null,
  remittance_instructions text,
  status text not null default 'active' check (status in ('active', 'accepted', 'superseded', 'canceled')),
  document_id uuid,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint payoff_quotes_quote_number unique (tenant_id, quote_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('payoff_quotes', 'select, insert, update');
create index payoff_quotes_loan on payoff_quotes (tenant_id, loan_id, created_at desc, id desc);
create unique index payoff_quotes_one_active on payoff_quotes (tenant_id, loan_id) where status = 'active';

create table modifications (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  modification_type text not null,
  effective_date date not null,
  reason text not null,
  reason_comment text,
  new_interest_rate app.rate,
  new_term_months integer,
  extend_months integer,
  new_payment_amount app.money,
  new_payment_day integer,
  new_maturity_date date,
  principal_forgiven app.money not null default 0,
  capitalize_interest boolean not null,
  capitalize_fees boolean not null,
  capitalized_amount app.money not null default 0,
  interest_treatment text not null,
  fee_treatment text not null,
  apply_immediately boolean not null,
  status text not null check (status in
    ('pending', 'approved', 'completed', 'rejected', 'reversed', 'canceled')),
  previous_terms jsonb not null default '{}',
  new_terms jsonb not null default '{}',
  -- What happened to the loan because of it, to be undone together.
  event_ids jsonb not null default '[]',
  requested_by uuid,
  approved_by uuid,
  applied_at timestamptz,
  document_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('modifications', 'select, insert, update');
create index modifications_loan on modifications (tenant_id, loan_id, created_at desc, id desc);
create index modifications_approved on modifications (tenant_id, effective_date) where status = 'approved';

create table forbearances (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  forbearance_type text not null,
  start_date date not null,
  end_date date not null,
  reason text not null,
  reduced_payment_amount app.money,
  interest_accrues boolean not null,
  suspend_late_fees boolean not null,
  suspend_delinquency boolean not null,
  suspend_credit_reporting boolean not null,
  end_treatment text not null,
  hardship_application_id uuid,
  notes text,
  status text not null default 'scheduled' check (status in
    ('scheduled', 'active', 'completed', 'canceled', 'broken')),
  event_ids jsonb not null default '[]',
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (end_date >= start_date),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('forbearances', 'select, insert, update');
create index forbearances_loan on forbearances (tenant_id, loan_id, created_at desc, id desc);
create index forbearances_open on forbearances (tenant_id, loan_id) where status in ('scheduled', 'active');

create table deferments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  deferment_type text not null,
  periods integer not null check (periods > 0),
  start_date date not null,
  -- The day before payments go on; known once the deferment has begun.
  end_date date,
  start_installment integer,
  interest_treatment text not null,
  extend_maturity boolean not null,
  fee_amount app.money not null default 0,
  reason text not null,
  notes text,
  status text not null default 'scheduled' check (status in
    ('scheduled', 'active', 'completed', 'canceled', 'broken')),
  event_ids jsonb not null default '[]',
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('deferments', 'select, insert, update');
create index deferments_loan on deferments (tenant_id, loan_id, created_at desc, id desc);
create index deferments_open on deferments (tenant_id, loan_id) where status in ('scheduled', 'active');

create table forms_1099c (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  form_number text not null,
  tax_year integer not null,
  status text not null default 'generated' check (status in
    ('draft', 'generated', 'furnished', 'filed', 'corrected', 'void')),
  is_corrected boolean not null default false,
  corrects_form_id uuid,
  source text not null check (source in ('manual', 'system')),
  creditor_name text not null,
  creditor_tin_last_four text not null,
  creditor_address text not null,
  creditor_phone text,
  debtor_name text not null,
  debtor_tin_last_four text not null,
  debtor_address text not null,
  account_number text not null,
  identifiable_event_date date not null,
  amount_discharged app.money not null check (amount_discharged > 0),
  interest_included app.money not null default 0,
  debt_description text not null,
  personally_liable boolean not null,
  identifiable_event_code text not null check (identifiable_event_code ~ '^[A-H]$'),
  fair_market_value app.money,
  notes text,
  document_id uuid,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint forms_1099c_form_number unique (tenant_id, form_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, corrects_form_id) references forms_1099c (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call app.protect('forms_1099c', 'select, insert, update');
create index forms_1099c_loan on forms_1099c (tenant_id, loan_id, created_at desc, id desc);
create unique index forms_1099c_one on forms_1099c
  (tenant_id, loan_id, identifiable_event_code, tax_year)
  where status not in ('void', 'corrected');
