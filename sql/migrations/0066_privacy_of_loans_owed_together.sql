-- What becomes of who owes a loan beside its borrower, and of what was sold, once a borrower is redacted.
insert into app.borrower_tables (table_name, folder) values ('co_borrowers', 'loans'), ('liquidations', 'collateral');

insert into app.borrower_ties (table_name, through, parent) values
  ('co_borrowers', 'borrower_id', 'borrowers'),
  ('co_borrowers', 'loan_id', 'loans'),
  ('liquidations', 'loan_id', 'loans');

insert into app.borrower_columns (table_name, column_name, becomes) values
  ('co_borrowers', 'release_notes', '''Redacted'''),
  ('liquidations', 'notes', '''Redacted'''),
  ('credit_reporting_records', 'co_consumers', '''[]'''),
  ('documents', 'metadata', '''{}''');

insert into app.borrower_columns (table_name, column_name, kept_because) values
  ('co_borrowers', 'role', 'a word of ours, one of a few'),
  ('co_borrowers', 'release_reason', 'a word of ours, one of a few'),
  ('liquidations', 'status', 'a word of ours, one of a few'),
  ('liquidations', 'status_before', 'a word of ours, one of a few'),
  ('liquidations', 'liens_released', 'ids');

-- The letters and records of a loan name all who owe it, and are redacted with its borrower: whoever owes
-- it beside them is redacted afterwards.
create function app.refuse_redaction_beside_borrower() returns trigger
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
  return new;
end $$;
revoke execute on function app.refuse_redaction_beside_borrower from public;
create trigger refuse_redaction_beside_borrower before update on borrowers for each row
  when (new.redacted_at is not null and old.redacted_at is null)
  execute function app.refuse_redaction_beside_borrower();
