-- The letters and records of a loan name all who owe it, and are redacted with its borrower: whoever owes
-- it beside them is redacted afterwards, and while one of them is on legal hold the borrower is kept too.
create or replace function app.refuse_redaction_beside_borrower() returns trigger
  language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  if exists (
    select from co_borrowers as party
    join loans as loan on loan.tenant_id = party.tenant_id and loan.id = party.loan_id
    join borrowers as person on person.tenant_id = loan.tenant_id and person.id = loan.borrower_id
    where party.tenant_id = new.tenant_id and party.borrower_id = new.id and person.redacted_at is null
  ) then
    raise exception 'Borrower % owes a loan beside somebody who is not redacted.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  if exists (
    select from loans as loan
    join co_borrowers as party on party.tenant_id = loan.tenant_id and party.loan_id = loan.id
    join borrowers as person on person.tenant_id = party.tenant_id and person.id = party.borrower_id
    where loan.tenant_id = new.tenant_id and loan.borrower_id = new.id and person.is_on_legal_hold
  ) then
    raise exception 'Somebody who owes a loan of borrower % is on legal hold.', new.id
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
