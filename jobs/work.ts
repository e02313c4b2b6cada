import type { DatabasePool } from 'slonik';
import type { TransactionMode } from '../sql/database/transaction-statements.ts';
import type { Transaction } from '../sql/database/db.ts';
import { within } from '../sql/database/within.ts';
import { DEFAULT_INSTALLATION, type Installation } from './installation.ts';

export const ACTOR_TYPES = ['user', 'borrower', 'system', 'provider'] as const;

/** On whose behalf an operation runs. The audit trail names the actor. */
export type Actor = {
  type: (typeof ACTOR_TYPES)[number];
  id: string | null;
  email: string | null;
  role: string | null;
  request_id: string | null;
  ip: string | null;
  /** The maker of the request that this actor approved. */
  requested_by?: { id: string; email: string };
};

/**
 * The context of an operation: one transaction of one tenant, the actor and the business date. It has no
 * mailer, no browser and no HTTP client, so an operation cannot reach outside; it enqueues a job instead.
 */
export type Work = {
  tx: Transaction;
  tenant_id: string;
  actor: Actor;
  /** The tenant's business date, which can differ from the clock's date. */
  today: string;
  /** The configuration of the process. */
  installation: Installation;
  /** Set by the close while it ends reliefs. No other event may reach their loans first. */
  isEndingReliefs?: true;
  /** Set by the close while it handles loans, after the payments of the business date. */
  isClosingDay?: true;
};

/** The id of no tenant, for a transaction that lists tenants or reads tables outside them. */
export const NO_TENANT_ID = '00000000-0000-0000-0000-000000000000';

/** Runs the steps in a transaction of the tenant. Repeats them after a deadlock. */
export type Within = <Result>(
  tenantId: string,
  steps: (work: Work) => Promise<Result>,
  mode?: TransactionMode,
) => Promise<Result>;

/** The only way to get a Work from a pool: transactions of a tenant on behalf of the actor. */
export const createWithin =
  (pool: DatabasePool, actor: Actor, installation = DEFAULT_INSTALLATION): Within =>
  (tenant_id, steps, mode) => {
    const request_id = mode?.request_id ?? actor.request_id;
    const tracedActor = { ...actor, request_id };
    return within(
      pool,
      tenant_id,
      (tx, today) => {
        const work = { tx, tenant_id, actor: tracedActor, today, installation };
        return steps(mode?.isUndated ? undated(work) : work);
      },
      { ...mode, request_id },
    );
  };

/** In an undated transaction, reading `today` throws, because the business date was not fetched. */
const undated = (work: Work): Work =>
  Object.defineProperty(work, 'today', {
    enumerable: false,
    get: () => {
      throw new Error('This transaction did not read the business date.');
    },
  });

export const SYSTEM: Actor = {
  type: 'system',
  id: null,
  email: null,
  role: null,
  request_id: null,
  ip: null,
};
