-- Deletes what the close has kept of these loans for the open day, if they were written to after their chunk, and
-- returns how often they had been late by then. Rows of earlier days stay. Loan by loan, with every column of the key:
-- joined as a whole, Postgres reads all snapshots of the tenant where its statistics do not know the day yet.
create or replace function app.take_back_day(loans uuid[])
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
    delete from cob_written_loans where tenant_id = tenant and cob_date = today and loan_id = loan;
    continue when not found;
    delete from loan_particulars where tenant_id = tenant and loan_id = loan and from_date = today;
    return query
      delete from loan_snapshots as kept
      where kept.tenant_id = tenant and kept.snapshot_date = today and kept.loan_id = loan
      returning kept.loan_id, kept.first_delinquency_date, kept.times_delinquent_30, kept.times_delinquent_60,
        kept.times_delinquent_90;
  end loop;
end $$;
