import type { DatabasePool } from 'slonik';
import type { TransactionMode } from '../sql/database/transaction-statements.ts';
import type { Transaction } from '../sql/database/db.ts';
import { within } from '../sql/database/within.ts';
import { DEFAULT_INSTALLATION, type Installation } from './installation.ts';

export const ACTOR_TYPES = ['user', 'borrower', 'system', 'provider'] as const;

/** On whose behalf something is done; the audit trail names them. */
export type Actor = {
  type: (typeof ACTOR_TYPES)[number];
  id: string | null;
  email: string | null;
  role: string | null;
  request_id: string | null;
  ip: string | null;
  /** Who asked for what this one approves of. */
  requested_by?: { id: string; email: string };
};

/**
 * What an operation is given: one transaction of one tenant, who asks, and the day it is. There is no
 * mailer, no browser and no HTTP in it, so an operation cannot reach outside; what must happen there
 * is enqueued.
 */
export type Work = {
  tx: Transaction;
  tenant_id: string;
  actor: Actor;
  /** The tenant's business date, which is not the clock's date. */
  today: string;
  /** What the process was started with. */
  installation: Installation;
  /** Set by the close while it ends the reliefs of a morning: nothing else happens to their loans before. */
  isEndingReliefs?: true;
};

/** Runs steps in a transaction of the tenant; repeats them after a deadlock. */
export type Within = <Result>(
  tenantId: string,
  steps: (work: Work) => Promise<Result>,
  mode?: TransactionMode,
) => Promise<Result>;

/** The one way from a pool to work: transactions of a tenant, on behalf of the actor. */
export const createWithin =
  (pool: DatabasePool, actor: Actor, installation = DEFAULT_INSTALLATION): Within =>
  (tenant_id, steps, mode) => {
    const request_id = mode?.request_id ?? actor.request_id;
    const asking = { ...actor, request_id };
    return within(
      pool,
      tenant_id,
      (tx, today) => {
        const work = { tx, tenant_id, actor: asking, today, installation };
        return steps(mode?.isUndated ? undated(work) : work);
      },
      { ...mode, request_id },
    );
  };

/** The date was not asked for: whoever looks at it after all is told, and compares no day with nothing. */
const undated = (work: Work): Work =>
  Object.defineProperty(work, 'today', {
    enumerable: false,
    get: () => {
      throw new Error('This transaction has not asked what day it is.');
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
