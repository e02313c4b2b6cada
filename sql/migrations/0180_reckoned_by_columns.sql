-- What follows from a loan's row is reckoned from its columns. A statement that looks a loan's row up elsewhere
-- passes these: a function that takes the row looks for each of its columns anew there. Those that take the row
-- say the same by them.
create function app.accrued(
  interest_accrued numeric, is_accruing boolean, accrual_since date, accrual_balance numeric, accrual_rate numeric,
  accrual_period_days integer, accrual_period_interest numeric, day_count text, day date
) returns numeric
language sql immutable parallel safe
return interest_accrued + case
  when not is_accruing or day <= accrual_since then 0
  when accrual_period_days is null then
    round(accrual_balance * accrual_rate * app.year_fraction(day_count, accrual_since, day), 10)
  else
    round(accrual_period_interest::numeric(40, 30) * (day - accrual_since) / accrual_period_days, 10)
end;

create or replace function app.accrued(loan loans, day date) returns numeric
language sql immutable parallel safe
return app.accrued(
  loan.interest_accrued, loan.is_accruing, loan.accrual_since, loan.accrual_balance, loan.accrual_rate,
  loan.accrual_period_days, loan.accrual_period_interest, loan.day_count, day
);

-- The amount is named once a branch, or Postgres would not make the function part of the query.
create function app.accrued_cents(
  interest_accrued numeric, is_accruing boolean, accrual_since date, accrual_balance numeric, accrual_rate numeric,
  accrual_period_days integer, accrual_period_interest numeric, day_count text, rounding_mode text, day date
) returns numeric
language sql immutable parallel safe
return case rounding_mode
  when 'half_even' then app.half_even(app.accrued(
    interest_accrued, is_accruing, accrual_since, accrual_balance, accrual_rate, accrual_period_days,
    accrual_period_interest, day_count, day
  ))
  else round(app.accrued(
    interest_accrued, is_accruing, accrual_since, accrual_balance, accrual_rate, accrual_period_days,
    accrual_period_interest, day_count, day
  ), 2)
end;

create or replace function app.accrued_cents(loan loans, day date) returns numeric
language sql immutable parallel safe
return app.accrued_cents(
  loan.interest_accrued, loan.is_accruing, loan.accrual_since, loan.accrual_balance, loan.accrual_rate,
  loan.accrual_period_days, loan.accrual_period_interest, loan.day_count, loan.rounding_mode, day
);

-- What would repay a loan on a due date to come, of its principal with fees, and its interest by that day.
create function app.repayment_foreseen(
  principal_and_fees numeric, linear_until date, interest_ahead numeric, interest numeric, day date
) returns numeric
language sql immutable parallel safe
return greatest(
  principal_and_fees + case when day > linear_until and interest_ahead is not null then interest_ahead else interest end,
  0.00
);

create or replace function app.repayment_foreseen(loan loans, day date) returns numeric
language sql immutable parallel safe
return app.repayment_foreseen(
  loan.principal_balance + loan.outstanding_fees, loan.linear_until, loan.interest_ahead,
  app.interest_balance(loan, day), day
);

-- Since when something is unpaid, of a loan that this would repay.
create function app.unpaid_since(
  status text, repayment numeric, oldest_unpaid_due_date date, maturity_date date, day date
) returns date
language sql immutable parallel safe
return case
  when status <> 'active' or repayment <= 0 then null
  else coalesce(oldest_unpaid_due_date, case when day > maturity_date then maturity_date end)
end;

create or replace function app.unpaid_since(loan loans, day date, interest numeric) returns date
language sql immutable parallel safe
return app.unpaid_since(
  loan.status, loan.principal_balance + interest + loan.outstanding_fees, loan.oldest_unpaid_due_date,
  loan.maturity_date, day
);
