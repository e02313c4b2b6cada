import { z } from 'zod';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { insertAll } from '../write.ts';
import { isInChunk, type LoanChunk } from './chunk.ts';
import { LIABLE_ROLES } from './co-borrowers.ts';
import { conditionsOfLoans } from './legal-conditions.ts';

export const rateCaps = table({
  name: 'loan_rate_caps',
  rows: sql.fragment`
    select record.id, record.loan_id, trim_scale(record.interest_rate) as interest_rate,
           record.start_date, record.end_date,
           case
             when today.day < record.start_date then 'scheduled'
             when today.day > record.end_date then 'ended'
             else 'active'
           end as status,
           record.created_at, record.updated_at
    from loan_rate_caps as record cross join (select app.business_date() as day) as today
  `,
});

export const RateCapRow = z.object({
  id: z.string(),
  interest_rate: z.string(),
  start_date: z.string(),
  end_date: z.string().nullable(),
  event_id: z.string().nullable(),
  is_over: z.boolean(),
});
export type RateCap = z.output<typeof RateCapRow>;

/** The rate is text, because JSON would turn it into a number. */
export const rateCapColumns = sql.fragment`
  id, trim_scale(interest_rate)::text as interest_rate, start_date, end_date, event_id, is_over
`;

export const listRateCaps = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(RateCapRow)`
    select ${rateCapColumns} from loan_rate_caps where loan_id = ${loanId} order by start_date
  `);

const Facts = z.object({
  loan_id: z.string(),
  caps: z.array(RateCapRow),
  conditions: z.array(
    z.object({
      condition: z.string(),
      role: z.enum(LIABLE_ROLES),
      from_date: z.string(),
      until_date: z.string().nullable(),
    }),
  ),
});

/** The caps of loans, and the legal conditions of those who owe them. */
export const readRateCapFacts = batchByTransaction(async (tx, loanIds: readonly string[]) => {
  const rows = await tx.any(
    prepared(sql.type(Facts)`
    select loan.id as loan_id, (
             select coalesce(jsonb_agg(to_jsonb(cap)), '[]')
             from (select ${rateCapColumns} from loan_rate_caps where loan_id = loan.id) as cap
           ) as caps, (
             select coalesce(jsonb_agg(jsonb_build_object(
               'condition', held.condition, 'role', held.role,
               'from_date', held.from_date, 'until_date', held.until_date
             )), '[]')
             from ${conditionsOfLoans} as held where held.loan_id = loan.id
           ) as conditions
    from loans as loan where loan.id = any(${sql.array([...loanIds], 'uuid')})
  `),
  );
  const byId = new Map(rows.map((row) => [row.loan_id, row]));
  return loanIds.map((id) => byId.get(id) ?? { loan_id: id, caps: [], conditions: [] });
});

/** Deletes caps and adds others. */
export async function replaceRateCaps(
  tx: Transaction,
  loanId: string,
  {
    removed,
    added,
  }: { removed: readonly string[]; added: readonly Omit<RateCap, 'id' | 'is_over'>[] },
) {
  await tx.query(sql.typeAlias('void')`
    delete from loan_rate_caps where id = any(${sql.array([...removed], 'uuid')})
  `);
  await insertAll(
    tx,
    'loan_rate_caps',
    added.map((cap) => ({ ...cap, loan_id: loanId })),
  );
}

export const markRateCapStarted = (tx: Transaction, id: string, eventId: string) =>
  tx.query(sql.typeAlias('void')`
    update loan_rate_caps set event_id = ${eventId} where id = ${id}
  `);

export const markRateCapOver = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update loan_rate_caps set is_over = true where id = ${id}`);

/** Loans of the chunk with a cap that begins by this day or ended before it. */
export const loansWithRateCapChange = (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select distinct loan.id
    from loan_rate_caps as cap join loans as loan on loan.id = cap.loan_id
    where ${isInChunk(chunk)} and not cap.is_over and loan.disbursement_date is not null and (
      cap.event_id is null and cap.start_date <= ${chunk.cob_date}
      or cap.end_date < ${chunk.cob_date}
    )
    order by loan.id
  `);
