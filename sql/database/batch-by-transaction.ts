import { setImmediate } from 'node:timers/promises';
import type { Transaction } from './db.ts';

type BatchEntry<Item, Answer> = {
  item: Item;
  tell: (answer: Answer) => void;
  fail: (error: unknown) => void;
};

/**
 * Combines concurrent calls of one transaction into a single statement. Code for a loan is written for one
 * loan; when it runs for many loans concurrently, their statements are combined. Returns are in the order
 * of the calls.
 */
export function batchByTransaction<Item, Answer>(
  runStatement: (tx: Transaction, items: readonly Item[]) => Promise<readonly Answer[]>,
): (tx: Transaction, item: Item) => Promise<Answer> {
  const waiting = new WeakMap<Transaction, BatchEntry<Item, Answer>[]>();

  const send = async (tx: Transaction, all: readonly BatchEntry<Item, Answer>[]) => {
    waiting.delete(tx);
    try {
      const answers = await runStatement(
        tx,
        all.map(({ item }) => item),
      );
      for (const [index, { tell: resolve }] of all.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { fail: reject } of all) reject(error);
    }
  };

  return (tx, item) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(tx);
      if (others) return others.push({ item, tell: resolve, fail: reject });
      const all = [{ item, tell: resolve, fail: reject }];
      waiting.set(tx, all);
      // Wait until everything that can run now has added its call.
      return Promise.resolve().then(() => process.nextTick(() => void send(tx, all)));
    });
}

/** Adds the failure to `failures`. Other statements of its transaction then fail as well, so only the first one is a cause. */
async function noteFailure<Answer>(failures: unknown[], answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    failures.push(error);
    throw error;
  }
}

/**
 * Runs `run` on all items concurrently within one transaction, so that their statements are combined. Waits
 * for all of them even if one fails, because no statement may follow the end of the transaction. Returns in
 * the order of the items; throws the failure that happened first.
 */
export async function mapConcurrently<Item, Answer>(
  items: readonly Item[],
  run: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const failures: unknown[] = [];
  const outcomes = await Promise.allSettled(items.map((item) => noteFailure(failures, run(item))));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw failures[0];
    return outcome.value;
  });
}

type Steps<Item, Prepared> = {
  prepare: (item: Item) => Promise<Prepared>;
  run: (prepared: Prepared) => Promise<void>;
};

/**
 * Prepares items one by one and runs them in groups of `size`, whose statements are combined (`mapConcurrently`). While the
 * statements of one group run, the next group is prepared. Waits for all statements even if a step fails, and throws the
 * failure that happened first.
 */
export async function runInGroups<Item, Prepared>(
  items: readonly Item[],
  size: number,
  { prepare, run }: Steps<Item, Prepared>,
): Promise<void> {
  const failures: unknown[] = [];
  const runNoted = (item: Prepared) => noteFailure(failures, run(item));
  let running: Promise<unknown> = Promise.resolve();
  try {
    for (let from = 0; from < items.length; from += size) {
      const prepared: Prepared[] = [];
      for (const item of items.slice(from, from + size)) {
        prepared.push(await noteFailure(failures, prepare(item)));
        // Lets the group that runs handle the answers of its statements.
        await setImmediate();
      }
      await running;
      running = mapConcurrently(prepared, runNoted);
      // Its failure is thrown where it is awaited.
      running.catch(() => {});
    }
    await running;
  } catch (error) {
    await running.catch(() => {});
    throw failures[0] ?? error;
  }
}
