-- Programs, products, loans and everything that happens to a loan, except money that moves (payments.sql).

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
  credit_identification_number text check (credit_identification_number ~ '^[A-Za-z0-9]{5,20}$'),
  jurisdictions jsonb not null default '[]',
  compliance_checks jsonb not null default '[]',
  template_overrides jsonb not null default '{}',
  metadata jsonb not null default '{}',
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint programs_tenant_id_code_key unique (tenant_id, code)
);
create index programs_created on programs (tenant_id, created_at desc, id desc);
call app.protect('programs');

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
  -- Set for lines of credit that are billed by cycle.
  minimum_payment jsonb,
  cycle_day integer check (cycle_day between 1 and 28),
  payment_due_days integer check (payment_due_days between 1 and 27),
  -- Purchases on a line of credit bear no interest while its statements are paid in full by their due dates.
  grace_on_purchases boolean not null default false,
  -- The product's name for borrowers, if it differs from the internal one.
  public_name text,
  primary key (tenant_id, id),
  constraint products_tenant_id_code_key unique (tenant_id, code),
  foreign key (tenant_id, program_id) references programs (tenant_id, id)
);
create index products_created on products (tenant_id, created_at desc, id desc);
create index products_program on products (tenant_id, program_id, created_at desc, id desc);
call app.protect('products');

-- The last loan number of a year.
create table loan_number_sequences (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  year integer not null,
  last_number bigint not null,
  primary key (tenant_id, year)
);
call app.protect('loan_number_sequences');

-- The loan's terms and flags, and its checkpoint: the balances after its last event. loan_outlook has the amounts of
-- later days.
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
  -- A legal condition of those who borrowed forbids it today. Follows from cases.
  is_acceleration_forbidden boolean not null default false,
  -- Terms, copied from the product where it sets them. Later changes of the product do not affect the loan.
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
  -- The day on which accrual resumes by itself.
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
  -- The balances after the last event. Only interest changes until the next one (loan_outlook).
  disbursed_amount app.money not null default 0,
  principal_balance app.money not null default 0 check (principal_balance >= 0),
  -- The cents of accrued interest that were settled (paid, waived or capitalized).
  interest_settled app.money not null default 0,
  -- The part of the owed interest that left the books when the loan went on non-accrual.
  off_books_interest app.money not null default 0,
  outstanding_fees app.money not null default 0 check (outstanding_fees >= 0),
  suspense_balance app.money not null default 0,
  charge_off_balance app.money not null default 0,
  -- Money recovered after the charge-off.
  recovered_amount app.money not null default 0,
  deficiency_balance app.money not null default 0,
  -- The due date of the first installment that is not fully paid, past or future.
  oldest_unpaid_due_date date,
  installment_tolerance app.money not null default 0,
  rounding_mode text not null generated always as (coalesce(terms ->> 'rounding_mode', 'half_up')) stored,
  -- Must equal isBilledByCycle in jobs/loans/arithmetic/terms.ts.
  is_billed_by_cycle boolean not null generated always as (
    loan_type = 'line_of_credit' and coalesce(jsonb_typeof(terms -> 'minimum_payment') = 'object', false)
  ) stored,
  first_delinquency_date date,
  -- The same for the credit bureaus, to which a loan is late from 30 days past due.
  first_delinquency_30_date date,
  -- The date of first delinquency that the previous servicer of a boarded loan reported.
  boarded_delinquency_date date,
  last_payment_date date,
  last_payment_amount app.money,
  paid_principal app.money not null default 0,
  paid_interest app.money not null default 0,
  paid_fees app.money not null default 0,
  -- Periods in which the count of days past due is paused, as [{from, to}], both days included.
  delinquency_pauses jsonb not null default '[]',
  delinquency_bucket text not null default 'current',
  -- How often the loan reached this delinquency bucket, counted at the close of each day. The bucket of the
  -- last count is kept, so that one delinquency counts once.
  times_delinquent_30 integer not null default 0,
  times_delinquent_60 integer not null default 0,
  times_delinquent_90 integer not null default 0,
  delinquency_days_counted integer not null default 0,
  -- The payment history that the previous servicer reported for the months before boarding, newest first.
  payment_history_profile text check (payment_history_profile ~ '^[0-6BDEGHJKLZ]{24}$'),
  schedule_version integer not null default 0,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The expected day of disbursement, agreed before approval. The disclosure is calculated from it.
  expected_disbursement_date date,
  -- The first payment date that was agreed before disbursement. first_payment_date follows the schedule after
  -- disbursement and returns to this date if the disbursement is reversed.
  agreed_first_payment_date date,
  -- The amount of the last installment as of the last event.
  final_payment_amount app.money,
  -- The current billing cycle of a line of credit, both days included, and the minimum-payment disclosure of the
  -- last statement.
  cycle_start_date date,
  cycle_end_date date,
  cycle_outlook jsonb,
  -- The last day on which the borrower may rescind, set when the loan is agreed.
  rescission_ends date,
  interest_free_balance app.money not null default 0
    check (interest_free_balance between 0 and principal_balance),
  -- The original term, if a modification changed it; otherwise null.
  original_term_months integer check (original_term_months > 0),
  primary key (tenant_id, id),
  constraint loans_tenant_id_loan_number_key unique (tenant_id, loan_number),
  constraint loans_tenant_id_external_id_key unique (tenant_id, external_id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, program_id) references programs (tenant_id, id),
  foreign key (tenant_id, product_id) references products (tenant_id, id),
  foreign key (tenant_id, loan_officer_id) references users (tenant_id, id)
) with (fillfactor = 80);
create index loans_borrower on loans (tenant_id, borrower_id, created_at desc, id desc);
create index loans_portfolio on loans (tenant_id, portfolio_id) where portfolio_id is not null;
create index loans_status on loans (tenant_id, status, created_at desc, id desc);
create index loans_bucket on loans (tenant_id, delinquency_bucket, created_at desc, id desc);
create index loans_program on loans (tenant_id, program_id);
create index loans_product on loans (tenant_id, product_id);
create index loans_officer on loans (tenant_id, loan_officer_id) where loan_officer_id is not null;
create index loans_number_search on loans using gin (tenant_id, loan_number gin_trgm_ops);
create index loans_external_id_search on loans using gin (tenant_id, external_id gin_trgm_ops)
  where external_id is not null;
