create table collateral_items (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  collateral_type text not null,
  description text,
  estimated_value app.money,
  metadata jsonb not null default '{}',
  status text not null default 'active'
    check (status in ('active', 'released', 'liquidated', 'repossessed')),
  insured_until date,
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('collateral_items');
create index collateral_items_loan on collateral_items (tenant_id, loan_id, created_at desc, id desc);
create index collateral_items_created on collateral_items (tenant_id, created_at desc, id desc);

create table liens (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  lien_type text not null,
  filing_number text,
  filing_date date,
  expiration_date date,
  filing_jurisdiction text,
  lien_position integer not null default 1 check (lien_position >= 1),
  status text not null default 'active' check (status in ('active', 'released', 'expired', 'terminated')),
  released_at timestamptz,
  released_by uuid,
  release_date date,
  release_reason text,
  release_filing_number text,
  release_notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, collateral_id) references collateral_items (tenant_id, id)
);
call app.protect('liens');
create index liens_collateral on liens (tenant_id, collateral_id, created_at desc, id desc);
create index liens_expiry on liens (tenant_id, expiration_date) where status = 'active';
create index liens_created on liens (tenant_id, created_at desc, id desc);
create unique index liens_lien_position on liens (tenant_id, collateral_id, lien_position) where status = 'active';

-- One alert per lien and expiry, however often the watch runs.
create table lien_alerts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  lien_id uuid not null,
  loan_id uuid not null,
  expiration_date date not null,
  -- The nearest of the 180, 90, 60, 30 and 7 day marks that has been passed; 0 once it has lapsed.
  severity integer not null,
  status text not null default 'open' check (status in ('open', 'acknowledged', 'resolved')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint lien_alerts_once unique (tenant_id, lien_id, expiration_date),
  foreign key (tenant_id, lien_id) references liens (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('lien_alerts');
create index lien_alerts_created on lien_alerts (tenant_id, created_at desc, id desc);

create table portfolio_snapshots (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  portfolio_id uuid not null,
  snapshot_date date not null,
  total_loans integer not null,
  total_principal app.money not null,
  total_outstanding app.money not null,
  weighted_average_rate numeric(12, 6) not null,
  weighted_average_term integer not null,
  delinquency_rate numeric(12, 6) not null,
  default_rate numeric(12, 6) not null,
  by_bucket jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint portfolio_snapshots_day unique (tenant_id, portfolio_id, snapshot_date),
  foreign key (tenant_id, portfolio_id) references portfolios (tenant_id, id)
);
call app.protect('portfolio_snapshots');
create index portfolio_snapshots_portfolio
  on portfolio_snapshots (tenant_id, portfolio_id, created_at desc, id desc);

-- Who owns loans that are serviced here.
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
  constraint investors_name unique (tenant_id, name),
  constraint investors_external_id unique (tenant_id, external_id)
);
call app.protect('investors');
create index investors_created on investors (tenant_id, created_at desc, id desc);

alter table portfolios add column investor_id uuid;
alter table portfolios add foreign key (tenant_id, investor_id) references investors (tenant_id, id);
alter table portfolios add check (status in ('active', 'sold'));
alter table portfolios add check (portfolio_type in ('static', 'dynamic'));
