import type { Context } from 'koa';
import { signInCookiePath } from './device.ts';
import { HttpRefusal } from './errors.ts';

const NAME = 'pending_sign_in';
const LINK = 'pending_link';
const cookieOptions = (ctx: Context) =>
  ({
    httpOnly: true,
    overwrite: true,
    path: signInCookiePath(ctx),
    sameSite: 'strict',
    signed: false,
  }) as const;

/** The browser's token of an unfinished sign-in, if any. */
export const pendingSignInToken = (ctx: Context) => cookieOf(ctx, NAME);

/** The browser's token of a provider sign-in that waits for consent, if any. */
export const pendingLinkToken = (ctx: Context) => cookieOf(ctx, LINK);

function cookieOf(ctx: Context, name: string): string {
  const given = ctx.cookies.get(name, { signed: false }) ?? '';
  return /^[A-Za-z0-9_-]{43}$/.test(given) ? given : '';
}

export function setPendingSignIn(ctx: Context, token: string, seconds: number) {
  ctx.cookies.set(NAME, token, { ...cookieOptions(ctx), maxAge: seconds * 1000 });
}

export function setPendingLink(ctx: Context, token: string, seconds: number) {
  ctx.cookies.set(LINK, token, { ...cookieOptions(ctx), maxAge: seconds * 1000 });
}

export const clearPendingLink = (ctx: Context) => ctx.cookies.set(LINK, null, cookieOptions(ctx));

/** Deletes both cookies after a completed sign-in. */
export function clearPendingSignIn(ctx: Context) {
  if (pendingSignInToken(ctx) !== '') ctx.cookies.set(NAME, null, cookieOptions(ctx));
}

export const signInExpired = () =>
  new HttpRefusal(401, 'sign_in_expired', 'This sign-in has expired. Start again.');
