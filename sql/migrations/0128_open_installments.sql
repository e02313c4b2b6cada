-- What of its plan a loan still asks for, written with the events that change it: the nightly snapshot read
-- every instalment of every loan to count them. Null is not known yet, and is counted as before.
alter table loans
  add column open_installments integer,
  add column first_open_period integer,
  add column is_last_covered boolean,
  add column coverage_revision integer not null default 0;

-- A release of before these columns writes coverage without them; then they are not known either.
create function app.forget_open_installments() returns trigger language plpgsql as $$
begin
  new.open_installments := null;
  new.first_open_period := null;
  new.is_last_covered := null;
  return new;
end $$;
create trigger forget_open_installments before update of oldest_unpaid_due_date on loans
  for each row when (new.coverage_revision = old.coverage_revision)
  execute function app.forget_open_installments();
