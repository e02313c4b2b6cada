-- The interest of a period is kept with ten places: by 30/360 also a loan that accrues by the day
-- earns what a whole period earns, spread evenly over its days.
alter table loans add column period_interest numeric(22, 10);
update loans set period_interest = accrual_period_interest where accrual_period_interest is not null;

create or replace function app.accrued(loan loans, day date) returns numeric
language sql immutable parallel safe
return loan.interest_accrued + case
  when not loan.is_accruing or day <= loan.accrual_since then 0
  when loan.accrual_period_days is null then
    round(loan.accrual_balance * loan.accrual_rate * app.year_fraction(loan.day_count, loan.accrual_since, day), 10)
  else
    round(loan.period_interest::numeric(40, 30) * (day - loan.accrual_since) / loan.accrual_period_days, 10)
end;

alter table loans drop column accrual_period_interest;
alter table loans rename column period_interest to accrual_period_interest;

-- Loans whose interest follows from periods take the new pace at the next close.
update loans set linear_until = accrual_since
where status = 'active' and accrual_since is not null
  and (day_count = '30_360' or interest_method = 'scheduled');
