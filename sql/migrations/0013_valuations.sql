-- What an item was said to be worth, and by whom; the latest that is in effect is its current value.
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
call app.protect('valuations');
create index valuations_collateral on valuations (tenant_id, collateral_id, created_at desc, id desc);

-- The valuation that counts today for an item.
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
