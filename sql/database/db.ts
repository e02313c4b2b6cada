import { hash } from 'node:crypto';
import {
  createSqlTag,
  createPool,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type QuerySqlToken,
} from 'slonik';
import { z } from 'zod';
import { StartupError, databaseUnreachable } from './startup-error.ts';
import { checkRows } from './check-rows.ts';
import { createDriver, AND_COMMIT, DEFERRED } from './driver.ts';
import { withLivenessCheck } from './liveness.ts';
import { shareAmongTenants } from './tenant-shares.ts';

/** The part of a transaction that query modules use. The connection never leaves `within`. */
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
 * Prepares a frequent statement once per connection. Use it for statements with few variants: planning the
 * row of a loan takes seven times as long as reading it. Never use it with `select *` from a table, because
 * a migration may change its columns.
 */
export const prepared = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: nameOf(query.sql) });

/**
 * A prepared write without a result. It is sent together with the next statement of its transaction, at the
 * latest with the commit. If it fails, that statement throws the error.
 */
export const deferred = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: `${DEFERRED} ${nameOf(query.sql)}` });

/**
 * The last statement of a transaction, prepared. The commit is sent with it, so its result is committed
 * when it returns, even if later steps throw.
 */
export const andCommit = <Query extends QuerySqlToken>(query: Query): Query =>
  Object.freeze({ ...query, name: `${AND_COMMIT} ${nameOf(query.sql)}` });

const names = new Map<string, string>();
const NAMES_MAX = 1_000;

/** The prepared statement's name for a text, computed once. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMES_MAX) names.clear();
  const name = hash('md5', text);
  names.set(text, name);
  return name;
}

export type PoolSettings = {
  size?: number;
  /** The role that queries run as. The auditor only reads. */
  role?: 'servicing_app' | 'servicing_worker' | 'servicing_auditor' | 'servicing_owner';
  /** Divides the connections among the tenants. For processes that serve all tenants. */
  isShared?: boolean;
  /** Postgres cancels any statement that takes longer. */
  statementTimeoutMs?: number;
};

/**
 * Opens a pool whose connections run as the application's role, whichever user the URL names. Row-level
 * security therefore also applies on a developer's superuser connection.
 */
export async function openPool(url: string, settings: PoolSettings = {}): Promise<DatabasePool> {
  try {
    return await openPoolAs(settings.role ?? 'servicing_app', url, settings);
  } catch (error) {
    if (sqlStateOf(error) !== '42501') throw error;
    throw new RoleNotGranted(settings.role ?? 'servicing_app', { cause: error });
  }
}

/** The login for each role, as created by workers/deployment/logins.sql. */
const LOGINS = {
  servicing_app: 'api',
  servicing_worker: 'worker',
  servicing_auditor: 'auditor',
  servicing_owner: 'migrator',
} as const;

/**
 * The login may not act as the role. Retrying does not help: an operator has to change the login or its
 * grants.
 */
export class RoleNotGranted extends StartupError {
  constructor(role: keyof typeof LOGINS, options: ErrorOptions) {
    super(
      `The login of DATABASE_URL may not act as ${role}. Use the login "${LOGINS[role]}" of ` +
        `workers/deployment/logins.sql, or grant ${role} to it if it was made for this ("Logins of the database" in README.md).`,
      options,
    );
  }
}

/** Added to the statement timeout before a connection counts as lost. */
const ACQUIRE_TIMEOUT_MS = 5_000;

async function openPoolAs(role: string, url: string, settings: PoolSettings) {
  const { size = 10, statementTimeoutMs = 15_000 } = settings;
  const session = {
    role,
    timezone: 'UTC',
    lock_timeout: '5s',
    client_connection_check_interval: '5s',
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: '30s',
    jit: 'off',
  };
  const pool = await createPool(url, {
    maxPoolSize: size,
    idleTimeout: 60_000,
    // Connections that were given up are closed without waiting.
    gracefulTerminationTimeout: 500,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    driverFactory: createDriver(session),
    interceptors: [checkRows],
    // The tenant and all settings are transaction-local, so nothing needs to be reset.
    resetConnection: async () => {},
  });
  try {
    // Fail now if the server does not answer or rejects this login.
    await pool.connect(() => Promise.resolve());
  } catch (error) {
    await pool.end();
    throw databaseUnreachable(url, error);
  }
  const monitored = withLivenessCheck(pool, url, statementTimeoutMs + ACQUIRE_TIMEOUT_MS);
  return settings.isShared ? shareAmongTenants(monitored, size) : monitored;
}

type Outcome<Result> = { result: Result } | { error: unknown };

/**
 * Runs the steps in a savepoint. If they fail, only they are rolled back; the transaction continues and the
 * error is returned, not thrown.
 */
export async function withSavepoint<Result>(
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

/** The five-character SQLSTATE of an error, however the driver has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}

/** The name of the constraint that a row violated, if any. */
export function constraintOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { constraint } = at as { constraint?: unknown };
    if (typeof constraint === 'string') return constraint;
  }
  return undefined;
}
