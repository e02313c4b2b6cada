-- What an investor pays for servicing all loans that are theirs, from a day on. A month's fee has the rate of
-- its first day; what was told of a month stays.
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
call app.protect('servicing_fee_rates', 'select, insert');
create index servicing_fee_rates_investor
  on servicing_fee_rates (tenant_id, investor_id, from_date desc, id desc);
create trigger append_only before update or delete on servicing_fee_rates
  for each row execute function app.refuse_change();

-- A sale that is booked has the rate that it was agreed at, whatever becomes of the investor's.
update loan_assignments as sale set servicing_fee_rate = investor.servicing_fee_rate
from investors as investor
where investor.tenant_id = sale.tenant_id and investor.id = sale.investor_id
  and sale.is_booked and sale.servicing_fee_rate is null;
