import type { Context } from 'koa';
import type { Keys } from '../../jobs/sealing/secrets.ts';
import { addUserToDevice } from '../../jobs/users/device.ts';

const NAME = 'known_device';
/** Where somebody signs in: cookies about that go there and nowhere else. */
export const signInCookiePath = (ctx: Context): string => ctx.state.door ?? '/api/v1/auth';

const A_YEAR_MS = 365 * 86_400_000;

/** What the device says of itself; whether it is true is jobs/users/device.ts's to tell. */
export const deviceCookie = (ctx: Context) => ctx.cookies.get(NAME, { signed: false }) ?? '';

/** Has the device know that the user has signed in on it. Sent to where passwords are tried alone. */
export function rememberDevice(ctx: Context, keys: Keys, userId: string) {
  const { tenant } = ctx.state as { tenant: { id: string } };
  ctx.cookies.set(NAME, addUserToDevice(keys, deviceCookie(ctx), tenant.id, userId), {
    httpOnly: true,
    maxAge: A_YEAR_MS,
    overwrite: true,
    path: signInCookiePath(ctx),
    sameSite: 'lax',
    signed: false,
  });
}
