create table programs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  name text not null,
  code text not null,
  description text,
  program_type text not null default 'personal',
  is_active boolean not null default true,
  default_product_id uuid,
  funding_source text,
  jurisdictions jsonb not null default '[]',
  compliance_checks jsonb not null default '[]',
  template_overrides jsonb not null default '{}',
  metadata jsonb not null default '{}',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint programs_code unique (tenant_id, code)
);
call app.protect('programs');
create index programs_created on programs (tenant_id, created_at desc, id desc);

create table products (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  program_id uuid,
  name text not null,
  code text not null,
  is_active boolean not null default true,
  loan_type text not null default 'installment',
  currency text not null default 'USD',
  min_amount app.money,
  max_amount app.money,
  min_rate app.rate,
  max_rate app.rate,
  min_term_months integer,
  max_term_months integer,
  interest_method text not null default 'simple_daily',
  day_count text not null default 'actual_365',
  payment_frequency text not null default 'monthly',
  amortization text not null default 'level_payment',
  balloon_amount app.money,
  first_payment_rule text not null default 'next_month_on_payment_day',
  min_days_to_first_payment integer not null default 15,
  -- The name of a waterfall, or a list of {due_state, component}.
  allocation_order jsonb not null default '"standard"',
  extra_payment_to text not null default 'principal',
  rounding_mode text not null default 'half_up',
  installment_rounding text not null default 'half_up',
  installment_calculation text not null default 'periodic_rate',
  fee_rules jsonb not null default '[]',
  late_fee_grace_days integer not null default 10,
  delinquency_grace_days integer not null default 0,
  default_dpd_threshold integer not null default 90,
  charge_off_dpd_threshold integer not null default 120,
  non_accrual_dpd_threshold integer not null default 90,
  small_balance_tolerance app.money not null default 1.00,
  payoff_quote_valid_days integer not null default 10,
  prepayment_penalty jsonb,
  max_deferments_per_12m integer not null default 2,
  max_modifications integer not null default 5,
  rescission_days integer not null default 0,
  metro2_portfolio_type text not null default 'I',
  metro2_account_type text not null default '01',
  gl_map jsonb not null default '{}',
  metadata jsonb not null default '{}',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint products_code unique (tenant_id, code),
  foreign key (tenant_id, program_id) references programs (tenant_id, id)
);
call app.protect('products');
create index products_created on products (tenant_id, created_at desc, id desc);
create index products_program on products (tenant_id, program_id, created_at desc, id desc);
alter table programs add foreign key (tenant_id, default_product_id) references products (tenant_id, id);

create table loan_number_sequences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  year integer not null,
  last_number bigint not null,
  primary key (tenant_id, year)
);
call app.protect('loan_number_sequences');

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
  primary key (tenant_id, id),
  constraint portfolios_name unique (tenant_id, name)
);
call app.protect('portfolios');
create index portfolios_created on portfolios (tenant_id, created_at desc, id desc);