create index loans_freeze_ends on loans (tenant_id, freeze_until) where freeze_until is not null;
create index loans_cycle_ends on loans (tenant_id, cycle_end_date) where cycle_end_date is not null;
create index loans_cycle_starts on loans (tenant_id, cycle_start_date) where cycle_start_date is not null;
create index loans_created on loans (tenant_id, created_at desc, id desc) include (is_archived);
call app.protect('loans');
call app.declare_borrower_data('loans', 'loans',
  redacted => '{freeze_reason,cancel_reason,charge_off_reason,labels,denial_reasons,metadata}',
  emptied => '{external_id}',
  kept => '{"the loan''s number, which the books refer to": ["loan_number"], "one of a few values": ["status",
    "sub_status", "loan_type", "payment_frequency", "day_count", "interest_method", "rounding_mode",
    "delinquency_bucket"], "terms, amounts and dates of the loan": ["terms", "delinquency_pauses",
    "payment_history_profile", "cycle_outlook"],
    "follows from the cases of those who borrowed": ["is_acceleration_forbidden"]}',
  takes_rows_after_redaction => true,
  exported_as => '{"sub_status": "case when not app.is_joint(id) then sub_status end",
    "is_acceleration_forbidden": "case when not app.is_joint(id) then is_acceleration_forbidden end"}');

-- People who owe a loan together with its borrower. Rows are never deleted: a released co-borrower owes
-- nothing from that day on and remains on record.
create table co_borrowers (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  borrower_id uuid not null,
  role text not null check (role in ('co_borrower', 'co_signer', 'guarantor')),
  liable_from date not null,
  -- The first day on which the co-borrower owes nothing.
  released_on date,
  release_reason text,
  release_notes text,
  released_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check (released_on >= liable_from),
  check ((released_on is null) = (release_reason is null)),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, released_by) references users (tenant_id, id)
);
create unique index co_borrowers_once on co_borrowers (tenant_id, loan_id, borrower_id)
  where released_on is null;
create index co_borrowers_loan on co_borrowers (tenant_id, loan_id, created_at desc, id desc);
create index co_borrowers_borrower on co_borrowers (tenant_id, borrower_id, created_at desc, id desc);
create index co_borrowers_created on co_borrowers (tenant_id, created_at desc, id desc);
call app.protect('co_borrowers', 'select, insert, update');
call app.declare_borrower_data('co_borrowers', 'loans', redacted => '{release_notes}',
  kept => '{"one of a few values": ["release_reason"]}', takes_rows_after_redaction => true,
  exported_as => '{"release_reason": "case when borrower_id = $1 then release_reason end"}');

-- The events of a loan, in the order in which they became known. Rows never change except for reversed_by: an
-- erroneous event is corrected by one that reverses it. The loan's state is computed from its events
-- (jobs/loans/engine/fold.ts).
create table loan_events (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  kind text not null,
  effective_date date not null,
  -- The details of the kind of event: amounts as decimal strings, ids, reasons.
  details jsonb not null default '{}',
  recorded_on date not null default app.business_date(),
  recorded_at timestamptz not null default now(),
  -- The reversal that undoes this event (jobs/loans/engine/reversals.ts). Null: the event is in force. A
  -- reversal that was itself reversed undoes nothing, so queries must not search for reversals.
  reversed_by uuid,
  -- It happened at the previous servicer. The entry of the boarding includes what it moved.
  is_replayed boolean not null default false,
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, reversed_by) references loan_events (tenant_id, id)
);
create index loan_events_loan on loan_events (tenant_id, loan_id, effective_date, id);
-- A partial index, because every close counts a loan's modifications and most loans have none.
create index loan_events_modifications on loan_events (tenant_id, loan_id, effective_date)
  where kind in ('rate_change', 'capitalization', 'forgiveness', 'schedule_agreed');
create unique index loan_events_reversed_by on loan_events (tenant_id, reversed_by) where reversed_by is not null;
call app.protect('loan_events', 'select, insert');
grant update (reversed_by) on loan_events to servicing_app;
call app.declare_borrower_data('loan_events', 'loans',
  kept => '{"the books: kinds, amounts and dates in a fixed format": ["kind", "details"]}');

