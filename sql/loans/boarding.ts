import { sql, type Transaction } from '../database/db.ts';

/** A loan that comes late is late for the first time at least, and the closes do not count it again. */
export const countDelinquencies = (tx: Transaction, id: string, daysPastDue: number) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set times_delinquent_30 = greatest(times_delinquent_30, (${daysPastDue} >= 30)::integer),
        times_delinquent_60 = greatest(times_delinquent_60, (${daysPastDue} >= 60)::integer),
        times_delinquent_90 = greatest(times_delinquent_90, (${daysPastDue} >= 90)::integer),
        delinquency_counted = least(${daysPastDue}::integer / 30 * 30, 90)
    where id = ${id}
  `);
