import { sql } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

/**
 * Invariants of sold collateral: every cent of the proceeds is accounted for, and sold items secure no
 * loan.
 */
export const collateralInvariants: readonly Check[] = [
  {
    rule: 'the proceeds of sold collateral are all applied',
    query: sql.type(ViolationRow)`
      select sale.tenant_id, sale.id as subject,
             format('Sale %s brought %s, of which %s is applied.', sale.id, sale.net_proceeds,
               used.amount) as message
      from liquidations as sale
      cross join lateral (
        select sale.applied_principal + sale.applied_interest + sale.applied_fees + sale.recovered
          + sale.surplus as amount
      ) as used
      where sale.status = 'applied' and used.amount <> sale.net_proceeds
    `,
  },
  {
    rule: 'the ledger owes borrowers the surplus of their sales',
    query: sql.type(ViolationRow)`
      select sold.tenant_id, sold.loan_id as subject,
             format('Loan %s: its sales left a surplus of %s, the ledger has %s of it.',
               sold.loan_id, sold.surplus, coalesce(booked.amount, 0.00)) as message
      from (
        select tenant_id, loan_id,
               coalesce(sum(surplus) filter (where status = 'applied'), 0.00) as surplus
        from liquidations group by tenant_id, loan_id
      ) as sold
      left join (
        select entry.tenant_id, entry.loan_id, sum(line.credit - line.debit) as amount
        from posted_lines as line
        join journal_entries as entry
          on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
        where line.role = 'refunds_payable' and entry.source = 'system' and entry.loan_id is not null
        group by entry.tenant_id, entry.loan_id
      ) as booked on booked.tenant_id = sold.tenant_id and booked.loan_id = sold.loan_id
      where sold.surplus <> coalesce(booked.amount, 0)
    `,
  },
  {
    rule: 'sold collateral has a sale, and no lien in force',
    query: sql.type(ViolationRow)`
      select item.tenant_id, item.id as subject,
             format('Item %s is %s: it has %s sales and %s active liens.', item.id, item.status,
               sales.count, calculated.count) as message
      from collateral_items as item
      cross join lateral (
        select count(*) from liquidations as sale
        where sale.tenant_id = item.tenant_id and sale.collateral_id = item.id
          and sale.status = 'applied'
      ) as sales
      cross join lateral (
        select count(*) from liens as lien
        where lien.tenant_id = item.tenant_id and lien.collateral_id = item.id
          and lien.status = 'active' and item.status = 'liquidated'
      ) as calculated
      where sales.count <> (item.status = 'liquidated')::integer or calculated.count > 0
    `,
  },
];
