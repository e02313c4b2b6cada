import { createHmac, timingSafeEqual } from 'node:crypto';
import { DEFAULT_KEY_ID, findKey, parseKeys, findSecretProblems } from '../sealing/keys.ts';
import type { Link } from './files.ts';

/**
 * The rest of a link's path: upload/{token} or download/{token}. The token contains the permission, its
 * expiry, a key id and a signature. It needs no cookie.
 */
export function signLink(link: Link, secret: string): string {
  const [problem] = findSecretProblems(secret);
  if (problem) throw new Error(`The secret that signs links is invalid. ${problem}`);
  const payload = Buffer.from(
    JSON.stringify({ ...link, expires_at: link.expires_at.toISOString() }),
  ).toString('base64url');
  const action = link.method === 'PUT' ? 'upload' : 'download';
  const [current] = parseKeys(secret);
  return `${action}/${payload}.${current.id}.${signPayload(payload, current.secret)}`;
}

/** What the token permits. Null if the signature is wrong or the token has expired. */
export function readLink(token: string, method: Link['method'], secret: string, now: Date) {
  const parts = token.slice(0, 4_096).split('.');
  // Tokens with two parts were signed before keys had ids.
  const [payload = '', id = '', signature = '', ...rest] =
    parts.length === 2 ? [parts[0], DEFAULT_KEY_ID, parts[1]] : parts;
  const key = findKey(secret, id);
  if (!key) return null;
  // Compared as text, because the last base64url character has unused bits, so several texts decode to the
  // same bytes.
  const [given, expected] = [Buffer.from(signature), Buffer.from(signPayload(payload, key.secret))];
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isOurs || rest.length > 0) return null;
  const link = parseLink(payload);
  return link.method === method && link.expires_at > now ? link : null;
}

function parseLink(payload: string): Link {
  const link: Omit<Link, 'expires_at'> & { expires_at: string } = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  );
  return { ...link, expires_at: new Date(link.expires_at) };
}

function signPayload(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`storage-link.${payload}`).digest('base64url');
}
