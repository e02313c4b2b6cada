import { createHash, randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type Koa from 'koa';
import session from 'koa-session';
import type { Keys } from '../../jobs/sealing/secrets.ts';
import { isSecondFactorRequired } from '../../jobs/users/second-factors/second-factors.ts';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { SYSTEM, createWithin, type Within, type Work } from '../../jobs/work.ts';
import * as sessions from '../../sql/users/sessions.ts';
import { newCsrfToken, SAFE_METHODS, csrfTokenFor } from './csrf.ts';
import { deviceCookie, rememberDevice } from './device.ts';
import {
  clearPendingLink,
  clearPendingSignIn,
  setPendingLink,
  setPendingSignIn,
  pendingLinkToken,
  pendingSignInToken,
  signInExpired,
} from './pending-sign-in.ts';
import type { User } from './permissions.ts';
import type { Session } from './session-handle.ts';
import type { Databases } from './replica.ts';

export type SessionLimits = Pick<
  Settings['auth'],
  'idle_minutes' | 'portal_idle_minutes' | 'absolute_hours' | 'second_factor'
>;
export const SESSION_LIMITS: SessionLimits = Settings.parse({}).auth;

/** 256 random bits. Any other cookie value has no session. */
const SESSION_ID = /^[A-Za-z0-9_-]{43}$/;
const hashOf = (id: string) => createHash('sha256').update(id).digest('hex');
type SessionData = {
  user_id: string;
  csrf_token: string;
  borrower_id?: string | null;
  second_factor?: sessions.Proof | null;
  /** Set only when a session starts. */
  epoch?: number;
  is_proved?: boolean;
};
const WITHOUT_BUSINESS_DAY = { isUndated: true };
const sessionCookieOf = (ctx: Context) => ctx.cookies.get('sessionid', { signed: false }) ?? '';
const limitsOf = (ctx: Context): SessionLimits => ctx.state.limits ?? SESSION_LIMITS;

/** Runs koa-session with our own table, which stores only hashes and is queried on every request. */
export function sessionMiddleware(app: Koa, databases: Databases, isSecure: boolean): Middleware {
  const within = createWithin(databases.pool, SYSTEM);
  const store = {
    get: (id: string, _maxAge: number, { ctx }: { ctx: Context }) =>
      openSession(ctx, databases, id),
    set: (id: string, data: SessionData, _maxAge: number, { ctx }: { ctx: Context }) =>
      saveNewSession(ctx, within, id, data),
    destroy: (id: string, { ctx }: { ctx: Context }) => endSession(ctx, within, id),
  };
  return session(
    {
      key: 'sessionid',
      httpOnly: true,
      signed: false,
      overwrite: true,
      secure: isSecure,
      sameSite: 'lax',
      maxAge: SESSION_LIMITS.absolute_hours * 3_600_000,
      rolling: false,
      renew: false,
      genid: () => randomBytes(32).toString('base64url'),
      store,
    } as never,
    app as never,
  );
}

/** Returns the session with this id, and keeps its user and rules in the request's state. */
async function openSession(ctx: Context, { pool, replica }: Databases, id: string) {
  if (!SESSION_ID.test(id)) return undefined;
  const writes = replica !== undefined && !SAFE_METHODS.has(ctx.method);
  const found = await sessions.openSession(pool, ctx.state.tenant.id, hashOf(id), writes);
  if (found === null) return undefined;
  // If the tenant requires two factors, a session started with one is no longer valid.
  if (found.second_factor === null && isSecondFactorRequired(limitsOf(ctx), found))
    return undefined;
  const { user_id, csrf_token, rules, has_just_written, ...user } = found;
  ctx.state.user = { id: user_id, ...user } satisfies User;
  Object.assign(ctx.state, { rules, has_just_written });
  return { user_id, csrf_token };
}

/** Stores a session that starts. Throws 401 if the sign-in is no longer valid. */
async function saveNewSession(ctx: Context, within: Within, id: string, data: SessionData) {
  // koa-session saves a new session again at the end of the request. It is already stored.
  if (ctx.state.begun_session === id) return;
  const { tenant, ip } = ctx.state as { tenant: { id: string }; ip: string };
  const limits = limitsOf(ctx);
  const idle = data.borrower_id ? limits.portal_idle_minutes : limits.idle_minutes;
  const row = {
    id_hash: hashOf(id),
    user_id: data.user_id,
    csrf_token: data.csrf_token,
    idle_seconds: idle * 60,
    absolute_seconds: limits.absolute_hours * 3600,
    ip,
    user_agent: ctx.get('User-Agent').slice(0, 300),
    second_factor: data.second_factor ?? null,
    epoch: data.epoch ?? -1,
    is_proved: data.is_proved ?? false,
  };
  const start = ({ tx }: Work) => sessions.startSession(tx, row);
  if (!(await within(tenant.id, start, WITHOUT_BUSINESS_DAY))) throw signInExpired();
  ctx.state.begun_session = id;
}

/** Ends a session that came with this request or started in it. */
async function endSession(ctx: Context, within: Within, id: string) {
  if (!SESSION_ID.test(id) || (id !== sessionCookieOf(ctx) && id !== ctx.state.begun_session))
    return;
  const revoke = ({ tx }: Work) => sessions.revokeSession(tx, hashOf(id));
  await within(ctx.state.tenant.id, revoke, WITHOUT_BUSINESS_DAY);
}

/** Whether the request carries a session of this tenant that is no longer valid. */
export async function hasEndedSession(ctx: Context, within: Within): Promise<boolean> {
  const id = sessionCookieOf(ctx);
  if (!SESSION_ID.test(id)) return false;
  const { tenant } = ctx.state as { tenant: { id: string } };
  return within(tenant.id, ({ tx }) => sessions.sessionExists(tx, hashOf(id)), { readOnly: true });
}

/** Returns the session of one request for its endpoint. */
export function sessionFor(ctx: Context, keys: Keys): Session {
  return {
    begin: async ({ id, ...how }) => {
      const csrf_token = newCsrfToken();
      ctx.session = { user_id: id, csrf_token, ...how } as never;
      await (ctx.session as unknown as { regenerate: () => Promise<void> }).regenerate();
      ctx.state.csrf_token = csrf_token;
      rememberDevice(ctx, keys, id);
      clearPendingSignIn(ctx);
    },
    hold: ({ token, seconds }) => setPendingSignIn(ctx, token, seconds),
    pending: pendingSignInToken(ctx),
    holdLink: ({ token, seconds }) => setPendingLink(ctx, token, seconds),
    pending_link: pendingLinkToken(ctx),
    dropLink: () => clearPendingLink(ctx),
    end: () => {
      ctx.session = null;
      ctx.state.user = null;
    },
    remember: (userId) => rememberDevice(ctx, keys, userId),
    device: deviceCookie(ctx),
    csrf_token: () => csrfTokenFor(ctx),
  };
}
