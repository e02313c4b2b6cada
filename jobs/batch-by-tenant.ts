import type { Within, Work } from './work.ts';

/** Transactions of one tenant at a time, so that one which waits for a lock does not keep all others waiting. */
const UNDER_WAY_MAX = 2;

type Asked<Item, Answer> = {
  within: Within;
  item: Item;
  tell: (answer: Answer) => void;
  fail: (error: unknown) => void;
};

/**
 * What many jobs ask of one tenant, each as if it were alone, is one transaction for as many as ask while
 * the ones before are under way; whoever asks alone waits for nobody. Each is told once it is committed.
 * What fails together is asked once more one by one, so that only those fail that are to blame. What is
 * answered stands in the order of what was asked. It is asked on behalf of whoever was first, and so may
 * write nothing that names its request.
 */
export function batchByTenant<Item, Answer>(
  ask: (work: Work, items: readonly Item[]) => Promise<readonly Answer[]>,
): (within: Within, tenantId: string, item: Item) => Promise<Answer> {
  const tenants = new Map<string, { waiting: Asked<Item, Answer>[]; underWay: number }>();

  async function send(tenantId: string, all: readonly Asked<Item, Answer>[]): Promise<void> {
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
      if (tenant.underWay === UNDER_WAY_MAX) return;
      tenant.underWay += 1;
      // After everybody who goes on at this moment has asked.
      setImmediate(async () => {
        while (tenant.waiting.length > 0) await send(tenantId, tenant.waiting.splice(0));
        tenant.underWay -= 1;
        if (tenant.underWay === 0) tenants.delete(tenantId);
      });
    });
}
