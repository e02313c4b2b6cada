import { sql, deferred, type Transaction } from '../database/db.ts';

/**
 * Disables nested loops for a query over all loans of a day. Postgres has no statistics about a day that
 * was just closed and expects one loan, so it would scan the joined tables once per loan.
 */
export async function withoutNestedLoops<Answer>(
  tx: Transaction,
  steps: () => Promise<Answer>,
): Promise<Answer> {
  await loops(tx, 'off');
  const answer = await steps();
  await loops(tx, 'on');
  return answer;
}

const loops = (tx: Transaction, may: 'on' | 'off') =>
  tx.query(deferred(sql.typeAlias('void')`select set_config('enable_nestloop', ${may}, true)`));
