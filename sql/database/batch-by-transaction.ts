import type { Transaction } from './db.ts';

type Asked<Item, Answer> = {
  item: Item;
  tell: (answer: Answer) => void;
  fail: (error: unknown) => void;
};

/**
 * What is asked of one record, and is one statement for as many as ask at the same moment. Work on a
 * loan is written as if it were alone; done side by side with others it shares their statements, and
 * alone it pays nothing for that. What is answered stands in the order of what was asked.
 */
export function batchByTransaction<Item, Answer>(
  ask: (tx: Transaction, items: readonly Item[]) => Promise<readonly Answer[]>,
): (tx: Transaction, item: Item) => Promise<Answer> {
  const waiting = new WeakMap<Transaction, Asked<Item, Answer>[]>();

  const send = async (tx: Transaction, all: readonly Asked<Item, Answer>[]) => {
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
      // After everybody who goes on at this moment has asked.
      return Promise.resolve().then(() => process.nextTick(() => void send(tx, all)));
    });
}

/**
 * Acts on each item of one transaction at the same time, so that their statements are joined. Waits for
 * all of them, whatever becomes of one: nothing is asked of a transaction that has ended. Answers in the order of the
 * items; the first failure is thrown.
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
