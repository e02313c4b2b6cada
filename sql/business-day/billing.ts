import { z } from 'zod';
import { prepared, sql, unread, type Transaction } from '../database/db.ts';

/** From now on the loans of the run are to be billed for the month; answers its chunks. */
export const billMonth = (tx: Transaction, runId: string, month: string) =>
  tx.anyFirst(
    prepared(sql.type(z.object({ chunk: z.int() }))`
    update cob_chunks set unbilled_month = ${month} where run_id = ${runId} returning chunk
  `),
  );

/** Whoever is done with a chunk of the run waits for the others who are, and sees what they have marked. */
export const takeTurns = (tx: Transaction, runId: string) =>
  tx.query(unread(sql.typeAlias('void')`select from cob_runs where id = ${runId} for update`));

export const markBilled = (tx: Transaction, runId: string, number: number) =>
  tx.query(
    unread(sql.typeAlias('void')`
    update cob_chunks set unbilled_month = null where run_id = ${runId} and chunk = ${number}
  `),
  );

/** Whether there are loans that are not billed yet for a month that has ended. */
export const isBilling = (tx: Transaction) =>
  tx.exists(
    prepared(sql.typeAlias('void')`select from cob_chunks where unbilled_month is not null`),
  );