-- What the previous servicer of a boarded loan reported of its past, for people to read. Rows never change.
create table earlier_transactions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  -- The previous servicer's number of the transaction.
  transaction_id text not null,
  transaction_date date not null,
  -- The place among the transactions of the loan.
  position integer not null,
  transaction_type text not null check (transaction_type in
    ('payment', 'payment_reversal', 'disbursement', 'draw', 'fee', 'late_fee', 'fee_waiver', 'rate_change', 'deferment',
     'modification', 'service_credit', 'settlement', 'charge_off', 'recovery', 'note')),
  amount app.money,
  -- The previous servicer's split of the amount.
  principal app.money,
  interest app.money,
  fees app.money,
  reverses text,
  rate app.rate,
  until date,
  count integer,
  description text,
  -- The event that the transaction became, if the history was replayed. Its own records then show it.
  event_id uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint earlier_transactions_once unique (tenant_id, loan_id, transaction_id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, event_id) references loan_events (tenant_id, id)
);
create index earlier_transactions_loan on earlier_transactions (tenant_id, loan_id, created_at desc, id desc);
create index earlier_transactions_event on earlier_transactions (tenant_id, event_id) where event_id is not null;
call app.protect('earlier_transactions', 'select, insert');
call app.declare_borrower_data('earlier_transactions', 'loans', redacted => '{description}',
  kept => '{"the previous servicer''s numbers": ["transaction_id", "reverses"]}');

-- A rate, or none, agreed for a limited time. The loan's events record its effect.
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
  -- The event that began it; null until its first day.
  event_id uuid,
  -- The end of the promotion has been processed.
  is_over boolean not null default false,
  broken_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index loan_promotions_loan on loan_promotions (tenant_id, loan_id, created_at desc, id desc);
create index loan_promotions_open on loan_promotions (tenant_id, loan_id) where not is_over;
call app.protect('loan_promotions');
call app.declare_borrower_data('loan_promotions', 'loans',
  kept => '{"the lender''s name for an offer": ["name"], "one of a few values": ["promo_type"],
    "terms of the offer": ["conditions"]}');

-- Periods in which a law caps the rate, as they follow from the facts of cases. Written only by
-- jobs/loans/history/rate-caps/; corrected facts replace the rows.
create table loan_rate_caps (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  interest_rate app.rate not null,
  start_date date not null,
  -- The last day. Null: no end is known.
  end_date date check (end_date >= start_date),
  -- The event that began it; null until its first day.
  event_id uuid,
  -- The agreed installment has returned.
  is_over boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint loan_rate_caps_once unique (tenant_id, loan_id, start_date, interest_rate),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index loan_rate_caps_open on loan_rate_caps (tenant_id, loan_id) where not is_over;
call app.protect('loan_rate_caps');
call app.declare_borrower_data('loan_rate_caps', 'loans');

-- Slowly changing facts of a loan for tapes. A row is valid from its day until the next row, as of the
-- close of business. Values that change daily are in loan_snapshots.
create table loan_attribute_history (
  tenant_id uuid not null default app.current_tenant(),
  loan_id uuid not null,
  from_date date not null,
  external_id text,
  borrower_name text,
  borrower_state text,
  borrower_zip text,
  program text not null,
  product text not null,
  origination_date date,
  first_payment_date date,
  apr app.rate,
  term_months integer not null,
  payment_amount app.money,
  payment_frequency text not null,
  modification_count integer not null,
  charge_off_date date,
  charge_off_amount app.money,
  recovery_amount app.money,
  collateral_type text,
  collateral_value app.money,
  lien_position integer,
  investor text,
  portfolio text,
  credit_score_origination text,
  constraint loan_attribute_history_pkey primary key (tenant_id, loan_id, from_date)
);
call app.protect('loan_attribute_history', 'select, insert');
call app.declare_borrower_data('loan_attribute_history', 'loans', links => '{"loan_id": "loans"}',
  redacted => '{borrower_name}', emptied => '{borrower_state,borrower_zip,external_id,credit_score_origination}',
  kept => '{"names of the lender''s products and investors": ["program", "product", "investor", "portfolio"],
    "one of a few values": ["payment_frequency", "collateral_type"]}');

-- The schedule, in versions. paid_amount follows the loan's events (jobs/loans/history/record-events.ts updates the few
-- installments that an event changed).
create table installments (
  tenant_id uuid not null default app.current_tenant(),
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
  -- Checked once per loan and statement by loans_exist: as a row's own key, it takes longer than writing the row. The
  -- key of the loan's events, which are written with its schedule, keeps the loan from being deleted.
  foreign key (tenant_id, loan_id) references loans (tenant_id, id) not enforced
);
call app.protect('installments', 'select, insert');
create function app.assert_loans_exist() returns trigger language plpgsql as $$
declare missing uuid;
begin
  select wanted.loan_id into missing
  from (select distinct tenant_id, loan_id from added) as wanted
  left join lateral (
    select id from loans where tenant_id = wanted.tenant_id and id = wanted.loan_id offset 0
  ) as found on true
  where found.id is null limit 1;
  if missing is not null then
    raise exception 'The loan % of a row of % does not exist.', missing, tg_table_name
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger loans_exist after insert on installments referencing new table as added
  for each statement execute function app.assert_loans_exist();
call app.declare_borrower_data('installments', 'loans', kept => '{"one of a few values": ["reason"]}');
grant update (paid_amount, paid_date, is_canceled) on installments to servicing_app;

