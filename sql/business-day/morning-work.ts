import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';

type Morning = { unbilled_month: string | null; has_ended_reliefs: boolean };

/** Records the morning work of each of the run's chunks (billing, ended reliefs). Returns the chunks. */
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

/**
 * Locks the run, so that the last chunks to finish take turns and each sees what the previous one marked.
 */
export const lockRun = (tx: Transaction, runId: string) =>
  tx.query(deferred(sql.typeAlias('void')`select from cob_runs where id = ${runId} for update`));

export const markChunkBilled = (tx: Transaction, runId: string, number: number) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update cob_chunks set unbilled_month = null where run_id = ${runId} and chunk = ${number}
  `),
  );

/** Whether any chunk still prepares its morning: ended reliefs, or statements of a month. */
export const hasUnbilledChunks = (tx: Transaction) =>
  tx.exists(
    prepared(
      sql.typeAlias(
        'void',
      )`select from cob_chunks where unbilled_month is not null or has_ended_reliefs`,
    ),
  );
