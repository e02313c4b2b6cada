import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { isInChunk, type LoanChunk } from '../chunk.ts';
import { daysPastDueOn, joinOutlookRow } from '../outlook.ts';

/** The status follows from the dates, unless the promotion was broken. */
export const promotions = table({
  name: 'loan_promotions',
  rows: sql.fragment`
    select record.id, record.loan_id, record.name, record.promo_type,
           trim_scale(record.promo_rate) as promo_rate, record.start_date, record.end_date,
           record.conditions, record.promo_program_id,
           case
             when record.broken_on is not null then 'broken'
             when today.day < record.start_date then 'scheduled'
             when today.day > record.end_date or loan.status <> 'active' then 'completed'
             else 'active'
           end as status,
           record.created_at, record.updated_at
    from loan_promotions as record
    join loans as loan on loan.id = record.loan_id
    cross join (select app.business_date() as day) as today
  `,
});

export const PromotionRow = z.object({
  id: z.string(),
  loan_id: z.string(),
  promo_type: z.string(),
  promo_rate: z.string().nullable(),
  start_date: z.string(),
  end_date: z.string(),
  event_id: z.string().nullable(),
  is_over: z.boolean(),
});
export type Promotion = z.output<typeof PromotionRow>;

/** The rate is text, because JSON would turn it into a number. */
export const promotionColumns = sql.fragment`
  id, loan_id, promo_type, trim_scale(promo_rate)::text as promo_rate, start_date, end_date, event_id,
  is_over
`;

export const readPromotion = (tx: Transaction, id: string) =>
  tx.one(sql.type(PromotionRow)`select ${promotionColumns} from loan_promotions where id = ${id}`);

export const overlapsPromotion = (tx: Transaction, loanId: string, from: string, to: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_promotions
    where loan_id = ${loanId} and not is_over and start_date <= ${to} and end_date >= ${from}
  `);

export const markPromotionStarted = (tx: Transaction, id: string, eventId: string) =>
  tx.query(sql.typeAlias('void')`
    update loan_promotions set event_id = ${eventId} where id = ${id}
  `);

/** Marks the promotion's end as processed. If a day is given, its conditions were broken on that day. */
export const markPromotionEnded = (tx: Transaction, id: string, brokenOn: string | null) =>
  tx.query(sql.typeAlias('void')`
    update loan_promotions set is_over = true, broken_on = ${brokenOn} where id = ${id}
  `);

const Due = z.object({ id: z.string() });

/** Promotions of the chunk that begin on the day, ended before it, or are broken on it. */
export const duePromotions = (chunk: LoanChunk) =>
  prepared(sql.type(Due.extend({ loan_id: z.string(), is_broken: z.boolean() }))`
    select * from (
      select promotion.id, promotion.loan_id, promotion.event_id, promotion.start_date,
             promotion.end_date,
             promotion.event_id is not null and coalesce(
               ${daysPastDueOn(sql.fragment`${chunk.cob_date}::date`)} > (promotion.conditions ->> 'max_dpd')::integer, false) as is_broken
      from loan_promotions as promotion
      join loans as loan on loan.id = promotion.loan_id
      ${joinOutlookRow(sql.fragment`${chunk.cob_date}::date`, { loan: 'loan' })}
      where ${isInChunk(chunk)} and not promotion.is_over and promotion.start_date <= ${chunk.cob_date}
    ) as promotion
    where event_id is null or end_date < ${chunk.cob_date} or is_broken
    order by loan_id, id
  `);