-- The amounts and dates that a loan shows on each day until its next event. Only recordEvents writes them, with each
-- event. The close refolds loans whose last row ends soon. Within a row only interest, days past due and the amounts
-- that grow with interest change (jobs/loans/engine/outlook/outlook.ts).
create table loan_outlook (
  tenant_id uuid not null default app.current_tenant(),
  loan_id uuid not null,
  -- Rows are numbered by date and updated in place, so that most changes touch no index.
  number smallint not null,
  -- The first and the last day. The last is infinity if nothing changes without an event.
  from_date date not null,
  until_date date not null,
  -- The outlook ends with this row. The close refolds the loan before.
  is_last boolean not null,
  -- All interest accrued up to the start of a day, unrounded: interest_base + interest_per_basis *
  -- (interest_units + units_per_day * days since from_date) / interest_basis. The scale keeps the division exact.
  interest_base numeric(22, 10) not null,
  interest_per_basis numeric(40, 25) not null,
  interest_units integer not null,
  units_per_day smallint not null,
  interest_basis integer not null,
  -- The same in cents on the first day, and the interest of the last day itself.
  interest_earned app.money not null,
  last_day_interest app.money not null,
  -- The day from which days past due count, and the days while the count is paused. Both are null if the loan is
  -- current.
  past_due_from date,
  paused_days integer check (paused_days > 0),
  delinquency_bucket text not null,
  oldest_unpaid_due_date date,
  first_delinquency_date date,
  first_delinquency_30_date date,
  next_payment_date date,
  payments_remaining smallint not null,
  current_rate app.rate not null,
  interest_free_balance app.money not null,
  prepayment_penalty app.money not null,
  -- The late fee of the next installment, and the last day on which a payment avoids it. Null: no fee follows.
  late_fee_amount app.money,
  late_fee_after date,
  -- The same for past-due installments. It holds until that day.
  cure_fee_amount app.money,
  cure_fee_after date,
  -- The day whose close decides about a late fee, if the row reaches it.
  late_fee_decision_on date,
  -- Amounts on the first day. On a later day each is higher by its growth (1, 0 or -1) times the interest since.
  accrued_interest app.money not null,
  unearned_interest app.money not null,
  past_due_amount app.money not null,
  past_due_principal app.money not null,
  past_due_interest app.money not null,
  past_due_30_amount app.money not null,
  next_payment_amount app.money not null,
  fees_due app.money not null,
  amount_due app.money not null,
  payoff_amount app.money not null,
  final_payment_amount app.money,
  accrued_interest_growth smallint not null,
  unearned_interest_growth smallint not null,
  past_due_amount_growth smallint not null,
  past_due_principal_growth smallint not null,
  past_due_interest_growth smallint not null,
  past_due_30_amount_growth smallint not null,
  next_payment_amount_growth smallint not null,
  fees_due_growth smallint not null,
  amount_due_growth smallint not null,
  payoff_amount_growth smallint not null,
  final_payment_amount_growth smallint not null,
  primary key (tenant_id, loan_id, number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  check (from_date <= until_date),
  check (past_due_from < from_date),
  check (past_due_from is null or paused_days is null),
  check (interest_per_basis >= 0 and interest_per_basis <> 'NaN')
) with (fillfactor = 60);
-- Indexes on columns, because row-level security keeps Postgres from using an index on an expression. Each index ends
-- with the days of a row, so that Postgres can skip the rows of other days.
-- Sorted by days past due, then by newest loan.
create index loan_outlook_late on loan_outlook (tenant_id, past_due_from, loan_id desc, from_date, until_date)
  where past_due_from is not null;
create index loan_outlook_paused on loan_outlook (tenant_id, paused_days, loan_id) where paused_days is not null;
create index loan_outlook_due on loan_outlook (tenant_id, next_payment_date, loan_id, from_date, until_date)
  where next_payment_date >= from_date;
-- After maturity, the next payment date is the maturity date.
create index loan_outlook_matured on loan_outlook (tenant_id, next_payment_date, loan_id)
  where next_payment_date < from_date;
create index loan_outlook_ends on loan_outlook (tenant_id, until_date) where is_last and until_date < 'infinity';
call app.protect('loan_outlook');
call app.declare_borrower_data('loan_outlook',
  not_exported_because => 'derived from the loan''s events',
  kept => '{"one of a few values": ["delinquency_bucket"]}');

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
  send_by date,
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id)
);
create index disbursements_loan on disbursements (tenant_id, loan_id, created_at desc, id desc);
create index disbursements_created on disbursements (tenant_id, created_at desc, id desc);
create index disbursements_status on disbursements (tenant_id, status, created_at desc, id desc);
create index disbursements_date on disbursements (tenant_id, disbursement_date, id);
create index disbursements_send_by on disbursements (tenant_id, send_by) where send_by is not null;
call app.protect('disbursements');
call app.declare_borrower_data('disbursements', 'loans', redacted => '{payee_name,reference_number}',
  kept => '{"one of a few values": ["method", "payee_type", "status"]}');

