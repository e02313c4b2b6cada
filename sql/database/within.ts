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
import { inTurnOf } from './tenant-shares.ts';

/** SQLSTATEs after which the transaction is repeated. */
const PASSING = new Set(['40001', '40P01', '55P03', BUSINESS_DATE_MOVED]);
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
  let mistaken: string | undefined;
  const noted: typeof steps = (tx, today) => {
    day = today;
    return steps(tx, today);
  };
  for (let attempt = 1; ; attempt += 1) {
    // A retry reads the date instead of assuming it, because a transaction on a standby may have cached the
    // previous date in the meantime.
    const supposed = attempt === 1 ? supposedOf(tenantId, mode) : undefined;
    const outcome = await inTurnOf(pool, tenantId, () =>
      pool.connect((connection) => once(connection, tenantId, noted, { ...mode, supposed })),
    );
    if ('result' in outcome) return outcome.result;
    const state = sqlStateOf(outcome.error) ?? '';
    const passing = mode.isRepeated !== false && PASSING.has(state);
    const isOtherDay = state === BUSINESS_DATE_MOVED;
    // If the date that was just read is rejected again, further retries would not help.
    const isOver = isOtherDay ? day === mistaken : attempt > RETRIES || Date.now() > deadline;
    // On the new date the retry budget starts again, however long the first attempt waited for a connection
    // or a lock.
    if (isOtherDay) [mistaken, deadline] = [day, Date.now() + RETRY_BUDGET_MS];
    if (!passing || isOver) throw outcome.error;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)),
    );
  }
}

type Begun = TransactionMode & { supposed: string | undefined };
type Outcome<Result> = { result: Result } | { error: unknown };

/**
 * The business date of each tenant as this process last read it. Transactions assume it, and Postgres
 * rejects it if it has moved.
 */
const days = new Map<string, string>();
const DAYS_MAX = 10_000;

/** Dates from read-only transactions are not cached, because a standby may be a day behind. */
function remember(tenantId: string, today: string) {
  if (days.size >= DAYS_MAX) days.clear();
  days.set(tenantId, today);
}

const isReading = ({ readOnly = false, snapshot = false }: TransactionMode) => readOnly || snapshot;

const supposedOf = (tenantId: string, mode: TransactionMode) =>
  isReading(mode) || mode.isRepeated === false ? undefined : days.get(tenantId);

/** Call after moving the date, so that the next transaction does not start with the old one. */
export const forgetBusinessDate = (tenantId: string) => days.delete(tenantId);

async function once<Result>(
  connection: DatabasePoolConnection,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: Begun,
): Promise<Outcome<Result>> {
  await connection.query(beginStatement(mode));
  try {
    const result = await steps(connection, await settingOut(connection, tenantId, mode));
    await connection.query(endStatement(mode));
    return { result };
  } catch (error) {
    const thrown = await undone(connection, error, mode);
    if (sqlStateOf(thrown) === BUSINESS_DATE_MOVED) forgetBusinessDate(tenantId);
    return { error: sqlStateOf(thrown) === TENANT_CLOSED ? new TenantClosed() : thrown };
  }
}

/**
 * Rolls back and returns the error to report. A wrong business date takes precedence, because the steps'
 * own error may be a consequence of it.
 */
async function undone(connection: DatabasePoolConnection, error: unknown, mode: TransactionMode) {
  try {
    // If the rollback fails, the connection is broken. The error passes through the driver and destroys it.
    await connection.query(isBroken(error) ? ROLLBACK : rollbackStatement(mode));
    return error;
  } catch (worse) {
    const state = sqlStateOf(worse);
    if (state === BUSINESS_DATE_MOVED || state === TENANT_CLOSED) return worse;
    throw worse;
  }
}

/**
 * Sets the tenant and returns the business date; empty if the transaction is undated. A writing transaction
 * assumes the cached date and does not wait; its first statement fails if the date has moved.
 */
async function settingOut(connection: DatabasePoolConnection, tenantId: string, mode: Begun) {
  if (mode.isUndated) {
    await connection.query(assumeTenantAndDay(tenantId, mode));
    return '';
  }
  const { supposed } = mode;
  if (supposed !== undefined) {
    await connection.query(assumeTenantAndDay(tenantId, mode, supposed));
    return supposed;
  }
  const { today, is_tenant_closed } = await connection.one(setTenantAndReadDate(tenantId, mode));
  if (is_tenant_closed) throw new TenantClosed();
  if (today !== null && !isReading(mode)) remember(tenantId, today);
  return today ?? '';
}

const isBroken = (error: unknown) => sqlStateOf(error) !== undefined || isTransient(error);

/** The tenant is closed and may already be in another database. Nothing is read or written. */
export class TenantClosed extends Error {
  constructor() {
    super('The tenant is closed while it moves.');
  }
}
