import { sql, deferred } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';

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
