import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';

type Morning = { unbilled_month: string | null; has_ended_reliefs: boolean };

/** Records what the run's chunks have to do on the morning after their day; returns the chunks. */
export const planMorning = (tx: Transaction, runId: string, morning: Morning) =>
  tx.anyFirst(
    prepared(sql.type(z.object({ chunk: z.int() }))`
    update cob_chunks
    set unbilled_month = ${morning.unbilled_month}, has_ended_reliefs = ${morning.has_ended_reliefs}
    where run_id = ${runId} returning chunk
  `),
  );

/** From now on requests may change the chunk's loans again. */
export const markReliefsEnded = (tx: Transaction, runId: string, number: number) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_chunks set has_ended_reliefs = false where run_id = ${runId} and chunk = ${number}
  `),
  );

/** Whoever is done with a chunk of the run waits for the others who are, and sees what they have marked. */
export const lockRun = (tx: Transaction, runId: string) =>
  tx.query(deferred(sql.typeAlias('void')`select from cob_runs where id = ${runId} for update`));

export const markChunkBilled = (tx: Transaction, runId: string, number: number) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_chunks set unbilled_month = null where run_id = ${runId} and chunk = ${number}
  `),
  );

/** Whether some chunk still prepares its morning: reliefs that ended, or statements of a month. */
export const hasUnbilledChunks = (tx: Transaction) =>
  tx.exists(
    prepared(
      sql.typeAlias(
        'void',
      )`select from cob_chunks where unbilled_month is not null or has_ended_reliefs`,
    ),
  );
