-- A loan that is charged off and goes along for nothing leaves no entry in the books, and is sold all the
-- same: whether a sale is booked is said by the sale, and not by its entries.
alter table loan_assignments add column is_booked boolean not null default false;
update loan_assignments as sale set is_booked = true
from loans as loan
where loan.tenant_id = sale.tenant_id and loan.id = sale.loan_id and (
  sale.journal_entry_ids <> '[]'
  or (sale.status = 'active' and sale.portfolio_id is not null and sale.purchase_price is not null
    and loan.terms ? 'sold_on')
);
