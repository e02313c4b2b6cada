-- Lines of credit that are billed by cycle. Products that have no minimum payment go on as they were.
alter table products
  add column minimum_payment jsonb,
  add column cycle_day integer check (cycle_day between 1 and 28),
  add column payment_due_days integer check (payment_due_days between 1 and 27);

-- The billing cycle that a line is in, both days included; and what the last one's statement says of
-- paying minimum payments alone.
alter table loans
  add column cycle_start_date date,
  add column cycle_end_date date,
  add column cycle_outlook jsonb;
create index loans_cycle_ends on loans (tenant_id, cycle_end_date) where cycle_end_date is not null;
create index loans_cycle_starts on loans (tenant_id, cycle_start_date) where cycle_start_date is not null;