-- Draws on lines of credit.
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
  send_by date,
  primary key (tenant_id, id),
  constraint draws_tenant_id_external_id_key unique (tenant_id, external_id),
  constraint draws_draw_number unique (tenant_id, loan_id, draw_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, payment_instrument_id) references payment_instruments (tenant_id, id)
);
create index draws_loan on draws (tenant_id, loan_id, created_at desc, id desc);
create index draws_created on draws (tenant_id, created_at desc, id desc);
create index draws_status on draws (tenant_id, status, created_at desc, id desc);
create index draws_date on draws (tenant_id, draw_date, id);
create index draws_send_by on draws (tenant_id, send_by) where send_by is not null;
call app.protect('draws', 'select, insert, update');
call app.declare_borrower_data('draws', 'loans', redacted => '{purpose}', emptied => '{external_id}');

create table fees (
  tenant_id uuid not null default app.current_tenant(),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  fee_type text not null,
  description text,
  amount app.money not null check (amount > 0),
  amount_paid app.money not null default 0,
  amount_waived app.money not null default 0,
  -- The amount that was capitalized, charged off or written off: neither paid nor waived.
  amount_reclassified app.money not null default 0,
  assessed_date date not null,
  effective_date date not null,
  due_date date,
  installment_number integer,
  payment_id uuid,
  -- The fee rule of the product, and how the fee is collected.
  fee_rule_id uuid,
  treatment text not null default 'upfront',
  status text not null default 'assessed',
  waived_at timestamptz,
  waived_by uuid,
  waive_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The draw that caused the fee; reversing the draw reverses the fee.
  draw_id uuid,
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, draw_id) references draws (tenant_id, id)
    -- A fee is assessed before its draw is written, in the same transaction.
    deferrable initially deferred
);
create index fees_loan on fees (tenant_id, loan_id, created_at desc, id desc);
create index fees_created on fees (tenant_id, created_at desc, id desc);
create index fees_status on fees (tenant_id, status, created_at desc, id desc);
create index fees_date on fees (tenant_id, assessed_date, id);
create unique index fees_one_late_fee on fees (tenant_id, loan_id, installment_number)
  where fee_type = 'late' and status <> 'reversed';
create unique index fees_one_return_fee on fees (tenant_id, payment_id)
  where fee_type = 'returned_payment' and status <> 'reversed';
create index fees_draw on fees (tenant_id, draw_id) where draw_id is not null;
call app.protect('fees');
call app.declare_borrower_data('fees', 'loans', redacted => '{description,waive_reason}',
  kept => '{"one of a few values": ["fee_type", "treatment", "status"]}');

