-- What was collected for an investor in a month whose books are closed: told once, and kept as told.
-- What is found later stands in a later month's.
create table remittances (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  investor_id uuid not null,
  period_start date not null,
  period_end date not null check (period_end >= period_start),
  loan_count integer not null,
  -- Of the loans that were the investor's as the period began.
  principal_owned app.money not null,
  -- Below zero where more was taken back, or paid out, than came in.
  principal_collected app.money not null,
  interest_collected app.money not null,
  fees_collected app.money not null,
  other_collected app.money not null,
  collected app.money not null check (
    collected = principal_collected + interest_collected + fees_collected + other_collected
  ),
  servicing_fee app.money not null check (servicing_fee >= 0),
  amount_due app.money not null check (amount_due = collected - servicing_fee),
  status text not null default 'due' check (status in ('due', 'paid')),
  -- The servicing fee; null where there is none.
  journal_entry_id uuid,
  paid_on date,
  reference_number text,
  -- The money that went to the investor; null where nothing was due.
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
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
call app.protect('remittances', 'select, insert');
grant update (status, journal_entry_id, paid_on, reference_number, payment_entry_id, updated_at)
  on remittances to servicing_app;
create index remittances_created on remittances (tenant_id, created_at desc, id desc);

-- The same for each loan, by the sale by which it was the investor's.
create table remittance_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  remittance_id uuid not null,
  loan_id uuid not null,
  assignment_id uuid not null,
  -- Where it is owed to the investor.
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
call app.protect('remittance_loans', 'select, insert');
create index remittance_loans_loan on remittance_loans (tenant_id, loan_id);
create trigger append_only before update or delete on remittance_loans
  for each row execute function app.refuse_change();

insert into app.borrower_tables (table_name, folder) values ('remittance_loans', 'loans');
insert into app.borrower_ties (table_name, through, parent) values
  ('remittance_loans', 'loan_id', 'loans');

-- What servicing earns, for the tenants that there are; a new tenant has it from its chart
-- (jobs/ledger/chart.ts).
insert into ledger_accounts (tenant_id, code, role, name, account_type)
select tenant.id, free.code, 'servicing_fee_income', 'Servicing Fee Income', 'revenue'
from tenants as tenant
cross join lateral (
  select number::text as code from generate_series(4400, 9999) as number
  where not exists (
    select from ledger_accounts as taken
    where taken.tenant_id = tenant.id and taken.code = number::text
  )
  order by number limit 1
) as free
where exists (select from ledger_accounts as charted where charted.tenant_id = tenant.id);
