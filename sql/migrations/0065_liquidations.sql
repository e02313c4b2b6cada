-- The sale of what secured a loan. It has the id of its event in the loan's history; what its proceeds
-- went to is as the history has it now. A sale that was entered by mistake is reversed, and stays.
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
  -- The expenses above the price, where they were charged.
  fee_id uuid,
  -- What was owed when the sale was entered, on its day and before it.
  outstanding_before app.money not null,
  applied_principal app.money not null default 0,
  applied_interest app.money not null default 0,
  applied_fees app.money not null default 0,
  recovered app.money not null default 0,
  surplus app.money not null default 0,
  liens_released jsonb not null default '[]',
  -- What the item was before, and is again once the sale is reversed.
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
call app.protect('liquidations', 'select, insert, update');
create unique index liquidations_in_force on liquidations (tenant_id, collateral_id)
  where status = 'applied';
create index liquidations_loan on liquidations (tenant_id, loan_id);
