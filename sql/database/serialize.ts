import type { Transaction } from './db.ts';

const underWay = new WeakMap<Transaction, Map<string, Promise<unknown>>>();

/**
 * Steps about the same thing, one after the other, although their transaction begins them side by side (`joined.ts`):
 * what they look up and then write, or hand on by a setting, the others would take for their own. A lock keeps
 * other transactions out, and not others in the same. Steps may not wait for more of the same within them.
 */
export function serialize<Result>(
  tx: Transaction,
  thing: string,
  steps: () => Promise<Result>,
): Promise<Result> {
  const things = underWay.get(tx) ?? new Map<string, Promise<unknown>>();
  underWay.set(tx, things);
  const before = things.get(thing);
  const done = before ? before.then(steps, steps) : steps();
  things.set(thing, done);
  return done;
}
