import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const servicingFeeRates = table({
  name: 'servicing_fee_rates',
  owner: 'investors',
  rows: sql.fragment`
    select record.id, record.investor_id, record.from_date,
           trim_scale(record.servicing_fee_rate) as servicing_fee_rate, record.created_by,
           record.created_at
    from servicing_fee_rates as record
  `,
});

/** The investor's latest rate set between the `sale`'s effective date and the month's first day. */
export const rateSince = (month: string) => sql.fragment`
  select told.servicing_fee_rate from servicing_fee_rates as told
  where told.tenant_id = sale.tenant_id and told.investor_id = sale.investor_id
    and told.from_date between sale.effective_date and ${month}::date
  order by told.from_date desc, told.id desc limit 1
`;

/** The rate at which an `investor` buys on a day. */
export const rateOn = (day: string) => sql.fragment`
  coalesce((
    select told.servicing_fee_rate from servicing_fee_rates as told
    where told.tenant_id = investor.tenant_id and told.investor_id = investor.id
      and told.from_date <= ${day}::date
    order by told.from_date desc, told.id desc limit 1
  ), investor.servicing_fee_rate)
`;

/** Whether the investor has a remittance for a month that begins on or after the day. */
export const hasRemittanceSince = (tx: Transaction, investorId: string, day: string) =>
  tx.exists(sql.typeAlias('void')`
    select from remittances where investor_id = ${investorId} and period_start >= ${day}
  `);

export const hasRates = (tx: Transaction, investorId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from servicing_fee_rates where investor_id = ${investorId}
  `);