-- Terms, flags, and the state at the loan's last event. Between events everything is linear, so what
-- a loan owes on any day is computed from this row (app.accrued) and never waits for a job.
create table loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_number text not null,
  borrower_id uuid not null,
  program_id uuid not null,
  product_id uuid not null,
  portfolio_id uuid,
  loan_officer_id uuid,
  external_id text,
  status text not null default 'pending' check (status in
    ('pending', 'approved', 'denied', 'canceled', 'active', 'paid_off', 'charged_off', 'settled', 'transferred')),
  sub_status text,

  -- Terms, copied from the product where it sets them: a later change of the product leaves them.
  loan_type text not null default 'installment',
  principal_amount app.money not null check (principal_amount > 0),
  interest_rate app.rate not null,
  term_months integer not null check (term_months > 0),
  payment_day integer check (payment_day between 1 and 31),
  payment_frequency text not null,
  payment_amount app.money,
  day_count text not null,
  interest_method text not null,
  terms jsonb not null default '{}',
  credit_limit app.money,
  apr app.rate,
  first_payment_date date,
  maturity_date date,
  origination_date date,
  disbursement_date date,

  -- Flags and decisions.
  is_frozen boolean not null default false,
  frozen_at timestamptz,
  freeze_reason text,
  -- The day on which accrual goes on by itself.
  freeze_until date,
  is_accelerated boolean not null default false,
  accelerated_at timestamptz,
  is_non_accrual boolean not null default false,
  non_accrual_since date,
  approved_at timestamptz,
  -- The business date of the approval.
  approved_on date,
  approved_by uuid,
  denied_at timestamptz,
  denial_reasons jsonb not null default '[]',
  canceled_at timestamptz,
  cancel_reason text,
  paid_off_at timestamptz,
  charged_off_at timestamptz,
  charge_off_reason text,
  charge_off_amount app.money,
  labels jsonb not null default '[]',
  metadata jsonb not null default '{}',

  -- The anchor (jobs/loans/engine/anchor.ts): the state at the last event, from which interest is linear.
  disbursed_amount app.money not null default 0,
  principal_balance app.money not null default 0 check (principal_balance >= 0),
  accrual_since date,
  accrual_balance app.money not null default 0,
  accrual_rate app.rate not null default 0,
  accrual_period_interest app.money,
  accrual_period_days integer,
  is_accruing boolean not null default false,
  -- The day by which the loan must be folded again, because another pace holds from then on.
  linear_until date,
  -- Interest accrued in all up to accrual_since, unrounded; and how many cents of it are settled
  -- (paid, waived, capitalized).
  interest_accrued numeric(22, 10) not null default 0,
  interest_settled app.money not null default 0,
  -- The part of the interest owed that left the books when the loan went on non-accrual.
  off_books_interest app.money not null default 0,
  outstanding_fees app.money not null default 0 check (outstanding_fees >= 0),
  suspense_balance app.money not null default 0,
  charge_off_balance app.money not null default 0,
  -- What came in on what was charged off.
  recovered_amount app.money not null default 0,
  deficiency_balance app.money not null default 0,
  -- The first instalment that payments have not satisfied, whether its day has come or not.
  oldest_unpaid_due_date date,
  satisfied_tolerance app.money not null default 0,
  rounding_mode text not null generated always as (coalesce(terms ->> 'rounding_mode', 'half_up')) stored,
  delinquency_grace_days integer not null
    generated always as (coalesce((terms ->> 'delinquency_grace_days')::integer, 0)) stored,
  first_delinquency_date date,
  last_payment_date date,
  last_payment_amount app.money,
  paid_principal app.money not null default 0,
  paid_interest app.money not null default 0,
  paid_fees app.money not null default 0,
  -- Days that delinquency stood still, as [{from, to}], both included.
  delinquency_pauses jsonb not null default '[]',
  delinquency_bucket text not null default 'current',
  -- How often the loan fell so far behind, counted as its buckets move at the close of each day; and
  -- how far it was then, so that one time is counted once.
  times_delinquent_30 integer not null default 0,
  times_delinquent_60 integer not null default 0,
  times_delinquent_90 integer not null default 0,
  delinquency_counted integer not null default 0,
  -- What the servicer before has reported of the months before boarding, the newest first.
  payment_history_profile text check (payment_history_profile ~ '^[0-6BDEGHJKLZ]{24}$'),
  schedule_version integer not null default 0,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint loans_loan_number unique (tenant_id, loan_number),
  constraint loans_external_id unique (tenant_id, external_id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, program_id) references programs (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, loan_officer_id) references users (tenant_id, id)
) with (fillfactor = 80);
call app.protect('loans');
create index loans_created on loans (tenant_id, created_at desc, id desc);
create index loans_borrower on loans (tenant_id, borrower_id, created_at desc, id desc);
create index loans_portfolio on loans (tenant_id, portfolio_id) where portfolio_id is not null;
create index loans_status on loans (tenant_id, status, created_at desc, id desc);
create index loans_bucket on loans (tenant_id, delinquency_bucket, created_at desc, id desc);
create index loans_program on loans (tenant_id, program_id);
create index loans_product on loans (tenant_id, product_id);
create index loans_officer on loans (tenant_id, loan_officer_id) where loan_officer_id is not null;
create index loans_number_search on loans using gin (loan_number gin_trgm_ops);

