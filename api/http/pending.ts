import type { Context } from 'koa';
import { doorOf } from './device.ts';
import { HttpRefusal } from './errors.ts';

const NAME = 'pending_sign_in';
const scopeOf = (ctx: Context) =>
  ({
    httpOnly: true,
    overwrite: true,
    path: doorOf(ctx),
    sameSite: 'strict',
    signed: false,
  }) as const;

/** What the browser goes on with whose sign-in has not ended, or nothing. */
export function pendingCookie(ctx: Context): string {
  const given = ctx.cookies.get(NAME, { signed: false }) ?? '';
  return /^[A-Za-z0-9_-]{43}$/.test(given) ? given : '';
}

export function holdPending(ctx: Context, token: string, seconds: number) {
  ctx.cookies.set(NAME, token, { ...scopeOf(ctx), maxAge: seconds * 1000 });
}

/** Nothing is pending once somebody is in. */
export function dropPending(ctx: Context) {
  if (pendingCookie(ctx) !== '') ctx.cookies.set(NAME, null, scopeOf(ctx));
}

export const signInOver = () =>
  new HttpRefusal(401, 'sign_in_expired', 'This sign-in is over. Begin again.');
