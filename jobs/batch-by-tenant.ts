import type { Within, Work } from './work.ts';

/**
 * Concurrent transactions per tenant. With two, one transaction that waits for a lock does not block all
 * other calls.
 */
const CONCURRENT_BATCHES_MAX = 2;

type BatchEntry<Item, Answer> = {
  within: Within;
  item: Item;
  tell: (answer: Answer) => void;
  fail: (error: unknown) => void;
};

/**
 * Combines concurrent calls for the same tenant into one transaction. A single call runs immediately; calls
 * that arrive while transactions are running share the next one. Each promise resolves after the commit.
 *
 * - If a batch fails, each call is repeated alone, so that only the faulty calls fail.
 * - `ask` must return its answers in the order of the items.
 * - The batch runs on behalf of its first caller, so `ask` must not write anything that names the request.
 */
export function batchByTenant<Item, Answer>(
  ask: (work: Work, items: readonly Item[]) => Promise<readonly Answer[]>,
): (within: Within, tenantId: string, item: Item) => Promise<Answer> {
  const tenants = new Map<string, { waiting: BatchEntry<Item, Answer>[]; underWay: number }>();

  async function send(tenantId: string, all: readonly BatchEntry<Item, Answer>[]): Promise<void> {
    const [first] = all;
    if (!first) return;
    const items = all.map(({ item }) => item);
    try {
      const answers = await first.within(tenantId, (work) => ask(work, items), { isUndated: true });
      for (const [index, { tell }] of all.entries()) tell(answers[index] as Answer);
    } catch (error) {
      if (all.length === 1) first.fail(error);
      else await Promise.all(all.map((one) => send(tenantId, [one])));
    }
  }

  return (within, tenantId, item) =>
    new Promise((tell, fail) => {
      const tenant = tenants.get(tenantId) ?? { waiting: [], underWay: 0 };
      tenants.set(tenantId, tenant);
      tenant.waiting.push({ within, item, tell, fail });
      if (tenant.underWay === CONCURRENT_BATCHES_MAX) return;
      tenant.underWay += 1;
      // Waits until all calls of the current event loop turn have queued their items.
      setImmediate(async () => {
        while (tenant.waiting.length > 0) await send(tenantId, tenant.waiting.splice(0));
        tenant.underWay -= 1;
        if (tenant.underWay === 0) tenants.delete(tenantId);
      });
    });
}