create index loans_freeze_ends on loans (tenant_id, freeze_until) where freeze_until is not null;
create index loans_refold on loans (tenant_id, linear_until) where linear_until is not null;

-- All interest accrued by a loan up to the start of a day, unrounded: the twin of accruedOn in
-- jobs/loans/engine/anchor.ts, for days from the loan's last event on.
create function app.accrued(loan loans, day date) returns numeric
language sql immutable parallel safe
return loan.interest_accrued + case
  when not loan.is_accruing or day <= loan.accrual_since then 0
  when loan.accrual_period_days is null then
    round(loan.accrual_balance * loan.accrual_rate * app.year_fraction(loan.day_count, loan.accrual_since, day), 10)
  else
    round(loan.accrual_period_interest::numeric(40, 30) * (day - loan.accrual_since) / loan.accrual_period_days, 10)
end;

-- An amount in whole cents, half a cent to the even one.
create function app.half_even(amount numeric) returns numeric
language sql immutable parallel safe
return case
  when abs(amount * 100 % 1) = 0.5 then round(round(amount * 50) / 50, 2)
  else round(amount, 2)
end;

-- The same in cents, by the loan's rounding mode: the twin of centsAccrued in jobs/loans/engine/position.ts.
-- The amount is named once a branch, or Postgres would not make the function part of the query.
create function app.accrued_cents(loan loans, day date) returns numeric
language sql immutable parallel safe
return case loan.rounding_mode
  when 'half_even' then app.half_even(app.accrued(loan, day))
  else round(app.accrued(loan, day), 2)
end;

-- The cents of interest owed at the start of a day.
create function app.interest_owed(loan loans, day date) returns numeric
language sql immutable parallel safe
return greatest(app.accrued_cents(loan, day) - loan.interest_settled, 0);

-- Days since the oldest unpaid due date, without its grace and the paused ones (both ends of a pause
-- belong to it, overlapping pauses count once): the twin of daysPastDue in jobs/loans/engine/delinquency.ts.
create function app.days_past_due(oldest date, day date, pauses jsonb, grace integer) returns integer
language sql immutable parallel safe
return case
  when oldest is null or day <= oldest + grace then 0
  when pauses = '[]' then day - oldest - grace
  else greatest(0, day - oldest - grace - (
    select coalesce(sum(upper(span) - lower(span)), 0)::integer
    from unnest(
      (select range_agg(daterange((pause ->> 'from')::date, (pause ->> 'to')::date, '[]'))
       from jsonb_array_elements(pauses) as pause)
      * datemultirange(daterange(oldest + 1, day, '[]'))
    ) as span
  ))
end;

-- The oldest instalment that is unpaid on a day; after maturity whatever is still owed is due. For
-- those who know the interest owed that day already, it is not computed again.
create function app.unpaid_since(loan loans, day date, interest numeric) returns date
language sql immutable parallel safe
return case
  when loan.status <> 'active' then null
  when loan.principal_balance + interest + loan.outstanding_fees = 0 then null
  else coalesce(loan.oldest_unpaid_due_date, case when day > loan.maturity_date then loan.maturity_date end)
end;

create function app.unpaid_since(loan loans, day date) returns date
language sql immutable parallel safe
return app.unpaid_since(loan, day, app.interest_owed(loan, day));

create function app.bucket(days integer) returns text
language sql immutable parallel safe
return case
  when days <= 0 then 'current'
  when days < 30 then 'dpd_1_29'
  when days < 60 then 'dpd_30_59'
  when days < 90 then 'dpd_60_89'
  when days < 120 then 'dpd_90_119'
  when days < 150 then 'dpd_120_149'
  when days < 180 then 'dpd_150_179'
  else 'dpd_180_plus'
end;

alter table tasks add foreign key (tenant_id, loan_id) references loans (tenant_id, id);

