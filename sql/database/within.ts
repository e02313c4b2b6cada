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

/** Errors that mean "the same steps may succeed a moment later". */
const PASSING = new Set(['40001', '40P01', '55P03', BUSINESS_DATE_MOVED]);
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
    // What is repeated asks: others may have been told of the day before, by a standby, meanwhile.
    const supposed = attempt === 1 ? supposedOf(tenantId, mode) : undefined;
    const outcome = await inTurnOf(pool, tenantId, () =>
      pool.connect((connection) => once(connection, tenantId, noted, { ...mode, supposed })),
    );
    if ('result' in outcome) return outcome.result;
    const state = sqlStateOf(outcome.error) ?? '';
    const passing = mode.isRepeated !== false && PASSING.has(state);
    const isOtherDay = state === BUSINESS_DATE_MOVED;
    // A day that was asked for and is said to be past once more would be so for ever.
    const isOver = isOtherDay ? day === mistaken : attempt > RETRIES || Date.now() > deadline;
    // However long it waited, for a connection or a lock: on the other day it begins for the first time.
    if (isOtherDay) [mistaken, deadline] = [day, Date.now() + RETRY_BUDGET_MS];
    if (!passing || isOver) throw outcome.error;
    await new Promise((resolve) =>
      setTimeout(resolve, Math.random() * Math.min(200, 5 * 2 ** attempt)),
    );
  }
}

type Begun = TransactionMode & { supposed: string | undefined };
type Outcome<Result> = { result: Result } | { error: unknown };

/** The day that each tenant was last seen at: what a transaction may suppose, and has to prove. */
const days = new Map<string, string>();
const DAYS_MAX = 10_000;

/** What has only been read is not remembered: a standby may be a day behind. */
function remember(tenantId: string, today: string) {
  if (days.size >= DAYS_MAX) days.clear();
  days.set(tenantId, today);
}

const isReading = ({ readOnly = false, snapshot = false }: TransactionMode) => readOnly || snapshot;

const supposedOf = (tenantId: string, mode: TransactionMode) =>
  isReading(mode) || mode.isRepeated === false ? undefined : days.get(tenantId);

/** Whoever moves the date says so here, so that the next transaction does not begin in vain. */
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

/** Answers why it is undone: on another day than was supposed the steps may not have refused. */
async function undone(connection: DatabasePoolConnection, error: unknown, mode: TransactionMode) {
  try {
    // A connection that cannot roll back is broken: that error goes through and destroys it.
    await connection.query(isBroken(error) ? ROLLBACK : rollbackStatement(mode));
    return error;
  } catch (worse) {
    const state = sqlStateOf(worse);
    if (state === BUSINESS_DATE_MOVED || state === TENANT_CLOSED) return worse;
    throw worse;
  }
}

/**
 * Answers the date; empty where nobody asks for it. What is written waits for no answer on a day that
 * is as it was before: it goes on, and fails with its first statement where another day has begun.
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

/** Whether it was the database that failed, and not the steps that refused. */
const isBroken = (error: unknown) => sqlStateOf(error) !== undefined || isTransient(error);

/** The tenant is closed, and may be in another database already: nothing is read or written. */
export class TenantClosed extends Error {
  constructor() {
    super('The tenant is closed while it moves.');
  }
}
