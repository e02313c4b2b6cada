-- Loans that were written to on the day after its close had posted their interest: what it keeps of them, and how
-- late it finds them, is told anew as the day ends.
create table cob_written_loans (
  tenant_id uuid not null default app.current_tenant() references tenants (id),
  cob_date date not null,
  loan_id uuid not null,
  primary key (tenant_id, cob_date, loan_id),
  foreign key (tenant_id, loan_id) references loans (tenant_id, id)
);
call app.protect('cob_written_loans', 'select, insert');

insert into app.borrower_tables (table_name, not_exported_because, is_forgotten) values
  ('cob_written_loans', 'which loans a night is to look at again', false);
insert into app.borrower_ties (table_name, through, parent) values ('cob_written_loans', 'loan_id', 'loans');

-- As before, and whoever comes after the day's interest is posted leaves word of that. The day does not end while
-- somebody writes to a loan, so that nobody's word is missed.
create or replace function app.lock_loan(loan uuid) returns boolean
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
    insert into cob_written_loans (cob_date, loan_id) values (app.business_date(), loan) on conflict do nothing;
  end if;
  return coalesce(accrued, false);
end $$;

-- Takes back what the close has kept of these loans for the day that is still open, where they were written to
-- afterwards, and answers what was kept of how often they had been late by then. What is kept of a day that has ended stays.
create function app.take_back_day(loans uuid[])
returns table (
  loan_id uuid, first_delinquency_date date, times_delinquent_30 integer, times_delinquent_60 integer,
  times_delinquent_90 integer
)
language sql security definer set search_path = public, pg_temp
as $$
  with written as (
    delete from cob_written_loans as written
    where written.tenant_id = app.current_tenant() and written.cob_date = app.business_date()
      and written.loan_id = any(loans)
    returning written.cob_date, written.loan_id
  ), untold as (
    delete from loan_particulars as told using written
    where told.tenant_id = app.current_tenant() and told.loan_id = written.loan_id
      and told.from_date = written.cob_date
  )
  delete from loan_snapshots as kept using written
  where kept.tenant_id = app.current_tenant() and kept.snapshot_date = written.cob_date
    and kept.loan_id = written.loan_id
  returning kept.loan_id, kept.first_delinquency_date, kept.times_delinquent_30, kept.times_delinquent_60,
    kept.times_delinquent_90
$$;
revoke execute on function app.take_back_day from public;
grant execute on function app.take_back_day to servicing_app;