-- What happened to a loan, in the order it became known. Never changed: a mistake is undone by an
-- event that reverses it. The loan's state is the fold of these (jobs/loans/engine/fold.ts).
create table loan_events (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  kind text not null,
  effective_date date not null,
  -- What the kind needs: amounts as decimal strings, ids, reasons.
  details jsonb not null default '{}',
  recorded_on date not null default app.business_date(),
  recorded_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('loan_events', 'select, insert');
create index loan_events_loan on loan_events (tenant_id, loan_id, effective_date, id);
create trigger append_only before update or delete on loan_events
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on loan_events
  for each statement execute function app.refuse_change();

-- What was agreed for a while: another rate, or none. The loan's events say what it did.
create table loan_promotions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  name text not null,
  promo_type text not null,
  promo_rate app.rate,
  start_date date not null,
  end_date date not null check (end_date >= start_date),
  conditions jsonb not null default '{}',
  promo_program_id uuid,
  -- What began it; null until its first day.
  event_id uuid,
  -- Its end has been dealt with.
  is_over boolean not null default false,
  broken_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('loan_promotions');
create index loan_promotions_loan on loan_promotions (tenant_id, loan_id, created_at desc, id desc);
create index loan_promotions_open on loan_promotions (tenant_id, start_date) where not is_over;

-- The schedule, one version after another; what payments have covered of an instalment moves with the
-- loan's events (jobs/loans/history/happen.ts writes the few that an event changed).
create table installments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  loan_id uuid not null,
  version integer not null,
  period_number integer not null,
  due_date date not null,
  payment_amount app.money not null,
  principal_amount app.money not null,
  interest_amount app.money not null,
  fees_amount app.money not null default 0,
  beginning_balance app.money not null,
  ending_balance app.money not null,
  days_in_period integer not null,
  paid_amount app.money not null default 0,
  paid_date date,
  is_canceled boolean not null default false,
  reason text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, loan_id, version, period_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('installments', 'select, insert');
grant update (paid_amount, paid_date, is_canceled) on installments to servicing_app;

create table payments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
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
  -- The day on which the money went back.
  reversal_effective_date date,
  reverses_payment_id uuid,
  -- Until then nothing of it is paid out again; from that day on it counts as settled.
  hold_until date,
  waive_returned_fee boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint payments_external_id unique (tenant_id, external_id),
  check (status in ('scheduled', 'canceled', 'pending', 'failed') or
    principal_applied + interest_applied + fees_applied + suspense_applied =
      case payment_type when 'reimbursement' then -amount else amount end),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
call app.protect('payments');
create index payments_loan on payments (tenant_id, loan_id, created_at desc, id desc);
create index payments_held on payments (tenant_id, hold_until)
  where status = 'completed' and hold_until is not null;
create index payments_scheduled on payments (tenant_id, payment_date) where status = 'scheduled';

create table fees (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  fee_type text not null,
  description text,
  amount app.money not null check (amount > 0),
  amount_paid app.money not null default 0,
  amount_waived app.money not null default 0,
  -- Neither paid nor waived: capitalized, charged off or written off.
  amount_moved app.money not null default 0,
  assessed_date date not null,
  effective_date date not null,
  due_date date,
  installment_number integer,
  payment_id uuid,
  -- The rule of the product that asked for it, and how it is asked for.
  fee_rule_id uuid,
  treatment text not null default 'upfront',
  status text not null default 'assessed',
  waived_at timestamptz,
  waived_by uuid,
  waive_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_id) references payments (tenant_id, id)
);
call app.protect('fees');
create index fees_loan on fees (tenant_id, loan_id, created_at desc, id desc);
create unique index fees_one_late_fee on fees (tenant_id, loan_id, installment_number)
  where fee_type = 'late' and status <> 'reversed';
create unique index fees_one_return_fee on fees (tenant_id, payment_id)
  where fee_type = 'returned_payment' and status <> 'reversed';

create table disbursements (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null check (amount > 0),
  disbursement_date date not null,
  method text not null default 'external',
  payment_instrument_id uuid,
  payee_name text,
  payee_type text not null default 'borrower',
  reference_number text,
  fee_deducted app.money not null default 0,
  net_amount app.money not null,
  status text not null default 'completed',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('disbursements');
create index disbursements_loan on disbursements (tenant_id, loan_id, created_at desc, id desc);

create table compliance_runs (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  passed boolean not null,
  checks jsonb not null,
  run_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('compliance_runs', 'select, insert');
create index compliance_runs_loan on compliance_runs (tenant_id, loan_id, run_at desc);
