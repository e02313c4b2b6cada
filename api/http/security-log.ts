import type { DatabasePool } from 'slonik';
import type { Installation } from '../../jobs/installation.ts';
import type { Log } from '../../jobs/monitoring/log.ts';
import { writeSecurityLog, type SecurityEvent } from '../../jobs/users/security-log.ts';
import { createWithin, type Actor, type Work } from '../../jobs/work.ts';
import type { Route } from '../endpoints/route.ts';
import { errorAnswer, HttpRefusal } from './errors.ts';
import { BodyNotReceived } from './not-received.ts';

/** The operations log these events themselves, because only they know whose password or factor it was. */
const LOGGED_BY_OPERATION = new Set(['password_reset', 'password_change', 'second_factor_add']);

const routeName = ({ method, path }: Route) => `${method} ${path}`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const findUuid = (...values: unknown[]) =>
  values.find((value): value is string => typeof value === 'string' && UUID.test(value)) ?? null;

type RequestInput = { body?: unknown; params?: Record<string, string> };
const fieldOf = (body: unknown, field: string): unknown => {
  const given = (body ?? {}) as Record<string, unknown>;
  return Object.hasOwn(given, field) ? given[field] : undefined;
};

/** Extracts the user and record concerned from the request and its answer. */
function securitySubject(route: Route, { body, params = {} }: RequestInput, answer?: unknown) {
  const email = route.allow === 'anyone' ? fieldOf(body, 'email') : undefined;
  return {
    route: routeName(route),
    subject_id: findUuid(params['id'], fieldOf(body, 'user_id'), fieldOf(answer, 'id')),
    ...(typeof email === 'string' && email.length <= 254 && { email }),
  };
}

/** The event for the answer of a watched endpoint. An answer without a download link is not a download. */
export function securityEventOfAnswer(
  route: Route,
  request: RequestInput,
  answer: unknown,
): SecurityEvent | null {
  const event = route.security_event;
  if (event === undefined || fieldOf(answer, 'download_url') === null) return null;
  const isSignIn = event === 'sign_in';
  // A second factor or the consent to a link is still missing, so the user is not signed in yet.
  const wanted = fieldOf(answer, 'second_factor') ?? fieldOf(answer, 'link');
  if (isSignIn && wanted !== undefined) return null;
  return {
    ...securitySubject(route, request, answer),
    event,
    outcome: 'done',
    ...(isSignIn && { user_id: findUuid(fieldOf(answer, 'id')), email: null }),
  };
}

/**
 * The event for a thrown error: a refusal by role on any endpoint, or any refusal by a watched endpoint.
 */
export function securityEventOfError(
  route: Route,
  request: RequestInput,
  error: unknown,
): SecurityEvent | null {
  // The request did not arrive, so nothing was attempted.
  if (error instanceof BodyNotReceived) return null;
  const answer = errorAnswer(error, route.method);
  const { status = 500, body: { code: reason } = { code: 'internal_error' } } = answer ?? {};
  const isByRole = status === 403 && reason === 'permission_denied';
  const event = route.security_event ?? (isByRole ? 'access' : undefined);
  if (event === undefined || reason === 'not_authenticated') return null;
  return {
    ...securitySubject(route, request),
    event,
    outcome: status < 500 ? 'refused' : 'failed',
    reason,
    ...(error instanceof HttpRefusal && error.user_id && { user_id: error.user_id }),
  };
}

/** Refusals per minute that are logged one by one, for each user or each address without a session. */
export const REFUSALS_PER_MINUTE = 20;
const REFUSED_MAX = 1_000;
const MINUTE_MS = 60_000;

type Refusal = { tenantId: string; actor: Actor; event: SecurityEvent };
export type SecurityLog = ReturnType<typeof openSecurityLog>;

/**
 * Writes the security log of one process. A success is written in the transaction of the operation. A
 * refusal needs its own transaction, because the request's is rolled back.
 *
 * From the twenty-first refusal within a minute on, refusals are only counted. The count becomes one row at
 * the end of the minute.
 */
export function openSecurityLog(pool: DatabasePool, installation: Installation, log: Log) {
  let rows = new Map<string, number>();
  let counted = new Map<string, Refusal>();
  const say = ({ event, actor, tenantId }: Refusal) => {
    const { request_id, ip: address } = actor;
    const { email: _, route: called, reason: code, ...details } = event;
    const [method, route] = called.split(' ');
    const user = event.user_id ?? actor.id ?? undefined;
    const line = { ...details, code, method, route, user, tenant: tenantId, request_id, address };
    log.info({ security: true, ...line, subject: event.subject_id ?? undefined }, 'security');
  };
  const write = async (refusal: Refusal) => {
    const { tenantId, actor, event } = refusal;
    say(refusal);
    try {
      const within = createWithin(pool, actor, installation);
      await within(tenantId, (work) => writeSecurityLog(work, event), { isUndated: true });
    } catch (error) {
      // The refusal stands even if it cannot be logged.
      log.error({ err: error, request_id: actor.request_id }, 'the security log is not written');
    }
  };
  const flush = async () => {
    const due = [...counted.values()];
    rows = new Map();
    counted = new Map();
    for (const event of due) await write(event);
  };
  setInterval(() => void flush(), MINUTE_MS).unref();
  return {
    flush,
    /** Writes the event in the transaction of the operation, so that neither exists without the other. */
    done: async (work: Work, event: SecurityEvent) => {
      if (!LOGGED_BY_OPERATION.has(event.event)) await writeSecurityLog(work, event);
      say({ tenantId: work.tenant_id, actor: work.actor, event });
    },
    refused: async (refusal: Refusal) => {
      const { tenantId, actor, event } = refusal;
      const source = `${tenantId} ${actor.id ?? actor.ip}`;
      const key = rows.has(source) || rows.size < REFUSED_MAX ? source : `${tenantId} others`;
      const before = rows.get(key) ?? 0;
      rows.set(key, before + 1);
      if (before < REFUSALS_PER_MINUTE) return write(refusal);
      const sum = `${key} ${event.event} ${event.reason}`;
      const known = counted.get(sum);
      const { email: _, ...plain } = event;
      const occurrences = (known?.event.occurrences ?? 0) + 1;
      const counter = key === source ? actor : { ...actor, id: null, ip: null };
      counted.set(sum, { tenantId, actor: counter, event: { ...plain, occurrences } });
      return undefined;
    },
  };
}
