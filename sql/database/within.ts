import type { DatabasePool, DatabasePoolConnection } from 'slonik';
import {
  beginStatement,
  endStatement,
  BUSINESS_DATE_MOVED,
  ROLLBACK,
  setTenantAndReadDate,
  assumeTenantAndDay,
  TENANT_CLOSED,
  rollbackStatement,
  type TransactionMode,
} from './transaction-statements.ts';
import { sqlStateOf, type Transaction } from './db.ts';
import { isTransient } from './transient-errors.ts';
import { withConnectionShare } from './tenant-shares.ts';

/** SQLSTATEs after which the transaction is repeated. */
const RETRYABLE_STATES = new Set(['40001', '40P01', '55P03', BUSINESS_DATE_MOVED]);
const RETRIES = 6;
const RETRY_BUDGET_MS = 3_000;

/**
 * The only way to a tenant's data: runs `steps` in one transaction that sees only that tenant's rows. The
 * steps are repeated, with growing pauses, after a deadlock, a serialization failure or a change of the
 * business date, so they must not touch anything but the transaction. An error of the steps rolls back and
 * is thrown outside the driver, because an error that passes through the driver costs the connection.
 */
export async function within<Result>(
  pool: DatabasePool,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: TransactionMode = {},
): Promise<Result> {
  let deadline = Date.now() + RETRY_BUDGET_MS;
  let day = '';
  let rejectedDay: string | undefined;
  const stepsNotingDay: typeof steps = (tx, today) => {
    day = today;
    return steps(tx, today);
  };
  for (let attempt = 1; ; attempt += 1) {
    // A retry reads the date instead of assuming it, because a transaction on a standby may have cached the
    // previous date in the meantime.
    const assumedDay = attempt === 1 ? cachedDate(tenantId, mode) : undefined;
    const outcome = await withConnectionShare(pool, tenantId, () =>
      pool.connect((connection) =>
        attemptTransaction(connection, tenantId, stepsNotingDay, { ...mode, assumedDay }),
      ),
    );
    if ('result' in outcome) return outcome.result;
    const state = sqlStateOf(outcome.error) ?? '';
    const isRetryable = mode.isRepeated !== false && RETRYABLE_STATES.has(state);
    const hasDateMoved = state === BUSINESS_DATE_MOVED;
    // If the date that was just read is rejected again, further retries would not help.
    const isHopeless = hasDateMoved
      ? day === rejectedDay
      : attempt > RETRIES || Date.now() > deadline;
    // On the new date the retry budget starts again, however long the first attempt waited for a connection
    // or a lock.
    if (hasDateMoved) [rejectedDay, deadline] = [day, Date.now() + RETRY_BUDGET_MS];
    if (!isRetryable || isHopeless) throw outcome.error;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)),
    );
  }
}

type AttemptMode = TransactionMode & { assumedDay: string | undefined };
type Outcome<Result> = { result: Result } | { error: unknown };

/**
 * The business date of each tenant as this process last read it. Transactions assume it, and Postgres
 * rejects it if it has moved.
 */
const businessDates = new Map<string, string>();
const BUSINESS_DATES_MAX = 10_000;

/** Dates from read-only transactions are not cached, because a standby may be a day behind. */
function cacheBusinessDate(tenantId: string, today: string) {
  if (businessDates.size >= BUSINESS_DATES_MAX) businessDates.clear();
  businessDates.set(tenantId, today);
}

const isReading = ({ readOnly = false, snapshot = false }: TransactionMode) => readOnly || snapshot;

const cachedDate = (tenantId: string, mode: TransactionMode) =>
  isReading(mode) || mode.isRepeated === false ? undefined : businessDates.get(tenantId);

/** Call after moving the date, so that the next transaction does not start with the old one. */
export const forgetBusinessDate = (tenantId: string) => businessDates.delete(tenantId);

async function attemptTransaction<Result>(
  connection: DatabasePoolConnection,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: AttemptMode,
): Promise<Outcome<Result>> {
  await connection.query(beginStatement(mode));
  try {
    const result = await steps(connection, await beginTransaction(connection, tenantId, mode));
    await connection.query(endStatement(mode));
    return { result };
  } catch (error) {
    const thrown = await rollBack(connection, error, mode);
    if (sqlStateOf(thrown) === BUSINESS_DATE_MOVED) forgetBusinessDate(tenantId);
    return { error: sqlStateOf(thrown) === TENANT_CLOSED ? new TenantClosed() : thrown };
  }
}

/**
 * Rolls back and returns the error to report. A wrong business date takes precedence, because the steps'
 * own error may be a consequence of it.
 */
async function rollBack(connection: DatabasePoolConnection, error: unknown, mode: TransactionMode) {
  try {
    // If the rollback fails, the connection is broken. The error passes through the driver and destroys it.
    await connection.query(isBroken(error) ? ROLLBACK : rollbackStatement(mode));
    return error;
  } catch (rollbackError) {
    const state = sqlStateOf(rollbackError);
    if (state === BUSINESS_DATE_MOVED || state === TENANT_CLOSED) return rollbackError;
    throw rollbackError;
  }
}

/**
 * Sets the tenant and returns the business date; empty if the transaction is undated. A writing transaction
 * assumes the cached date and does not wait; its first statement fails if the date has moved.
 */
async function beginTransaction(
  connection: DatabasePoolConnection,
  tenantId: string,
  mode: AttemptMode,
) {
  if (mode.isUndated) {
    await connection.query(assumeTenantAndDay(tenantId, mode));
    return '';
  }
  const { assumedDay } = mode;
  if (assumedDay !== undefined) {
    await connection.query(assumeTenantAndDay(tenantId, mode, assumedDay));
    return assumedDay;
  }
  const { today, is_tenant_closed } = await connection.one(setTenantAndReadDate(tenantId, mode));
  if (is_tenant_closed) throw new TenantClosed();
  if (today !== null && !isReading(mode)) cacheBusinessDate(tenantId, today);
  return today ?? '';
}

const isBroken = (error: unknown) => sqlStateOf(error) !== undefined || isTransient(error);

/** The tenant is closed and may already be in another database. Nothing is read or written. */
export class TenantClosed extends Error {
  constructor() {
    super('The tenant is closed while it moves to another database.');
  }
}
