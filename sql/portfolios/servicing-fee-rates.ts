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
export const servicingFeeRateSince = (month: string) => sql.fragment`
  select rate.servicing_fee_rate from servicing_fee_rates as rate
  where rate.tenant_id = sale.tenant_id and rate.investor_id = sale.investor_id
    and rate.from_date between sale.effective_date and ${month}::date
  order by rate.from_date desc, rate.id desc limit 1
`;

/** The rate at which an `investor` buys on a day. */
export const servicingFeeRateOn = (day: string) => sql.fragment`
  coalesce((
    select rate.servicing_fee_rate from servicing_fee_rates as rate
    where rate.tenant_id = investor.tenant_id and rate.investor_id = investor.id
      and rate.from_date <= ${day}::date
    order by rate.from_date desc, rate.id desc limit 1
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
