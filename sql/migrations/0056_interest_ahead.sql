-- The interest that will be owed on the first due date behind a change of pace (a promotion that ends, the
-- next period of a plan): what a bill of all that is owed by then asks for.
alter table loans add column interest_ahead app.money;

-- Loans whose pace will change are folded again by the next close.
update loans set linear_until = accrual_since
where status = 'active' and linear_until is not null and accrual_since is not null;
