import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { isInChunk, type LoanChunk, type LoanIdRange } from '../chunk.ts';
import { acquireLoanLocks } from '../loans.ts';

/** Forbearances and deferments: reliefs by which a borrower pays less or later for a limited time. */
export type ReliefTable = 'forbearances' | 'deferments';

/** Loans of the chunk with a relief that begins on this day or ended before it. */
export const loansWithReliefChange = (table: ReliefTable) => (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select distinct loan.id
    from ${sql.identifier([table])} as relief join loans as loan on loan.id = relief.loan_id
    where ${isInChunk(chunk)} and (
      relief.status = 'scheduled' and relief.start_date <= ${chunk.cob_date}
      or relief.status = 'active' and relief.end_date < ${chunk.cob_date}
    )
    order by loan.id
  `);

export const overlapsRelief = (
  tx: Transaction,
  table: ReliefTable,
  loanId: string,
  { from, to }: { from: string; to: string },
) =>
  tx.exists(sql.typeAlias('void')`
    select from ${sql.identifier([table])}
    where loan_id = ${loanId} and status in ('scheduled', 'active')
      and start_date <= ${to} and coalesce(end_date, start_date) >= ${from}
  `);

/** The loan's deferments in the twelve months before a day, and its product's limit. */
export const countAgainstDefermentLimit = (
  tx: Transaction,
  loanId: string,
  productId: string,
  day: string,
) =>
  tx.one(sql.type(z.object({ count: z.int(), limit: z.int() }))`
    select (
      select count(*)::integer from deferments
      where loan_id = ${loanId} and status <> 'canceled'
        and start_date > ${day}::date - interval '12 months'
    ) as count, max_deferments_per_12m as limit
    from products where id = ${productId}
  `);

/**
 * Loans with a relief that ended before a morning: forbearances, deferments, freezes with an end date, and
 * promotions whose deferred interest becomes due.
 */
export const loansWithEndedRelief = (morning: string | SqlFragment): SqlFragment => sql.fragment`
  select loan_id from forbearances where status = 'active' and end_date < ${morning}
  union
  select loan_id from deferments where status = 'active' and end_date < ${morning}
  union
  select id from loans where is_frozen and freeze_until <= ${morning}
  union
  select loan_id from loan_promotions
  where not is_over and event_id is not null and end_date < ${morning}
    and promo_type in ('deferred_interest', 'same_as_cash')
`;

/**
 * Loans with a relief that ends in this morning, before anything else happens to them. A relief that could
 * not be ended on an earlier morning is left out.
 */
export const loansWithReliefEndingOn = (morning: string): SqlFragment => sql.fragment`
  select loan_id from forbearances where status = 'active' and end_date = ${morning}::date - 1
  union
  select loan_id from deferments where status = 'active' and end_date = ${morning}::date - 1
  union
  select id from loans where is_frozen and freeze_until = ${morning}
  union
  select loan_id from loan_promotions
  where not is_over and event_id is not null and end_date = ${morning}::date - 1
    and promo_type in ('deferred_interest', 'same_as_cash')
`;

/** Whether any relief of the tenant ended before the morning and is still in force. */
export const isAnyEnded = (tx: Transaction, morning: string) =>
  tx.exists(prepared(sql.typeAlias('void')`${loansWithEndedRelief(morning)}`));

const Ended = z.object({
  loan_id: z.string(),
  is_frozen: z.boolean(),
  promotions: z.array(z.string()),
});
export type Ended = z.output<typeof Ended>;

/** Limits the loans: to a chunk, and to those after a loan. */
type LoanRange = {
  limit: number;
  of?: LoanIdRange;
  after?: string | undefined;
};

/** Locks the first of these loans in the order of their ids, and returns what ends on each. */
export async function lockLoansWithEndedRelief(tx: Transaction, morning: string, some: LoanRange) {
  const ids = await tx.anyFirst(
    prepared(sql.type(z.object({ loan_id: z.string() }))`
    select loan_id from (${loansWithEndedRelief(morning)}) as ended
    where ${some.of ? isInChunk(some.of, sql.fragment`loan_id`) : sql.fragment`true`}
      and (${some.after ?? null}::uuid is null or loan_id > ${some.after ?? null}::uuid)
    order by loan_id limit ${some.limit}
  `),
  );
  if (ids.length === 0) return [];
  await acquireLoanLocks(tx, ids);
  return tx.any(sql.type(Ended)`
    select loan.id as loan_id,
           coalesce(loan.is_frozen and loan.freeze_until <= ${morning}, false) as is_frozen, array(
             select id from loan_promotions
             where loan_id = loan.id and not is_over and event_id is not null
               and end_date < ${morning} and promo_type in ('deferred_interest', 'same_as_cash')
           ) as promotions
    from loans as loan where loan.id = any(${sql.array([...ids], 'uuid')}) order by loan.id
  `);
}