-- Late fee exemptions: installments that were late after their grace period but got no late fee, with the
-- reason. Later closes assess no fee for them.
create table late_fee_exemptions (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  installment_number integer not null,
  -- The missed due date. An installment that moves to another date can be late again.
  due_date date not null,
  -- The rule that would have charged the fee; null if the rule has no id.
  fee_rule_id uuid,
  reason text not null check (reason in ('small_remainder', 'partly_paid', 'agreement', 'frozen', 'legal_condition',
    'servicing_transfer', 'earlier')),
  decided_on date not null default app.business_date(),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create unique index late_fee_exemptions_once
  on late_fee_exemptions (tenant_id, loan_id, installment_number, due_date, fee_rule_id) nulls not distinct;
call app.protect('late_fee_exemptions', 'select, insert');
call app.declare_borrower_data('late_fee_exemptions', 'loans');

-- Results of a loan's compliance checks.
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
create index compliance_runs_loan on compliance_runs (tenant_id, loan_id, run_at desc);
call app.protect('compliance_runs', 'select, insert');
call app.declare_borrower_data('compliance_runs', 'loans',
  redacted_as => $${"checks": "app.redacted_json(checks, '{code,status,level,enforcement}')"}$$,
  -- A sanctions screening is not disclosed, and checks of a joint loan are about several people.
  exported_as => jsonb_build_object('checks', $$case when not app.is_joint(loan_id) then
    jsonb_path_query_array(checks, '$[*] ? (@.code != "ofac_screening")') end$$));

-- Suspense money that was applied to the loan, by a person or by rule.
create table suspense_applications (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  amount app.money not null check (amount > 0),
  effective_date date not null,
  payment_type text not null,
  notes text,
  source text not null check (source in ('staff', 'rule')),
  status text not null default 'applied' check (status in ('applied', 'reversed')),
  -- The current allocation. An event that arrives late may change it.
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index suspense_applications_loan
  on suspense_applications (tenant_id, loan_id, created_at desc, id desc);
call app.protect('suspense_applications', 'select, insert, update');
call app.declare_borrower_data('suspense_applications', 'loans', redacted => '{notes}',
  kept => '{"one of a few values": ["payment_type"]}');

-- Credits for the loan other than payments, such as a goodwill credit. As for all records below, the effect
-- on money is in loan_events; the record keeps the terms, the author and the status.
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
  -- The current allocation. An event that arrives late may change it.
  principal_applied app.money not null default 0,
  interest_applied app.money not null default 0,
  fees_applied app.money not null default 0,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index service_credits_loan on service_credits (tenant_id, loan_id, created_at desc, id desc);
call app.protect('service_credits', 'select, insert, update');
call app.declare_borrower_data('service_credits', 'loans', redacted => '{reason}',
  kept => '{"one of a few values": ["credit_type", "apply_to", "sponsor"]}');

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
create index promises_to_pay_loan on promises_to_pay (tenant_id, loan_id, created_at desc, id desc);
create index promises_to_pay_created on promises_to_pay (tenant_id, created_at desc, id desc);
create index promises_to_pay_status on promises_to_pay (tenant_id, status, created_at desc, id desc);
create index promises_to_pay_date on promises_to_pay (tenant_id, promised_date, id);
create index promises_to_pay_pending on promises_to_pay (tenant_id, loan_id) where status = 'pending';
call app.protect('promises_to_pay', 'select, insert, update');
call app.declare_borrower_data('promises_to_pay', 'loans', redacted => '{contact_note}',
  kept => '{"one of a few values": ["payment_method", "channel", "status"], "amounts and dates": ["installments"]}');

create table payment_plans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  plan_type text not null check (plan_type in ('repayment', 'settlement', 'catch_up')),
  -- Payments from this day on count towards the promise.
  agreed_on date not null default app.business_date(),
  total_amount app.money not null check (total_amount > 0),
  -- [{due_date, amount, status}], ordered by date.
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
create index payment_plans_loan on payment_plans (tenant_id, loan_id, created_at desc, id desc);
create index payment_plans_created on payment_plans (tenant_id, created_at desc, id desc);
create index payment_plans_status on payment_plans (tenant_id, status, created_at desc, id desc);
create index payment_plans_date on payment_plans (tenant_id, agreed_on, id);
create unique index payment_plans_one_active on payment_plans (tenant_id, loan_id) where status = 'active';
call app.protect('payment_plans', 'select, insert, update');
call app.declare_borrower_data('payment_plans', 'loans', redacted => '{notes}',
  kept => '{"one of a few values": ["frequency"], "amounts and dates": ["installments"]}');

-- Payoff quotes. A quote is superseded by a newer quote or by an event that changes the payoff amount.
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
  -- Agreed changes through the good-through date that affect the amounts.
  agreed_changes jsonb not null default '[]',
  remittance_instructions text,
  -- Why the quote was superseded.
  superseded_reason text,
  status text not null default 'active' check (status in ('active', 'expired', 'accepted', 'superseded', 'canceled')),
  document_id uuid,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint payoff_quotes_quote_number unique (tenant_id, quote_number),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index payoff_quotes_loan on payoff_quotes (tenant_id, loan_id, created_at desc, id desc);
create index payoff_quotes_created on payoff_quotes (tenant_id, created_at desc, id desc);
create index payoff_quotes_status on payoff_quotes (tenant_id, status, created_at desc, id desc);
create index payoff_quotes_date on payoff_quotes (tenant_id, payoff_date, id);
create unique index payoff_quotes_one_active on payoff_quotes (tenant_id, loan_id) where status = 'active';
call app.protect('payoff_quotes', 'select, insert, update');
call app.declare_borrower_data('payoff_quotes', 'loans',
  kept => '{"our own number": ["quote_number"], "one of a few values": ["delivery_method", "superseded_reason"],
    "amounts with our labels": ["explanation", "agreed_changes"], "how the lender is paid": ["remittance_instructions"]}');

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
  -- Whether the loan is active. Triggers set it, and keep it up to date while the modification waits.
  is_loan_active boolean not null,
  -- What clients see: a modification that waits is canceled while its loan is not active.
  shown_status text not null generated always as (
    case when status in ('pending', 'approved') and not is_loan_active then 'canceled' else status end
  ) stored,
  previous_terms jsonb not null default '{}',
  new_terms jsonb not null default '{}',
  -- Events caused by the record, which are reversed together with it.
  event_ids jsonb not null default '[]',
  requested_by uuid,
  approved_by uuid,
  applied_at timestamptz,
  document_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index modifications_loan on modifications (tenant_id, loan_id, created_at desc, id desc);
create index modifications_created on modifications (tenant_id, created_at desc, id desc);
create index modifications_status on modifications (tenant_id, shown_status, created_at desc, id desc);
create index modifications_date on modifications (tenant_id, effective_date, id);
create index modifications_approved on modifications (tenant_id, loan_id) where status = 'approved';
call app.protect('modifications', 'select, insert, update');
call app.declare_borrower_data('modifications', 'loans', redacted => '{reason_comment}',
  kept => '{"one of a few values": ["modification_type", "reason", "interest_treatment", "fee_treatment",
    "status", "shown_status"], "terms of the loan": ["previous_terms", "new_terms"], "ids": ["event_ids"]}');

create function app.set_is_loan_active() returns trigger
  language plpgsql set search_path = public, pg_temp
as $$
begin
  new.is_loan_active := exists (
    select from loans where tenant_id = new.tenant_id and id = new.loan_id and status = 'active'
  );
  return new;
end $$;
create trigger set_is_loan_active before insert on modifications for each row
  execute function app.set_is_loan_active();

create function app.follow_loan_status() returns trigger
  language plpgsql set search_path = public, pg_temp
as $$
begin
  update modifications set is_loan_active = new.status = 'active'
  where tenant_id = new.tenant_id and loan_id = new.id and status in ('pending', 'approved');
  return null;
end $$;
create trigger follow_status after update of status on loans for each row
  when ((old.status = 'active') <> (new.status = 'active')) execute function app.follow_loan_status();

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
create index forbearances_loan on forbearances (tenant_id, loan_id, created_at desc, id desc);
create index forbearances_created on forbearances (tenant_id, created_at desc, id desc);
create index forbearances_status on forbearances (tenant_id, status, created_at desc, id desc);
create index forbearances_date on forbearances (tenant_id, start_date, id);
create index forbearances_open on forbearances (tenant_id, loan_id) where status in ('scheduled', 'active');
call app.protect('forbearances', 'select, insert, update');
call app.declare_borrower_data('forbearances', 'loans', redacted => '{reason,notes}',
  kept => '{"one of a few values": ["forbearance_type", "end_treatment", "status"], "ids": ["event_ids"]}');

create table deferments (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  deferment_type text not null,
  periods integer not null check (periods > 0),
  start_date date not null,
  -- The day before payments resume; set when the deferment begins.
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
create index deferments_loan on deferments (tenant_id, loan_id, created_at desc, id desc);
create index deferments_created on deferments (tenant_id, created_at desc, id desc);
create index deferments_status on deferments (tenant_id, status, created_at desc, id desc);
create index deferments_date on deferments (tenant_id, start_date, id);
create index deferments_open on deferments (tenant_id, loan_id) where status in ('scheduled', 'active');
call app.protect('deferments', 'select, insert, update');
call app.declare_borrower_data('deferments', 'loans', redacted => '{reason,notes}',
  kept => '{"one of a few values": ["deferment_type", "interest_treatment", "status"], "ids": ["event_ids"]}');

-- Notices about applications that were denied, countered or are incomplete (12 CFR 1002.9), and the requests for
-- their reasons.
create table adverse_action_notices (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  -- The applicant.
  borrower_id uuid not null,
  kind text not null check (kind in ('denial', 'counteroffer', 'incomplete_application')),
  status text not null default 'draft' check (status in ('draft', 'sent')),
  -- Codes, and specific reasons without a code.
  reasons jsonb not null default '[]',
  other_reasons jsonb not null default '[]',
  -- The notice does not state all reasons, but how to get them.
  has_right_to_reasons boolean not null,
  counteroffer text,
  information_needed jsonb not null default '[]',
  respond_by date,
  -- The consumer report that was used, for printing the notice.
  credit_report jsonb,
  decided_on date not null,
  notify_by date not null,
  sent_on date,
  document_id uuid,
  reasons_requested_on date,
  reasons_due_on date,
  reasons_stated_on date,
  statement_document_id uuid,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  check ((status = 'sent') = (sent_on is not null)),
  check ((reasons_requested_on is null) = (reasons_due_on is null)),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id)
);
create index adverse_action_notices_loan on adverse_action_notices (tenant_id, loan_id, created_at desc, id desc);
create index adverse_action_notices_borrower on adverse_action_notices
  (tenant_id, borrower_id, created_at desc, id desc);
create index adverse_action_notices_created on adverse_action_notices (tenant_id, created_at desc, id desc);
call app.protect('adverse_action_notices', 'select, insert, update');
call app.declare_borrower_data('adverse_action_notices', 'loans', links => '{"borrower_id": "borrowers"}',
  redacted => '{reasons,other_reasons,counteroffer,information_needed}', emptied => '{credit_report}');

create table forms_1099c (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  -- The debtor. Joint debtors have a form each.
  borrower_id uuid not null,
  form_number text not null,
  tax_year integer not null,
  status text not null default 'generated' check (status in
    ('draft', 'generated', 'furnished', 'filed', 'corrected', 'void')),
  is_corrected boolean not null default false,
  corrects_form_id uuid,
  -- The debtor or the IRS has this form, or one that it corrects. Only another corrected form can undo it.
  was_sent boolean not null default false,
  source text not null check (source in ('manual', 'system')),
  creditor_name text not null,
  creditor_tin_last_four text not null,
  creditor_address text not null,
  creditor_phone text,
  debtor_name text not null,
  -- Null: the number is missing. The form stays a draft until the debtor was asked for it.
  debtor_tin_last_four text,
  tin_requested_on date,
  debtor_address text not null,
  account_number text not null,
  identifiable_event_date date not null,
  amount_discharged app.money not null check (amount_discharged > 0 or amount_discharged = 0 and is_corrected),
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
  check (debtor_tin_last_four is not null or tin_requested_on is not null or status in ('draft', 'void', 'corrected')),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, borrower_id) references borrowers (tenant_id, id),
  foreign key (tenant_id, corrects_form_id) references forms_1099c (tenant_id, id)
);
create index forms_1099c_loan on forms_1099c (tenant_id, loan_id, created_at desc, id desc);
create index forms_1099c_borrower on forms_1099c (tenant_id, borrower_id, created_at desc, id desc);
create unique index forms_1099c_one on forms_1099c
  (tenant_id, loan_id, borrower_id, identifiable_event_code, tax_year)
  where status not in ('void', 'corrected');
