import pg from 'pg';
import { Batch } from '../../sql/database/batch.ts';

export type QueryCounts = {
  /** The statements, including those that begin and end transactions. */
  statements: number;
  /** How often the process waited for an answer. Statements sent together count as one trip. */
  trips: number;
};

type Query = (this: object, given: unknown, ...rest: unknown[]) => unknown;

/**
 * Counts what the steps ask of Postgres through the pool. The count is taken where statements reach the
 * driver, so it does not depend on how busy the machine is. The end of a read-only transaction does not
 * count as a trip.
 */
export async function countQueries(steps: () => Promise<unknown>): Promise<QueryCounts> {
  const asked: QueryCounts = { statements: 0, trips: 0 };
  const waiting = new WeakMap<object, number>();
  const reading = new WeakSet<object>();
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function counted(given, ...rest) {
    const answer = query.call(this, given, ...rest);
    // The tests' own connections do not send batches.
    if (!(given instanceof Batch)) return answer;
    const texts = given.statements.map(({ text }) => text);
    // The tenant of the host is looked up every five seconds, regardless of the steps.
    if (texts.some((text) => text.includes('tenant_of_host'))) return answer;
    if (texts.some((text) => text.includes('read only'))) reading.add(this);
    const isLetGo = /^(commit|rollback)$/.test(texts.join('; ')) && reading.delete(this);
    const before = waiting.get(this) ?? 0;
    asked.statements += texts.length;
    if (before === 0 && !isLetGo) asked.trips += 1;
    // A statement sent after it counts as its own trip.
    if (isLetGo) return answer;
    waiting.set(this, before + 1);
    const isAnswered = () => void waiting.set(this, (waiting.get(this) ?? 1) - 1);
    given.answered.then(isAnswered, isAnswered);
    return answer;
  };
  try {
    await steps();
  } finally {
    prototype.query = query;
  }
  return asked;
}
