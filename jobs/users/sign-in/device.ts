import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../../sealing/secrets.ts';

/**
 * The cookie of a device on which a user has signed in: a random device name, and for each user a signature
 * over tenant, user and name. It is not stored and grants no access. Failed passwords from a known device
 * are counted separately from those of strangers.
 */
const COOKIE = /^[A-Za-z0-9_-]{22}(\.[A-Za-z0-9_-]{43}){1,5}$/;
const USERS_MAX = 5;
const NIL_USER_ID = '00000000-0000-0000-0000-000000000000';

/** Returns the device's name if the user has signed in on it, otherwise null. */
export function findKnownDevice(
  keys: Keys,
  cookie: string,
  tenantId: string,
  userId: string | null,
) {
  if (!COOKIE.test(cookie)) return null;
  const [name = '', ...marks] = cookie.split('.');
  const expected = marksOf(keys, tenantId, userId ?? NIL_USER_ID, name).map((mark) =>
    Buffer.from(mark),
  );
  const isOurs = (mark: Buffer) =>
    expected.filter((ours) => timingSafeEqual(mark, ours)).length > 0;
  const isKnown = marks.filter((mark) => isOurs(Buffer.from(mark))).length > 0;
  return isKnown && userId !== null ? name : null;
}

/** Adds the user's signature to the cookie. If there are too many, the oldest is dropped. */
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

/** The current key comes first. Signatures under older keys remain valid. */
const marksOf = (keys: Keys, tenantId: string, userId: string, name: string) =>
  keys.signatures(`known-device ${tenantId} ${userId} ${name}`);
