import { sql, type Transaction } from '../../database/db.ts';

/** Stores the minimum-payment disclosure for the next statement of a line of credit. */
export const saveCycleOutlook = (tx: Transaction, loanId: string, outlook: object | null) =>
  tx.query(sql.typeAlias('void')`
    update loans set cycle_outlook = ${outlook && JSON.stringify(outlook)}::jsonb where id = ${loanId}
  `);
