-- Where an investor's money goes.
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
call app.protect('settlement_instruments');
create index settlement_instruments_investor
  on settlement_instruments (tenant_id, investor_id, created_at desc, id desc);
create unique index settlement_instruments_one_primary
  on settlement_instruments (tenant_id, investor_id) where is_primary;

-- Which part of a loan an investor owns, or is about to.
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
  primary key (tenant_id, id),
  foreign key (tenant_id, investor_id) references investors (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id),
  foreign key (tenant_id, settlement_instrument_id) references settlement_instruments (tenant_id, id)
);
call app.protect('loan_assignments');
create index loan_assignments_investor on loan_assignments (tenant_id, investor_id, created_at desc, id desc);
create index loan_assignments_loan on loan_assignments (tenant_id, loan_id)
  where status in ('pending', 'active');
create index loan_assignments_settlement on loan_assignments (tenant_id, settlement_date)
  where status = 'pending';

alter table portfolios add column sale_date date;
alter table portfolios add column servicing_retained boolean;