call app.protect('forms_1099c', 'select, insert, update');
call app.declare_borrower_data('forms_1099c', 'credit', links => '{"borrower_id": "borrowers"}',
  redacted => '{debtor_name,debtor_address,debt_description,notes}',
  redacted_as => $${"debtor_tin_last_four": "'0000'"}$$,
  kept => '{"our own number": ["form_number"], "the loan''s number": ["account_number"],
    "about the lender": ["creditor_name", "creditor_tin_last_four", "creditor_address", "creditor_phone"],
    "one of a few values": ["status", "identifiable_event_code"]}');

-- Rounds an amount to cents, half a cent to the even cent.
create function app.half_even(amount numeric) returns numeric
language sql immutable parallel safe
return case
  when abs(amount * 100 % 1) = 0.5 then round(round(amount * 50) / 50, 2)
  else round(amount, 2)
end;

-- The amount. Fails if it is unknown, because zero would be wrong.
create function app.required(amount numeric, message text) returns numeric
language plpgsql immutable parallel safe as $$
begin
  if amount is null then
    raise exception using message = message;
  end if;
  return amount;
end $$;

-- All interest accrued up to the start of a day, in cents, by a row of loan_outlook. Must equal accruedCentsOn in
-- jobs/loans/engine/outlook/outlook-interest.ts.
create function app.earned_on(
  interest_base numeric, interest_per_basis numeric, units bigint, interest_basis integer, rounding_mode text
) returns numeric
language sql immutable parallel safe
return case rounding_mode
  when 'half_even' then app.half_even(interest_base + round(interest_per_basis * units / interest_basis, 10))
  when 'down' then trunc(round(interest_base + round(interest_per_basis * units / interest_basis, 10), 8), 2)
  else round(interest_base + round(interest_per_basis * units / interest_basis, 10), 2)
