import { hash } from 'node:crypto';
import {
  createSqlTag,
  createPool,
  type DatabasePool,
  type DatabasePoolConnection,
  type DatabaseTransactionConnection,
  type QuerySqlToken,
} from 'slonik';
import { z } from 'zod';
import {
  beginning,
  ending,
  ROLLBACK,
  setting,
  settingAhead,
  SHUT,
  undoing,
  type Mode,
} from './boundaries.ts';
import { CannotStart, noDatabase } from './cannot-start.ts';
import { checkRows } from './check-rows.ts';
import { driverWith, LAST, UNREAD } from './driver.ts';
import { isPassing } from './passing.ts';
import { withPulse } from './pulse.ts';

/** What a query module needs of a transaction; the connection never leaves `within`. */
export type Transaction = Pick<
  DatabaseTransactionConnection,
  | 'any'
  | 'anyFirst'
  | 'exists'
  | 'many'
  | 'maybeOne'
  | 'maybeOneFirst'
  | 'one'
  | 'oneFirst'
  | 'query'
>;

export const sql = createSqlTag({
  typeAliases: {
    id: z.object({ id: z.string() }),
    void: z.unknown(),
  },
});

/**
 * A statement that comes often, and in few forms, is planned once by each connection: planning the
 * row of a loan takes seven times as long as reading it. Never one with `select *` from a table,
 * whose columns a migration may change beneath it.
 */
export const prepared = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: hash('md5', query.sql) });

/**
 * A prepared write whose answer nobody reads. It goes to the database together with the next statement of
 * its transaction, which also tells what is wrong with it; the commit at the latest.
 */
export const unread = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: `${UNREAD} ${hash('md5', query.sql)}` });

/**
 * The last statement of a transaction, prepared, which is committed along with it: what it answers is
 * in the database by then, whatever becomes of the steps afterwards.
 */
export const last = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: `${LAST} ${hash('md5', query.sql)}` });

export type PoolSettings = {
  /** Connections this process may hold. */
  size?: number;
  /** The role that queries run as; the auditor may only read. */
  role?: 'servicing_app' | 'servicing_worker' | 'servicing_auditor' | 'servicing_owner';
  /** Ends any statement that takes longer. */
  statementTimeoutMs?: number;
};

/**
 * Opens a pool whose connections run as the application's role whatever user the URL names, so that
 * row-level security holds on a developer's superuser connection too.
 */
export async function openPool(url: string, settings: PoolSettings = {}): Promise<DatabasePool> {
  try {
    return await openPoolAs(settings.role ?? 'servicing_app', url, settings);
  } catch (error) {
    if (sqlStateOf(error) !== '42501') throw error;
    throw new RoleRefused(settings.role ?? 'servicing_app', { cause: error });
  }
}

/** Waiting does not help: somebody has to grant the role, or to name another login. */
export class RoleRefused extends CannotStart {
  constructor(role: string, options: ErrorOptions) {
    super(
      `The login of DATABASE_URL may not work as ${role}: grant ${role} to it, as the section ` +
        '"Logins of the database" in README.md says.',
      options,
    );
  }
}

/** How much longer than its longest statement a server is waited for. */
const PATIENCE_MS = 5_000;

async function openPoolAs(role: string, url: string, settings: PoolSettings) {
  const { size = 10, statementTimeoutMs = 15_000 } = settings;
  const session = {
    ...{ role, timezone: 'UTC', lock_timeout: '5s', client_connection_check_interval: '5s' },
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '30s',
  };
  const pool = await createPool(url, {
    maxPoolSize: size,
    idleTimeout: 60_000,
    // A connection that is given up is not waited for.
    gracefulTerminationTimeout: 500,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    driverFactory: driverWith(session),
    interceptors: [checkRows],
    // Tenant and settings are transaction-local, so nothing outlives a transaction that would
    // need to be discarded.
    resetConnection: async () => {},
  });
  try {
    // Whether somebody answers, and lets this login in, is known before anything is asked.
    await pool.connect(() => Promise.resolve());
  } catch (error) {
    await pool.end();
    throw noDatabase(url, error);
  }
  return withPulse(pool, url, statementTimeoutMs + PATIENCE_MS);
}

/** Errors that mean "the same steps may succeed a moment later". */
const PASSING = new Set(['40001', '40P01', '55P03']);
const RETRIES = 6;
const RETRY_BUDGET_MS = 3_000;

/**
 * The only way to the data of a tenant: runs `steps` in one transaction that sees that tenant's rows
 * and no others. The steps are repeated, with growing pauses, after a deadlock or a serialization
 * failure, and so must touch nothing but the transaction. A thrown error rolls back and is thrown
 * again outside, because an error thrown through the driver costs the connection.
 */
export async function within<Result>(
  pool: DatabasePool,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: Mode = {},
): Promise<Result> {
  const deadline = Date.now() + RETRY_BUDGET_MS;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await pool.connect((connection) => once(connection, tenantId, steps, mode));
    if ('result' in outcome) return outcome.result;
    const passing = mode.isRepeated !== false && PASSING.has(sqlStateOf(outcome.error) ?? '');
    if (!passing || attempt > RETRIES || Date.now() > deadline) throw outcome.error;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)),
    );
  }
}

type Outcome<Result> = { result: Result } | { error: unknown };

async function once<Result>(
  connection: DatabasePoolConnection,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: Mode,
): Promise<Outcome<Result>> {
  await connection.query(beginning(mode));
  try {
    const result = await steps(connection, await settingOut(connection, tenantId, mode));
    await connection.query(ending(mode));
    return { result };
  } catch (error) {
    // A connection that cannot roll back is broken: that error goes through and destroys it.
    await connection.query(isBroken(error) ? ROLLBACK : undoing(mode));
    return { error: sqlStateOf(error) === SHUT ? new TenantShut() : error };
  }
}

/** Answers the date; empty where nobody asks for it. */
async function settingOut(connection: DatabasePoolConnection, tenantId: string, mode: Mode) {
  if (mode.isUndated) {
    await connection.query(unread(settingAhead(tenantId, mode)));
    return '';
  }
  const { today, is_shut } = await connection.one(setting(tenantId, mode));
  if (is_shut) throw new TenantShut();
  return today ?? '';
}

/** Whether it was the database that failed, and not the steps that refused. */
const isBroken = (error: unknown) => sqlStateOf(error) !== undefined || isPassing(error);

/**
 * Runs steps so that their failure undoes them alone: the transaction goes on, and what failed is
 * answered rather than thrown.
 */
export async function attempt<Result>(
  tx: Transaction,
  steps: () => Promise<Result>,
): Promise<Outcome<Result>> {
  await tx.query(sql.typeAlias('void')`savepoint attempt`);
  try {
    const result = await steps();
    await tx.query(sql.typeAlias('void')`release savepoint attempt`);
    return { result };
  } catch (error) {
    await tx.query(sql.typeAlias('void')`rollback to savepoint attempt`);
    await tx.query(sql.typeAlias('void')`release savepoint attempt`);
    return { error };
  }
}

/** The tenant is closed, and may be in another database already: nothing is read or written. */
export class TenantShut extends Error {
  constructor() {
    super('The tenant is closed while it moves.');
  }
}

/** The five-character SQLSTATE behind an error, wherever the driver has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** The name of the constraint that refused a row, if one did. */
export function constraintOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { constraint } = at as { constraint?: unknown };
    if (typeof constraint === 'string') return constraint;
  }
  return undefined;
}
