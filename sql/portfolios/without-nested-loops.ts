import { sql, deferred, type Transaction } from '../database/db.ts';

/**
 * Asks of the loans of a whole day. Of one that was closed this minute Postgres has no statistics and expects
 * one loan, for which it would go through all that is joined with it: once for each of a hundred thousand.
 */
export async function withoutNestedLoops<Answer>(
  tx: Transaction,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  await loops(tx, 'off');
  const answer = await ask();
  await loops(tx, 'on');
  return answer;
}

const loops = (tx: Transaction, may: 'on' | 'off') =>
  tx.query(deferred(sql.typeAlias('void')`select set_config('enable_nestloop', ${may}, true)`));