end;

-- Locks a loan for a write. If the day's interest is already posted, records the loan in cob_changed_loans,
-- so that finishing the day processes it again. The day cannot finish while a transaction writes to a loan.
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
  if accrued then
    insert into cob_changed_loans (cob_date, loan_id) values (app.business_date(), loan) on conflict do nothing;
  end if;
  return coalesce(accrued, false);
end $$;

-- Deletes the open day's snapshots of these loans if the loans changed after their chunk was closed, and
-- returns their delinquency counts. Snapshots of earlier days stay. Deletes loan by loan with every column
-- of the key, because a join would make Postgres read all snapshots of the tenant if its statistics do not
-- include the day yet.
create function app.delete_snapshots(loans uuid[])
returns table (
  loan_id uuid, first_delinquency_date date, times_delinquent_30 integer, times_delinquent_60 integer,
  times_delinquent_90 integer
)
language plpgsql security definer set search_path = public, pg_temp
as $$
#variable_conflict use_column
declare
  tenant uuid := app.current_tenant();
  today date := app.business_date();
  loan uuid;
begin
  foreach loan in array loans loop
    delete from cob_changed_loans where tenant_id = tenant and cob_date = today and loan_id = loan;
    continue when not found;
    delete from loan_attribute_history where tenant_id = tenant and loan_id = loan and from_date = today;
    return query
      delete from loan_snapshots as kept
      where kept.tenant_id = tenant and kept.snapshot_date = today and kept.loan_id = loan
      returning kept.loan_id, kept.first_delinquency_date, kept.times_delinquent_30, kept.times_delinquent_60,
        kept.times_delinquent_90;
  end loop;
end $$;
revoke execute on function app.delete_snapshots from public;
grant execute on function app.delete_snapshots to servicing_app;

create trigger append_only before update on loan_events
  for each row when (to_jsonb(old) - 'reversed_by' is distinct from to_jsonb(new) - 'reversed_by')
  execute function app.refuse_change();
create trigger append_only_rows before delete on loan_events
  for each row execute function app.refuse_change();
create trigger append_only_all before truncate on loan_events
  for each statement execute function app.refuse_change();

-- Keys from earlier tables to those above.
alter table programs add foreign key (tenant_id, default_product_id) references products (tenant_id, id) deferrable initially immediate;
alter table notes add foreign key (tenant_id, loan_id) references loans (tenant_id, id);
alter table tasks add foreign key (tenant_id, loan_id) references loans (tenant_id, id);

-- Loans whose number or external id matches a pattern or equals a text, and loans that a person owes whose name matches
-- (app.search_borrowers, app.borrowers_with_prefix). Null means: do not search by that.
create function app.search_loans(
    number text, reference text, exact text, name text, other_name text, names text[], name_start text
  ) returns setof uuid
  language sql stable parallel safe rows 100 security definer set search_path = public, pg_temp
as $$
  with person as materialized (
    select app.search_borrowers(name, other_name, names, null, null, null) as id
    union all
    select app.borrowers_with_prefix(name_start, null)
  )
  select id from loans where tenant_id = app.current_tenant() and loan_number ilike number
  union all
  select id from loans where tenant_id = app.current_tenant() and external_id ilike reference
  union all
  select id from loans where tenant_id = app.current_tenant() and loan_number = exact
  union all
  select loans.id from person join loans on loans.borrower_id = person.id where loans.tenant_id = app.current_tenant()
  union all
  select loan_id from person join co_borrowers on co_borrowers.borrower_id = person.id
  where co_borrowers.tenant_id = app.current_tenant() and released_on is null
$$;
revoke execute on function app.search_loans from public;
grant execute on function app.search_loans to servicing_app;

-- The people who owe a loan whose number matches the pattern.
create function app.borrowers_with_loan(number text) returns setof uuid
  language sql stable parallel safe rows 100 security definer set search_path = public, pg_temp
as $$
  select borrower_id from loans where tenant_id = app.current_tenant() and loan_number ilike number
  union all
  select co_borrowers.borrower_id from loans join co_borrowers on co_borrowers.loan_id = loans.id
  where loans.tenant_id = app.current_tenant() and loan_number ilike number
    and co_borrowers.tenant_id = app.current_tenant() and released_on is null
$$;
revoke execute on function app.borrowers_with_loan from public;
grant execute on function app.borrowers_with_loan to servicing_app;
