-- Collateral, valuations, liens and liquidations.

create table collateral_items (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  loan_id uuid not null,
  collateral_type text not null,
  description text,
  estimated_value app.money,
  metadata jsonb not null default '{}',
  status text not null default 'active' check (status in ('active', 'released', 'liquidated', 'repossessed')),
  insured_until date,
  -- How the lender took the collateral from the borrower, and the last day on which the lender had it if the borrower
  -- got it back.
  possession text check (possession in ('repossession', 'voluntary_surrender', 'foreclosure', 'deed_in_lieu')),
  possession_date date,
  possession_ended_on date,
  check ((possession is null) = (possession_date is null)),
  check (possession_ended_on >= possession_date),
  is_archived boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index collateral_items_loan on collateral_items (tenant_id, loan_id, created_at desc, id desc);
create index collateral_items_created on collateral_items (tenant_id, created_at desc, id desc);
call app.protect('collateral_items');
call app.declare_borrower_data('collateral_items', 'collateral', redacted => '{description,metadata}',
  kept => '{"one of a few values": ["collateral_type"]}');

-- Valuations of collateral. The latest one in effect is the current value.
create table valuations (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  valuation_type text not null,
  valuation_date date not null,
  effective_date date,
  appraised_value app.money not null check (appraised_value >= 0),
  appraiser_name text,
  confidence numeric(4, 3) check (confidence between 0 and 1),
  document_id uuid,
  notes text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, collateral_id) references collateral_items (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
create index valuations_collateral on valuations (tenant_id, collateral_id, created_at desc, id desc);
call app.protect('valuations');
call app.declare_borrower_data('valuations', 'collateral', redacted => '{appraiser_name,notes}',
  kept => '{"one of a few values": ["valuation_type"]}');

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
create index liens_collateral on liens (tenant_id, collateral_id, created_at desc, id desc);
create index liens_expiry on liens (tenant_id, expiration_date) where status = 'active';
create index liens_created on liens (tenant_id, created_at desc, id desc);
create unique index liens_tenant_id_lien_position_key on liens (tenant_id, collateral_id, lien_position) where status = 'active';
call app.protect('liens');
call app.declare_borrower_data('liens', 'collateral',
  redacted => '{filing_number,release_reason,release_filing_number,release_notes}',
  kept => '{"one of a few values": ["lien_type"], "the name of an office": ["filing_jurisdiction"]}');

-- One alert per lien and expiry, however often the check runs.
create table lien_alerts (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  lien_id uuid not null,
  loan_id uuid not null,
  expiration_date date not null,
  -- The last passed mark of 180, 90, 60, 30 and 7 days before expiry; 0 after expiry.
  severity integer not null,
  status text not null default 'open' check (status in ('open', 'acknowledged', 'resolved')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  constraint lien_alerts_once unique (tenant_id, lien_id, expiration_date),
  foreign key (tenant_id, lien_id) references liens (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
create index lien_alerts_created on lien_alerts (tenant_id, created_at desc, id desc);
call app.protect('lien_alerts');
call app.declare_borrower_data('lien_alerts', 'collateral', links => '{"loan_id": "loans"}');

-- The sale of collateral. Its id is the id of its event in the loan's history, and its amounts follow that
-- history. An erroneous sale is reversed, not deleted.
create table liquidations (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  id uuid not null default uuidv7(),
  collateral_id uuid not null,
  loan_id uuid not null,
  sale_date date not null,
  sale_price app.money not null check (sale_price >= 0),
  sale_expenses app.money not null check (sale_expenses >= 0),
  net_proceeds app.money not null check (net_proceeds = greatest(sale_price - sale_expenses, 0)),
  notes text,
  -- The fee for expenses above the price, if charged.
  fee_id uuid,
  -- The amount owed on the day of the sale, before the sale.
  outstanding_before app.money not null,
  applied_principal app.money not null default 0,
  applied_interest app.money not null default 0,
  applied_fees app.money not null default 0,
  recovered app.money not null default 0,
  surplus app.money not null default 0,
  liens_released jsonb not null default '[]',
  -- The item's status before the sale, restored if the sale is reversed.
  status_before text not null,
  status text not null default 'applied' check (status in ('applied', 'reversed')),
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, collateral_id) references collateral_items (tenant_id, id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id),
  foreign key (tenant_id, fee_id) references fees (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
create unique index liquidations_in_force on liquidations (tenant_id, collateral_id)
  where status = 'applied';
create index liquidations_loan on liquidations (tenant_id, loan_id);
call app.protect('liquidations', 'select, insert, update');
call app.declare_borrower_data('liquidations', 'collateral', links => '{"loan_id": "loans"}',
  redacted => '{notes}', kept => '{"one of a few values": ["status_before"], "ids": ["liens_released"]}');

-- The valuation of an item in effect today.
create function app.current_valuation(item uuid) returns valuations
language sql stable parallel safe
begin atomic
  select valuation from valuations as valuation
  where valuation.tenant_id = app.current_tenant() and valuation.collateral_id = item
    and coalesce(valuation.effective_date, valuation.valuation_date) <= app.business_date()
  order by coalesce(valuation.effective_date, valuation.valuation_date) desc,
           valuation.created_at desc, valuation.id desc
  limit 1;
end;
