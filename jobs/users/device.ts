import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../sealing/secrets.ts';

/**
 * A device on which somebody has signed in keeps a cookie: a random name of its own, and for each user
 * a signature of the installation over tenant, user and that name. Nothing of it is kept here, and it
 * opens nothing: tries at a password from there are counted apart from those of strangers.
 */
const COOKIE = /^[A-Za-z0-9_-]{22}(\.[A-Za-z0-9_-]{43}){1,5}$/;
const USERS_MAX = 5;
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The device's name where the user has signed in on it, or null. */
export function findKnownDevice(
  keys: Keys,
  cookie: string,
  tenantId: string,
  userId: string | null,
) {
  if (!COOKIE.test(cookie)) return null;
  const [name = '', ...marks] = cookie.split('.');
  const expected = marksOf(keys, tenantId, userId ?? NOBODY, name).map((mark) => Buffer.from(mark));
  const isOurs = (mark: Buffer) =>
    expected.filter((ours) => timingSafeEqual(mark, ours)).length > 0;
  const isKnown = marks.filter((mark) => isOurs(Buffer.from(mark))).length > 0;
  return isKnown && userId !== null ? name : null;
}

/** The cookie with the user's mark in it, which takes the place of the oldest of too many. */
export function addUserToDevice(
  keys: Keys,
  cookie: string,
  tenantId: string,
  userId: string,
): string {
  const [name = '', ...marks] = COOKIE.test(cookie)
    ? cookie.split('.')
    : [randomBytes(16).toString('base64url')];
  const [mark] = marksOf(keys, tenantId, userId, name);
  const others = marks.filter((known) => known !== mark).slice(0, USERS_MAX - 1);
  return [name, mark, ...others].join('.');
}

/** Under the current key first; marks under keys before it are still known. */
const marksOf = (keys: Keys, tenantId: string, userId: string, name: string) =>
  keys.signatures(`known-device ${tenantId} ${userId} ${name}`);
