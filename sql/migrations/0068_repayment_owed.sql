-- What is asked for last is what repays the loan: interest that was paid ahead of its days and is not
-- earned counts towards it. As a payment does (jobs/loans/engine/apply-payment.ts), so do the bills.

-- The cents of interest owed at the start of a day; below zero, what was paid of it ahead of its days.
create function app.interest_balance(loan loans, day date) returns numeric
language sql immutable parallel safe
return app.accrued_cents(loan, day) - loan.interest_settled;

-- What would repay the loan at the start of a day: the twin of repaymentOwed in jobs/loans/engine/position.ts.
create function app.repayment_owed(loan loans, day date) returns numeric
language sql immutable parallel safe
return greatest(
  loan.principal_balance + loan.outstanding_fees + app.interest_balance(loan, day), 0.00
);

-- The same of a due date to come. Behind the day on which the pace of interest changes, what the fold foresees.
create function app.repayment_foreseen(loan loans, day date) returns numeric
language sql immutable parallel safe
return greatest(
  loan.principal_balance + loan.outstanding_fees
    + case when day > loan.linear_until and loan.interest_ahead is not null then loan.interest_ahead
      else app.interest_balance(loan, day) end,
  0.00
);

create or replace function app.unpaid_since(loan loans, day date, interest numeric) returns date
language sql immutable parallel safe
return case
  when loan.status <> 'active' then null
  when loan.principal_balance + interest + loan.outstanding_fees <= 0 then null
  else coalesce(loan.oldest_unpaid_due_date, case when day > loan.maturity_date then loan.maturity_date end)
end;

-- Nobody is late with what interest paid ahead would repay.
create or replace function app.unpaid_since(loan loans, day date) returns date
language sql immutable parallel safe
return app.unpaid_since(loan, day, app.interest_balance(loan, day));

-- What was paid ahead is part of what is foreseen: loans that foresaw nothing are folded again by the next close.
update loans set linear_until = accrual_since
where status = 'active' and interest_ahead = 0 and linear_until is not null and accrual_since is not null;
