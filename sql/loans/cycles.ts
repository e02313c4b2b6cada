import { sql, type Transaction } from '../database/db.ts';

/** What the next statement of a line says of paying its minimum payments alone. */
export const saveCycleOutlook = (tx: Transaction, loanId: string, outlook: object | null) =>
  tx.query(sql.typeAlias('void')`
    update loans set cycle_outlook = ${outlook && JSON.stringify(outlook)}::jsonb where id = ${loanId}
  `);
