import type { Transaction } from './db.ts';

const running = new WeakMap<Transaction, Map<string, Promise<unknown>>>();

/**
 * Runs steps with the same key one after the other, even if one transaction starts them concurrently. Use
 * it for steps that read and then write, or that pass values through a setting: a lock keeps other
 * transactions out, but not concurrent steps of the same transaction. Steps must not wait for further steps
 * with the same key, or they deadlock.
 */
export function serialize<Result>(
  tx: Transaction,
  key: string,
  steps: () => Promise<Result>,
): Promise<Result> {
  const byKey = running.get(tx) ?? new Map<string, Promise<unknown>>();
  running.set(tx, byKey);
  const before = byKey.get(key);
  const done = before ? before.then(steps, steps) : steps();
  byKey.set(key, done);
  return done;
}
