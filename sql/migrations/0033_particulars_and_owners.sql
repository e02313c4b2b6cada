-- What a tape tells of a loan and a day seldom changes: from which day on it was so, as the close of that
-- day knew it, and so until the next row. What changes every day stands in loan_snapshots.
create table loan_particulars (
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
  constraint loan_particulars_pkey primary key (tenant_id, loan_id, from_date)
);
call app.protect('loan_particulars', 'select, insert');

-- Counted for every loan at every close; most have none.
create index loan_events_modifications on loan_events (tenant_id, loan_id, effective_date)
  where kind in ('rate_change', 'capitalization', 'forgiveness', 'plan_agreed');

-- A sale is agreed first and settles later; until then the portfolio and its loans are the seller's.
alter table portfolios
  add column buyer_id uuid,
  add column settlement_date date,
  add column settled_on date,
  add foreign key (tenant_id, buyer_id) references investors (tenant_id, id);

-- In which status the loan was when it was agreed on, and why it did not change hands after all.
alter table loan_assignments
  add column agreed_status text,
  add column decline_reason text
    check (decline_reason in ('paid_off', 'settled', 'charged_off', 'reinstated', 'transferred', 'canceled', 'nothing_owed'));

create index loan_assignments_portfolio on loan_assignments (tenant_id, portfolio_id)
  where portfolio_id is not null;

-- Sales of before: their portfolios named the buyer from the agreement on.
update portfolios as portfolio
set buyer_id = portfolio.investor_id, settlement_date = sale.settlement_date,
    investor_id = case when sale.is_pending then null else portfolio.investor_id end,
    settled_on = case when sale.is_pending then null else sale.settled_on end
from (
  select tenant_id, portfolio_id, max(settlement_date) as settlement_date,
         bool_or(status = 'pending') as is_pending, max(effective_date) - 1 as settled_on
  from loan_assignments where assignment_type = 'whole_loan_sale'
  group by tenant_id, portfolio_id
) as sale
where portfolio.status = 'sold' and portfolio.investor_id is not null
  and sale.tenant_id = portfolio.tenant_id and sale.portfolio_id = portfolio.id;
update loan_assignments as assignment set agreed_status = loan.status
from loans as loan
where assignment.status = 'pending' and loan.tenant_id = assignment.tenant_id
  and loan.id = assignment.loan_id;
