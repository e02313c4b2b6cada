-- The draw that a fee was asked for, so that it is taken back with it.
alter table fees add column draw_id uuid;
alter table fees add foreign key (tenant_id, draw_id) references draws (tenant_id, id)
  -- A fee is assessed before its draw is written, in the same transaction.
  deferrable initially deferred;
create index fees_draw on fees (tenant_id, draw_id) where draw_id is not null;

-- Both were written in one transaction, at its time.
update fees set draw_id = draw.id
from draws as draw
where fees.tenant_id = draw.tenant_id and fees.loan_id = draw.loan_id
  and fees.fee_type = 'draw' and fees.created_at = draw.created_at;

-- What early repayment costs is agreed with the loan, like its other terms.
update loans set terms = terms || jsonb_build_object('prepayment_penalty', product.prepayment_penalty)
from products as product
where product.tenant_id = loans.tenant_id and product.id = loans.product_id
  and product.prepayment_penalty is not null;

-- The same as jobs/loans/products/prepayment-penalty.ts.
create function app.prepayment_penalty(loan loans, day date) returns numeric
language sql immutable parallel safe
return case
  when loan.status <> 'active' or loan.principal_balance + loan.charge_off_balance = 0
    or day >= loan.maturity_date
    or day >= loan.disbursement_date
      + make_interval(months => (loan.terms #>> '{prepayment_penalty,within_months}')::integer)
  then 0.00
  when loan.terms #>> '{prepayment_penalty,calculation}' = 'flat'
  then coalesce((loan.terms #>> '{prepayment_penalty,amount}')::numeric, 0.00)
  else round(coalesce(
    (loan.terms #>> '{prepayment_penalty,percentage}')::numeric
      * (loan.principal_balance + loan.charge_off_balance), 0
  ), 2)
end;
