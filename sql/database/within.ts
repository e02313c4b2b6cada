import type { DatabasePool, DatabasePoolConnection } from 'slonik';
import {
  beginning,
  ending,
  OTHER_DAY,
  ROLLBACK,
  setting,
  settingAhead,
  SHUT,
  undoing,
  type Mode,
} from './boundaries.ts';
import { sqlStateOf, type Transaction } from './db.ts';
import { isPassing } from './passing.ts';
import { inTurnOf } from './tenant-shares.ts';

/** Errors that mean "the same steps may succeed a moment later". */
const PASSING = new Set(['40001', '40P01', '55P03', OTHER_DAY]);
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
    const isOtherDay = state === OTHER_DAY;
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

type Begun = Mode & { supposed: string | undefined };
type Outcome<Result> = { result: Result } | { error: unknown };

/** The day that each tenant was last seen at: what a transaction may suppose, and has to prove. */
const days = new Map<string, string>();
const DAYS_MAX = 10_000;

/** What has only been read is not remembered: a standby may be a day behind. */
function remember(tenantId: string, today: string) {
  if (days.size >= DAYS_MAX) days.clear();
  days.set(tenantId, today);
}

const isReading = ({ readOnly = false, snapshot = false }: Mode) => readOnly || snapshot;

const supposedOf = (tenantId: string, mode: Mode) =>
  isReading(mode) || mode.isRepeated === false ? undefined : days.get(tenantId);

/** Whoever moves the date says so here, so that the next transaction does not begin in vain. */
export const supposeNoDay = (tenantId: string) => days.delete(tenantId);

async function once<Result>(
  connection: DatabasePoolConnection,
  tenantId: string,
  steps: (tx: Transaction, today: string) => Promise<Result>,
  mode: Begun,
): Promise<Outcome<Result>> {
  await connection.query(beginning(mode));
  try {
    const result = await steps(connection, await settingOut(connection, tenantId, mode));
    await connection.query(ending(mode));
    return { result };
  } catch (error) {
    const thrown = await undone(connection, error, mode);
    if (sqlStateOf(thrown) === OTHER_DAY) supposeNoDay(tenantId);
    return { error: sqlStateOf(thrown) === SHUT ? new TenantShut() : thrown };
  }
}

/** Answers why it is undone: on another day than was supposed the steps may not have refused. */
async function undone(connection: DatabasePoolConnection, error: unknown, mode: Mode) {
  try {
    // A connection that cannot roll back is broken: that error goes through and destroys it.
    await connection.query(isBroken(error) ? ROLLBACK : undoing(mode));
    return error;
  } catch (worse) {
    const state = sqlStateOf(worse);
    if (state === OTHER_DAY || state === SHUT) return worse;
    throw worse;
  }
}

/**
 * Answers the date; empty where nobody asks for it. What is written waits for no answer on a day that
 * is as it was before: it goes on, and fails with its first statement where another day has begun.
 */
async function settingOut(connection: DatabasePoolConnection, tenantId: string, mode: Begun) {
  if (mode.isUndated) {
    await connection.query(settingAhead(tenantId, mode));
    return '';
  }
  const { supposed } = mode;
  if (supposed !== undefined) {
    await connection.query(settingAhead(tenantId, mode, supposed));
    return supposed;
  }
  const { today, is_shut } = await connection.one(setting(tenantId, mode));
  if (is_shut) throw new TenantShut();
  if (today !== null && !isReading(mode)) remember(tenantId, today);
  return today ?? '';
}

/** Whether it was the database that failed, and not the steps that refused. */
const isBroken = (error: unknown) => sqlStateOf(error) !== undefined || isPassing(error);

/** The tenant is closed, and may be in another database already: nothing is read or written. */
export class TenantShut extends Error {
  constructor() {
    super('The tenant is closed while it moves.');
  }
}
