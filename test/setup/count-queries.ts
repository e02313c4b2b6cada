import pg from 'pg';
import { Batch } from '../../sql/database/batch.ts';

/** What some steps asked of the database. */
export type QueryCounts = {
  /** The statements, also those that begin and end transactions. */
  statements: number;
  /** How often an answer was waited for; statements that go together are one. */
  trips: number;
};

type Query = (this: object, given: unknown, ...rest: unknown[]) => unknown;

/**
 * What the steps ask of Postgres through the pool, counted where statements are handed to the driver, so
 * that it is the same on a busy machine. The end of a transaction that only reads is not waited for.
 */
export async function countQueries(steps: () => Promise<unknown>): Promise<QueryCounts> {
  const asked: QueryCounts = { statements: 0, trips: 0 };
  const waiting = new WeakMap<object, number>();
  const reading = new WeakSet<object>();
  const prototype = pg.Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  prototype.query = function counted(given, ...rest) {
    const answer = query.call(this, given, ...rest);
    // The connections of the tests themselves ask one thing after another.
    if (!(given instanceof Batch)) return answer;
    const texts = given.statements.map(({ text }) => text);
    // Whose the host is, is asked every five seconds, whatever is done.
    if (texts.some((text) => text.includes('tenant_of_host'))) return answer;
    if (texts.some((text) => text.includes('read only'))) reading.add(this);
    const isLetGo = /^(commit|rollback)$/.test(texts.join('; ')) && reading.delete(this);
    const before = waiting.get(this) ?? 0;
    asked.statements += texts.length;
    if (before === 0 && !isLetGo) asked.trips += 1;
    // What comes behind it is waited for on its own account.
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
