import type { Context } from 'koa';
import type { Keys } from '../../jobs/sealing/secrets.ts';
import { addUserToDevice } from '../../jobs/users/sign-in/device.ts';

const NAME = 'known_device';
/** The cookies of a sign-in are sent only to the path where the user signs in. */
export const signInCookiePath = (ctx: Context): string => ctx.state.cookiePath ?? '/api/v1/auth';

const COOKIE_AGE_MS = 365 * 86_400_000;

/** The device's claim. jobs/users/sign-in/device.ts verifies it. */
export const deviceCookie = (ctx: Context) => ctx.cookies.get(NAME, { signed: false }) ?? '';

/**
 * Stores in the browser that the user has signed in on this device. The cookie is sent only to sign-in
 * paths.
 */
export function rememberDevice(ctx: Context, keys: Keys, userId: string) {
  const { tenant } = ctx.state as { tenant: { id: string } };
  ctx.cookies.set(NAME, addUserToDevice(keys, deviceCookie(ctx), tenant.id, userId), {
    httpOnly: true,
    maxAge: COOKIE_AGE_MS,
    overwrite: true,
    path: signInCookiePath(ctx),
    sameSite: 'lax',
    signed: false,
  });
}
