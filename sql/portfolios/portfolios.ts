import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

/** The assignments that were agreed with the sale of the portfolio `record`. */
function isSaleAssignment(alias: string) {
  const column = (name: string) => sql.identifier([alias, name]);
  return sql.fragment`
    ${column('tenant_id')} = record.tenant_id and ${column('portfolio_id')} = record.id
      and ${column('assignment_type')} = 'whole_loan_sale'
      and ${column('created_at')} >= record.sold_at
  `;
}

export const portfolios = table({
  name: 'portfolios',
  rows: sql.fragment`
    select record.id, record.name, record.portfolio_type, record.description, record.criteria,
           case when record.status = 'active' and record.is_archived then 'archived'
             else record.status end as status,
           record.investor_id, record.sold_at, record.sale_date, record.sale_price,
           record.servicing_retained, record.buyer_id, record.settlement_date, record.settled_on,
           case when record.settled_on is not null then (
             select sum(sold.purchase_price) from loan_assignments as sold
             where ${isSaleAssignment('sold')} and sold.status in ('active', 'bought_back', 'ended')
           ) end as settled_price,
           (
             select coalesce(jsonb_agg(jsonb_build_object(
               'loan_id', left_out.loan_id, 'reason', coalesce(left_out.decline_reason, 'canceled')
             ) order by left_out.loan_id), '[]')
             from loan_assignments as left_out
             where ${isSaleAssignment('left_out')} and left_out.status in ('declined', 'canceled')
           ) as left_out,
           (
             select count(*)::integer from loans as loan
             where loan.tenant_id = record.tenant_id and loan.portfolio_id = record.id
           ) as loan_count,
           record.is_archived, record.created_at, record.updated_at
    from portfolios as record
  `,
  search: (words) => sql.fragment`
    row.name ilike ${containsPattern(words)} or row.description ilike ${containsPattern(words)}
  `,
});

const Locked = z.object({
  id: z.string(),
  portfolio_type: z.enum(['static', 'dynamic']),
  criteria: z.record(z.string(), z.unknown()),
  status: z.enum(['active', 'sold']),
  is_archived: z.boolean(),
  settled_on: z.string().nullable(),
});
export type LockedPortfolio = z.output<typeof Locked>;

/** Locks the portfolios in the order of their ids, so that concurrent transfers cannot deadlock. */
export const lockPortfolios = (tx: Transaction, ids: string[]) =>
  tx.any(sql.type(Locked)`
    select id, portfolio_type, criteria, status, is_archived, settled_on from portfolios
    where id = any(${sql.array(ids, 'uuid')})
    order by id
    for no key update
  `);

export const anyPortfolio = sql.fragment`select from portfolios`;

export const openDynamicPortfolios = sql.fragment`
  select id from portfolios
  where portfolio_type = 'dynamic' and status = 'active' and not is_archived
`;

/** The open dynamic portfolios, oldest first. The oldest takes its loans first. */
export const listOpenDynamicIds = (tx: Transaction) =>
  tx.anyFirst(
    prepared(
      sql.type(z.object({ id: z.string() }))`${openDynamicPortfolios} order by created_at, id`,
    ),
  );

const References = z.object({
  program_id: z.string().nullable(),
  product_id: z.string().nullable(),
  investor_id: z.string().nullable(),
});

/** The first program, product or investor among these that the tenant does not have. */
export const findMissingReference = (
  tx: Transaction,
  programs: string[],
  products: string[],
  investors: string[] = [],
) =>
  tx.one(sql.type(References)`
    select
      (select id from unnest(${sql.array(programs, 'uuid')}) as id
       where not exists (select from programs where programs.id = id.id) limit 1) as program_id,
      (select id from unnest(${sql.array(products, 'uuid')}) as id
       where not exists (select from products where products.id = id.id) limit 1) as product_id,
      (select id from unnest(${sql.array(investors, 'uuid')}) as id
       where not exists (select from investors where investors.id = id.id) limit 1) as investor_id
  `);

/** The number of loans of the portfolio (or the tenant), counted up to the limit. */
export async function countLoansUpTo(tx: Transaction, id: unknown, limit: number): Promise<number> {
  const mine = typeof id === 'string' ? sql.fragment`where portfolio_id = ${id}` : sql.fragment``;
  return tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer from (select from loans ${mine} limit ${limit}) as counted
  `);
}
