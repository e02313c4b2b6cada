-- When the money is expected to go out, agreed before the loan is approved; the disclosure counts from it.
alter table loans add column expected_disbursement_date date;
-- The first payment that was agreed before the money went out, kept for when a disbursement is undone:
-- from then on first_payment_date is that of the plan.
alter table loans add column agreed_first_payment_date date;
