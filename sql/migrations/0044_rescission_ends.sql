-- The last day on which the borrower may rescind, fixed when the loan is agreed. Loans that are approved
-- already keep a day that is not before the true one: no three business days have more days between them.
alter table loans add column rescission_ends date;
update loans
set rescission_ends =
  greatest(approved_on, origination_date) + (2 * (terms ->> 'rescission_days')::integer + 3)
where status = 'approved' and (terms ->> 'rescission_days')::integer > 0;
