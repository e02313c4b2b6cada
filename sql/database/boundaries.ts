import { sql, type QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { SUPPOSED, UNAWAITED, UNREAD } from './driver.ts';

/** What a transaction may do, and for how long. */
export type Mode = {
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
const BEGIN = named(sql.unsafe`begin`, UNREAD);
const BEGIN_READING = named(sql.unsafe`begin read only`, UNREAD);
const BEGIN_SNAPSHOT = named(sql.unsafe`begin isolation level repeatable read read only`, UNREAD);

export const beginning = ({ readOnly = false, snapshot = false }: Mode) =>
  snapshot ? BEGIN_SNAPSHOT : readOnly ? BEGIN_READING : BEGIN;

const COMMIT = sql.unsafe`commit`;
/** Nothing depends on the end of what has only read, so nobody waits for it. */
const LET_GO = named(COMMIT, UNAWAITED);

export const ending = ({ readOnly = false, snapshot = false }: Mode) =>
  readOnly || snapshot ? LET_GO : COMMIT;

/** Waited for, because a connection that cannot roll back must not be used again. */
export const ROLLBACK = sql.unsafe`rollback`;
/** Nothing is held by steps that have only read; whoever is told of another refusal may ask again at once. */
const DROP = named(ROLLBACK, UNAWAITED);

/** After steps that have refused, on a connection that is known to work. */
export const undoing = ({ readOnly = false, snapshot = false }: Mode) =>
  readOnly || snapshot ? DROP : ROLLBACK;

const Today = z.object({ today: z.string().nullable(), is_shut: z.boolean() });

/** All settings end with the transaction, and are made before the date is read, from left to right. */
export function setting(tenantId: string, { timeout, request_id }: Mode) {
  const request = request_id ?? '';
  if (timeout === undefined)
    return sql.prepared('tenant', Today)`
      select set_config('app.tenant_id', ${tenantId}, true),
             set_config('app.request_id', ${request}, true),
             app.business_date() as today, app.is_shut() as is_shut
    `;
  return sql.prepared('tenant_and_timeout', Today)`
    select set_config('app.tenant_id', ${tenantId}, true),
           set_config('app.request_id', ${request}, true),
           set_config('statement_timeout', ${timeout}, true),
           app.business_date() as today, app.is_shut() as is_shut
  `;
}

/** What app.refuse_shut() fails with. */
export const SHUT = 'TSHUT';

/** What app.refuse_other_day() fails with. */
export const OTHER_DAY = 'TODAY';

/**
 * The same without its answer, so the database itself refuses what comes along with it: where the tenant
 * is shut, and where a day is supposed, on any other.
 */
export function settingAhead(
  tenantId: string,
  { timeout, request_id }: Mode,
  day: string | null = null,
) {
  const query = sql.type(z.unknown())`
    select set_config('app.tenant_id', ${tenantId}, true),
           set_config('app.request_id', ${request_id ?? ''}, true),
           set_config(
             'statement_timeout', coalesce(${timeout ?? null}, current_setting('statement_timeout')), true
           ),
           app.refuse_shut(), app.refuse_other_day(${day}::date)
  `;
  return named(query, `${day === null ? UNREAD : SUPPOSED} setting_ahead`);
}
