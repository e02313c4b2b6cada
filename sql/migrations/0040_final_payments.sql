-- What the last instalment will ask for as things stand: kept whenever something happens to the loan.
alter table loans add column final_payment_amount app.money;

-- Until then, what the last instalment of the schedule says.
update loans set final_payment_amount = last.amount
from (
  select distinct on (installment.loan_id) installment.loan_id, installment.tenant_id,
         installment.payment_amount - installment.paid_amount as amount
  from installments as installment
  join loans as loan on loan.tenant_id = installment.tenant_id and loan.id = installment.loan_id
    and loan.schedule_version = installment.version
  where not installment.is_canceled
  order by installment.loan_id, installment.period_number desc
) as last
where last.tenant_id = loans.tenant_id and last.loan_id = loans.id and loans.status = 'active';
