import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const SECURING_STATUSES = ['active', 'repossessed'] as const;

export const isSecuring = sql.fragment`(
  item.status in (${sql.join(SECURING_STATUSES.map(sql.literalValue), sql.fragment`, `)})
    and not item.is_archived
)`;

/** ltv compares the loan's principal with all collateral that secures it. */
export const items = table({
  name: 'collateral_items',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.collateral_type, record.description,
           record.estimated_value, record.metadata, record.status, record.insured_until,
           record.possession, record.possession_date, record.possession_ended_on,
           coalesce((app.current_valuation(record.id)).appraised_value, record.estimated_value)
             as current_value,
           tenant.currency, round(loan.principal_balance / nullif(backing.value, 0), 6) as ltv,
           sale.figures as liquidation, record.is_archived, record.created_at, record.updated_at
    from collateral_items as record
    join loans as loan on loan.id = record.loan_id
    join tenants as tenant on tenant.id = record.tenant_id
    cross join lateral (
      select sum(coalesce((app.current_valuation(item.id)).appraised_value, item.estimated_value))
        as value
      from collateral_items as item
      where item.tenant_id = record.tenant_id and item.loan_id = record.loan_id
        and ${isSecuring}
    ) as backing
    left join lateral (
      select jsonb_build_object(
        'sale_date', sold.sale_date, 'sale_price', sold.sale_price::text,
        'sale_expenses', sold.sale_expenses::text, 'net_proceeds', sold.net_proceeds::text,
        'applied_principal', sold.applied_principal::text,
        'applied_interest', sold.applied_interest::text,
        'applied_fees', sold.applied_fees::text, 'recovered', sold.recovered::text,
        'surplus', sold.surplus::text, 'outstanding_before', sold.outstanding_before::text,
        'deficiency_balance', loan.deficiency_balance::text, 'fee_id', sold.fee_id,
        'liens_released', sold.liens_released, 'notes', sold.notes
      ) as figures
      from liquidations as sold
      where sold.tenant_id = record.tenant_id and sold.collateral_id = record.id
        and sold.status = 'applied'
    ) as sale on true
  `,
  search: (words) => sql.fragment`row.description ilike ${containsPattern(words)}`,
});

const ItemStatus = z.object({ status: z.string(), is_archived: z.boolean() });

export const lockItem = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ItemStatus)`
    select status, is_archived from collateral_items where id = ${id} for no key update
  `);

/** The collateral of a loan, as described in its disclosure. */
export const listSecuringItems = (tx: Transaction, loanId: string) =>
  tx.anyFirst(sql.type(z.object({ name: z.string() }))`
    select coalesce(nullif(description, ''), replace(collateral_type, '_', ' ')) as name
    from collateral_items as item
    where loan_id = ${loanId} and ${isSecuring}
    order by created_at, id
  `);
