import type { Transaction } from './db.ts';

const underWay = new WeakMap<Transaction, Map<string, Promise<unknown>>>();

/**
 * What is looked up and then written of one record, one after the other, although its transaction does it side by side
 * (`joined.ts`). A lock of the record keeps other transactions out, and not others in the same.
 */
export function inTurn<Result>(
  tx: Transaction,
  record: string,
  steps: () => Promise<Result>,
): Promise<Result> {
  const records = underWay.get(tx) ?? new Map<string, Promise<unknown>>();
  underWay.set(tx, records);
  const before = records.get(record);
  const done = before ? before.then(steps, steps) : steps();
  records.set(record, done);
  return done;
}
