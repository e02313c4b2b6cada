import { z } from 'zod';
import { sql, deferred, type Transaction } from '../../database/db.ts';
import { batchByTransaction } from '../../database/batch-by-transaction.ts';
import { chargeOffDateColumn } from '../loan-facts.ts';
import { amountOn, joinOutlook } from '../outlook.ts';

/**
 * Counts the current delinquency of loans that are boarded late, so that the closes do not count it again.
 */
export const countDelinquencies = batchByTransaction(
  async (tx, late: readonly { id: string; days_past_due: number }[]) => {
    await tx.query(
      deferred(sql.typeAlias('void')`
        update loans as loan
        set times_delinquent_30 = greatest(times_delinquent_30, (late.days >= 30)::integer),
            times_delinquent_60 = greatest(times_delinquent_60, (late.days >= 60)::integer),
            times_delinquent_90 = greatest(times_delinquent_90, (late.days >= 90)::integer),
            delinquency_days_counted = least(late.days / 30 * 30, 90)
        from ${sql.unnest(
          late.map(({ id, days_past_due }) => [id, days_past_due]),
          ['uuid', 'int4'],
        )} as late (id, days)
        where loan.id = late.id
      `),
    );
    return late.map(() => undefined);
  },
);

const BoardedPast = z.object({
  origination_date: z.string().nullable(),
  charge_off_date: z.string().nullable(),
});

/** The dates of a boarded loan before its boarding; null if the loan was not boarded. */
export const findBoardedPast = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(BoardedPast)`
    select loan.origination_date, ${chargeOffDateColumn('loan')} as charge_off_date
    from loans as loan
    where loan.id = ${id} and exists (
      select from loan_events where loan_id = loan.id and kind = 'boarding'
    )
  `);

const Totals = z.object({
  status: z.string(),
  loans: z.int(),
  principal: z.string(),
  interest: z.string(),
  fees: z.string(),
  charged_off: z.string(),
});

/** What the borrowers of these loans owe on the day, by status. */
export const sumByStatus = (tx: Transaction, ids: readonly string[], day: string) =>
  tx.any(sql.type(Totals)`
    select record.status, count(*)::integer as loans, sum(record.principal_balance)::text as principal,
           sum(coalesce(${amountOn('accrued_interest')}, 0.00))::text as interest,
           sum(record.outstanding_fees)::text as fees, sum(record.charge_off_balance)::text as charged_off
    from loans as record ${joinOutlook(sql.fragment`${day}::date`)}
    where record.id = any(${sql.array([...ids], 'uuid')})
    group by record.status order by record.status
  `);
