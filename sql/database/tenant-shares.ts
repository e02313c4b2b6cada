import type { DatabasePool } from 'slonik';

/**
 * A tenant may hold three times as many connections as are free: 12 of 16 alone, 7 and 6 if two tenants are
 * busy.
 */
const HELD_PER_FREE = 3;
const WAIT_TIMEOUT_MS = 15_000;

/** The tenant waited too long for a connection. api/http/errors.ts answers 503. */
export class NoConnectionShare extends Error {
  constructor() {
    super('timeout exceeded: the connections of this tenant are busy.');
  }
}

type Shares = {
  runWithShare<Result>(tenantId: string, steps: () => Promise<Result>): Promise<Result>;
  waiting: () => number;
};
type Waiter = { go: () => void };

const shares = new WeakMap<DatabasePool, Shares>();

/**
 * Divides a pool's connections among the tenants that use it, so that a tenant with slow transactions or
 * lock waits leaves connections to other tenants.
 */
export function shareAmongTenants(
  pool: DatabasePool,
  size: number,
  patienceMs = WAIT_TIMEOUT_MS,
): DatabasePool {
  const own = openShares(size, patienceMs);
  const state = () => {
    const known = pool.state();
    return { ...known, waitingClients: known.waitingClients + own.waiting() };
  };
  const shared = { ...pool, state };
  shares.set(shared, own);
  return shared;
}

/** Runs the steps when it is the tenant's turn, or immediately if the pool is not shared. */
export const withConnectionShare = <Result>(
  pool: DatabasePool,
  tenantId: string,
  steps: () => Promise<Result>,
): Promise<Result> => shares.get(pool)?.runWithShare(tenantId, steps) ?? steps();

function openShares(size: number, patienceMs: number): Shares {
  // One connection is reserved for queries without a tenant, such as finding the tenant of a host name.
  let free = Math.max(1, size - 1);
  const held = new Map<string, number>();
  const waiting = new Map<string, Set<Waiter>>();

  const heldBy = (tenantId: string) => held.get(tenantId) ?? 0;
  /** The last free connection goes to a tenant that holds none. */
  const mayTake = (tenantId: string) => {
    const own = heldBy(tenantId);
    return own === 0 ? free > 0 : free > 1 && own < HELD_PER_FREE * free;
  };
  const change = (tenantId: string, by: 1 | -1) => {
    const now = heldBy(tenantId) + by;
    if (now === 0) held.delete(tenantId);
    else held.set(tenantId, now);
    free -= by;
  };
  /** The waiting tenant with the fewest connections goes first. */
  const next = () => {
    let [first, fewest] = ['', Infinity];
    for (const tenantId of waiting.keys()) {
      if (heldBy(tenantId) < fewest) [first, fewest] = [tenantId, heldBy(tenantId)];
    }
    const [waiter] = waiting.get(first) ?? [];
    if (!waiter || !mayTake(first)) return;
    waiter.go();
    next();
  };
  const turn = (tenantId: string) =>
    new Promise<void>((resolve, reject) => {
      const own = waiting.get(tenantId) ?? new Set();
      const leave = () => {
        clearTimeout(timer);
        own.delete(waiter);
        if (own.size === 0) waiting.delete(tenantId);
      };
      const waiter = {
        go: () => {
          leave();
          change(tenantId, 1);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        leave();
        reject(new NoConnectionShare());
      }, patienceMs);
      waiting.set(tenantId, own.add(waiter));
    });

  return {
    waiting: () => [...waiting.values()].reduce((sum, { size: count }) => sum + count, 0),
    async runWithShare(tenantId, steps) {
      if (!waiting.has(tenantId) && mayTake(tenantId)) change(tenantId, 1);
      else await turn(tenantId);
      try {
        return await steps();
      } finally {
        change(tenantId, -1);
        next();
      }
    },
  };
}
