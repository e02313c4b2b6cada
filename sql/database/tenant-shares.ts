import type { DatabasePool } from 'slonik';

/** A tenant may hold three times as many connections as are free: 12 of 16 alone, 7 and 6 where two are busy. */
const HELD_PER_FREE = 3;
const PATIENCE_MS = 15_000;

/** The tenant has too many transactions waiting; api/http/errors.ts answers 503. */
export class NoTurn extends Error {
  constructor() {
    super('timeout exceeded: the connections of this tenant are busy.');
  }
}

type Shares = {
  inTurn<Result>(tenantId: string, steps: () => Promise<Result>): Promise<Result>;
  waiting: () => number;
};
type Waiter = { go: () => void };

const shares = new WeakMap<DatabasePool, Shares>();

/**
 * Divides the connections of a pool among the tenants that use it, so that a tenant whose transactions are
 * slow, or wait for each other's locks, leaves connections to the others.
 */
export function shareAmongTenants(
  pool: DatabasePool,
  size: number,
  patienceMs = PATIENCE_MS,
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

/** Runs the steps once it is the tenant's turn; immediately where the pool is not shared. */
export const inTurnOf = <Result>(
  pool: DatabasePool,
  tenantId: string,
  steps: () => Promise<Result>,
): Promise<Result> => shares.get(pool)?.inTurn(tenantId, steps) ?? steps();

function openShares(size: number, patienceMs: number): Shares {
  // One connection stays for what is asked without a tenant, such as whose domain a host is.
  let free = Math.max(1, size - 1);
  const held = new Map<string, number>();
  /** By tenant in order of arrival. */
  const waiting = new Map<string, Set<Waiter>>();

  const heldBy = (tenantId: string) => held.get(tenantId) ?? 0;
  /** The last free connection is for a tenant that holds none. */
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
  /** Lets the waiting tenant that holds fewest go first. */
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
        reject(new NoTurn());
      }, patienceMs);
      waiting.set(tenantId, own.add(waiter));
    });

  return {
    waiting: () => [...waiting.values()].reduce((sum, { size: count }) => sum + count, 0),
    async inTurn(tenantId, steps) {
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
