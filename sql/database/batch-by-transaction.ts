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
  ask: (tx: Transaction, items: readonly Item[]) => Promise<readonly Answer[]>,
): (tx: Transaction, item: Item) => Promise<Answer> {
  const waiting = new WeakMap<Transaction, BatchEntry<Item, Answer>[]>();

  const send = async (tx: Transaction, all: readonly BatchEntry<Item, Answer>[]) => {
    waiting.delete(tx);
    try {
      const answers = await ask(
        tx,
        all.map(({ item }) => item),
      );
      for (const [index, { tell }] of all.entries()) tell(answers[index] as Answer);
    } catch (error) {
      for (const { fail } of all) fail(error);
    }
  };

  return (tx, item) =>
    new Promise((tell, fail) => {
      const others = waiting.get(tx);
      if (others) return others.push({ item, tell, fail });
      const all = [{ item, tell, fail }];
      waiting.set(tx, all);
      // Wait until everything that can run now has added its call.
      return Promise.resolve().then(() => process.nextTick(() => void send(tx, all)));
    });
}

/**
 * Runs `act` on all items concurrently within one transaction, so that their statements are combined. Waits
 * for all of them even if one fails, because no statement may follow the end of the transaction. Returns in
 * the order of the items; throws the first failure.
 */
export async function mapConcurrently<Item, Answer>(
  items: readonly Item[],
  act: (item: Item) => Promise<Answer>,
): Promise<Answer[]> {
  const outcomes = await Promise.allSettled(items.map(act));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
