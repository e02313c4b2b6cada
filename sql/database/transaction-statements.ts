import { sql, type QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { ASSUMED, FIRE_AND_FORGET, DEFERRED } from './driver.ts';

export type TransactionMode = {
  readOnly?: boolean;
  snapshot?: boolean;
  timeout?: string;
  /** The HTTP request behind the transaction. Events and jobs keep it for tracing. */
  request_id?: string | null;
  /**
   * The transaction does not need the business date, so its settings are sent together with its first
   * statement.
   */
  isUndated?: boolean;
  /** Failures are not retried here, because the caller has another server to try. */
  isRepeated?: false;
};

const withName = (query: QuerySqlToken, name: string) => Object.freeze({ ...query, name });

const BEGIN = withName(sql.unsafe`begin`, DEFERRED);
const BEGIN_READING = withName(sql.unsafe`begin read only`, DEFERRED);
const BEGIN_SNAPSHOT = withName(
  sql.unsafe`begin isolation level repeatable read read only`,
  DEFERRED,
);

export const beginStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  snapshot ? BEGIN_SNAPSHOT : readOnly ? BEGIN_READING : BEGIN;

const COMMIT = sql.unsafe`commit`;
/** Nothing depends on the end of a read-only transaction, so its commit is not awaited. */
const COMMIT_UNAWAITED = withName(COMMIT, FIRE_AND_FORGET);

export const endStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  readOnly || snapshot ? COMMIT_UNAWAITED : COMMIT;

/** Awaited, because a connection that cannot roll back must not be reused. */
export const ROLLBACK = sql.unsafe`rollback`;
/**
 * A read-only transaction holds no locks, so its rollback is not awaited. For others the rollback is
 * awaited, because the client may retry immediately.
 */
const DROP = withName(ROLLBACK, FIRE_AND_FORGET);

/** For a rollback after the steps threw an error, on a connection that works. */
export const rollbackStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  readOnly || snapshot ? DROP : ROLLBACK;

const Today = z.object({ today: z.string().nullable(), is_tenant_closed: z.boolean() });

/** All settings end with the transaction. They are set before the date is read, from left to right. */
export function setTenantAndReadDate(tenantId: string, { timeout, request_id }: TransactionMode) {
  const request = request_id ?? '';
  if (timeout === undefined)
    return sql.prepared('tenant', Today)`
      select set_config('app.tenant_id', ${tenantId}, true),
             set_config('app.request_id', ${request}, true),
             app.business_date() as today, app.is_tenant_closed() as is_tenant_closed
    `;
  return sql.prepared('tenant_and_timeout', Today)`
    select set_config('app.tenant_id', ${tenantId}, true),
           set_config('app.request_id', ${request}, true),
           set_config('statement_timeout', ${timeout}, true),
           app.business_date() as today, app.is_tenant_closed() as is_tenant_closed
  `;
}

/** The SQLSTATE of app.refuse_closed_tenant(). */
export const TENANT_CLOSED = 'TSHUT';

/** The SQLSTATE of app.assert_business_date(). */
export const BUSINESS_DATE_MOVED = 'TODAY';

/**
 * Sets the tenant without waiting for an answer. Postgres rejects the following statements if the tenant is
 * closed, or if a day is given and the business date differs.
 */
export function assumeTenantAndDay(
  tenantId: string,
  { timeout, request_id }: TransactionMode,
  day: string | null = null,
) {
  const query = sql.type(z.unknown())`
    select set_config('app.tenant_id', ${tenantId}, true),
           set_config('app.request_id', ${request_id ?? ''}, true),
           set_config(
             'statement_timeout', coalesce(${timeout ?? null}, current_setting('statement_timeout')), true
           ),
           app.refuse_closed_tenant(), app.assert_business_date(${day}::date)
  `;
  return withName(query, `${day === null ? DEFERRED : ASSUMED} setting_ahead`);
}
