import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Link } from './files.ts';

/**
 * The rest of a link's path: upload/{token} or download/{token}. The token holds what its bearer
 * may do, and our signature over it; it needs no cookie and dies by itself.
 */
export function signLink(link: Link, secret: string): string {
  if (secret.length < 32) throw new Error('The secret of the links is too short.');
  const payload = Buffer.from(
    JSON.stringify({ ...link, expires_at: link.expires_at.toISOString() }),
  ).toString('base64url');
  const action = link.method === 'PUT' ? 'upload' : 'download';
  return `${action}/${payload}.${signatureOf(payload, secret)}`;
}

/** What the token allows, or null when it is not ours, was changed, or has expired. */
export function readLink(token: string, method: Link['method'], secret: string, now: Date) {
  const [payload = '', signature = '', ...rest] = token.slice(0, 4_096).split('.');
  // Compared as text: the last letter has bits that no byte is made of.
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(payload, secret))];
  const isOurs = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isOurs || rest.length > 0) return null;
  const link = parsed(payload);
  return link.method === method && link.expires_at > now ? link : null;
}

function parsed(payload: string): Link {
  const link: Omit<Link, 'expires_at'> & { expires_at: string } = JSON.parse(
    Buffer.from(payload, 'base64url').toString(),
  );
  return { ...link, expires_at: new Date(link.expires_at) };
}

function signatureOf(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(`storage-link.${payload}`).digest('base64url');
}
