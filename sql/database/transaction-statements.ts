import { sql, type QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { ASSUMED, FIRE_AND_FORGET, DEFERRED } from './driver.ts';

/** What a transaction may do, and for how long. */
export type TransactionMode = {
  readOnly?: boolean;
  snapshot?: boolean;
  /** Ends a statement of this transaction that takes longer, as in '5s'. */
  timeout?: string;
  /** The request that it is done for, by which its events and jobs are found again. */
  request_id?: string | null;
  /** Nothing in it asks what day it is, so its first statement goes along with its settings. */
  isUndated?: boolean;
  /** What fails is not repeated here: whoever asks has somewhere else to ask. */
  isRepeated?: false;
};

const named = (query: QuerySqlToken, name: string) => Object.freeze({ ...query, name });

/** Nothing is known of a beginning before something is asked, so both go together. */
const BEGIN = named(sql.unsafe`begin`, DEFERRED);
const BEGIN_READING = named(sql.unsafe`begin read only`, DEFERRED);
const BEGIN_SNAPSHOT = named(sql.unsafe`begin isolation level repeatable read read only`, DEFERRED);

export const beginStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  snapshot ? BEGIN_SNAPSHOT : readOnly ? BEGIN_READING : BEGIN;

const COMMIT = sql.unsafe`commit`;
/** Nothing depends on the end of what has only read, so nobody waits for it. */
const LET_GO = named(COMMIT, FIRE_AND_FORGET);

export const endStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  readOnly || snapshot ? LET_GO : COMMIT;

/** Waited for, because a connection that cannot roll back must not be used again. */
export const ROLLBACK = sql.unsafe`rollback`;
/** Nothing is held by steps that have only read; whoever is told of another refusal may ask again at once. */
const DROP = named(ROLLBACK, FIRE_AND_FORGET);

/** After steps that have refused, on a connection that is known to work. */
export const rollbackStatement = ({ readOnly = false, snapshot = false }: TransactionMode) =>
  readOnly || snapshot ? DROP : ROLLBACK;

const Today = z.object({ today: z.string().nullable(), is_tenant_closed: z.boolean() });

/** All settings end with the transaction, and are made before the date is read, from left to right. */
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

/** What app.refuse_closed_tenant() fails with. */
export const TENANT_CLOSED = 'TSHUT';

/** What app.assert_business_date() fails with. */
export const BUSINESS_DATE_MOVED = 'TODAY';

/**
 * The same without its answer, so the database itself refuses what comes along with it: where the tenant
 * is shut, and where a day is supposed, on any other.
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
  return named(query, `${day === null ? DEFERRED : ASSUMED} setting_ahead`);
}
