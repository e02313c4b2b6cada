import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware, Next } from 'koa';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from './errors.ts';

const TOKEN = /^[A-Za-z0-9]{32}$/;
const YEAR_MS = 31_449_600_000;
export const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const newCsrfToken = () =>
  Array.from({ length: 32 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/**
 * Django's double-submit check. Every response sets the token in a readable cookie, and every changing
 * request must return it in X-CSRFToken. After login the token must also belong to the session.
 */
export function csrf(routes: readonly Route[]): Middleware {
  const exempt = new Set(routes.filter(isProviderRoute).map(({ path }) => `/api/v1${path}`));
  return (ctx: Context, next: Next) =>
    withCsrfCheck(ctx, exempt.has(ctx.path) ? null : () => ctx.get('X-CSRFToken'), next);
}

/**
 * Continues if the request changes nothing or `given` returns the right token. If `given` is null, no token
 * is required.
 */
export async function withCsrfCheck(ctx: Context, given: (() => string) | null, steps: Next) {
  const sent = csrfCookieOf(ctx);
  const own = sessionTokenOf(ctx);
  ctx.state.csrf_token = own;
  try {
    if (!SAFE_METHODS.has(ctx.method) && given !== null)
      assertCsrfTokens(ctx, { given: given(), sent, own });
    await steps();
  } finally {
    setCsrfCookie(ctx);
  }
}

/** Providers have no cookie. They authenticate with a signature. */
const isProviderRoute = ({ allow }: Route) => allow === 'provider';

const csrfCookieOf = (ctx: Context) => ctx.cookies.get('csrftoken', { signed: false }) ?? '';

const sessionTokenOf = ({ session }: Context) =>
  (session as { csrf_token?: string } | null)?.csrf_token;

/** Returns the session's token, the token that the request sent, or a new one. Refusals carry it too. */
export function csrfTokenFor(ctx: Context): string {
  const sent = csrfCookieOf(ctx);
  return (ctx.state.csrf_token ??=
    sessionTokenOf(ctx) ?? (TOKEN.test(sent) ? sent : newCsrfToken()));
}

export function setCsrfCookie(ctx: Context) {
  ctx.cookies.set('csrftoken', csrfTokenFor(ctx), {
    signed: false,
    httpOnly: false,
    sameSite: 'lax',
    maxAge: YEAR_MS,
    overwrite: true,
    secure: ctx.state.is_secure,
  });
}

/** The cookie and the submitted token must be equal and belong to the session. */
type Tokens = { given: string; sent: string; own: string | undefined };

function assertCsrfTokens(ctx: Context, { given, sent: cookie, own }: Tokens) {
  const origin = ctx.get('Origin');
  const referer = ctx.get('Referer');
  const trusted: string[] = ctx.state.trusted_origins ?? [];
  if (origin && !isSameOrigin(origin, ctx) && !trusted.includes(origin))
    throw csrfRefusal('The Origin is not trusted.');
  if (!origin && ctx.state.is_secure && referer && !isSameOrigin(referer, ctx))
    throw csrfRefusal('The Referer is not trusted.');
  if (!cookie) throw csrfRefusal('The csrftoken cookie is not set.');
  if (!given) throw csrfMissing();
  if (!TOKEN.test(given) || !TOKEN.test(cookie))
    throw csrfRefusal('The CSRF token is malformed. Send the value of the csrftoken cookie.');
  if (
    !isEqualInConstantTime(given, cookie) ||
    (own !== undefined && !isEqualInConstantTime(given, own))
  ) {
    throw csrfRefusal('The CSRF token is wrong. Send the value of the csrftoken cookie.');
  }
}

export const csrfMissing = () =>
  csrfRefusal('The X-CSRFToken header is missing. Send the value of the csrftoken cookie in it.');
const csrfRefusal = (message: string) => new HttpRefusal(403, 'csrf_failed', message);
const isEqualInConstantTime = (one: string, other: string) =>
  timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Whether the URL has the tenant's scheme and host, as this request reached us. */
function isSameOrigin(url: string, ctx: Context): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host } = new URL(url);
  const scheme = ctx.state.is_secure ? 'https:' : protocol;
  const ours = (ctx.state.host as string).replace(protocol === 'https:' ? /:443$/ : /:80$/, '');
  return protocol === scheme && host === ours;
}
