import ipaddr from 'ipaddr.js';
import type { Transaction } from '../../../sql/database/db.ts';
import * as throttle from '../../../sql/users/throttle.ts';
import type { Within, Work } from '../../work.ts';
import { findKnownDevice } from './device.ts';
import { settingsOf, type Settings } from '../settings/settings.ts';

export type ThrottleScope = keyof Settings['throttle'];
/** A counted attempt, which `uncountAttempt` can remove. */
export type CountedAttempt = { scope: ThrottleScope; subject: string; id: string };
type Limit = { limit: number; seconds: number };

const WINDOW_SECONDS = 60;
export const limitPerMinute = (limit: number): Limit => ({ limit, seconds: WINDOW_SECONDS });

/**
 * The subject of a limit. The prefix separates the kinds, so that an account named like an IP address is
 * not counted as one.
 */
export const networkSubject = (ip: string) => `0 ${networkOf(ip)}`;
const account = (name: string) => `1 ${name}`;
const device = (id: string) => `2 ${id}`;

/**
 * Returns the subject for attempts at an account's secret: the device if the user has signed in on it
 * before, otherwise the account. Guessing from elsewhere therefore does not use up the owner's attempts.
 */
export function accountSubject(
  { tenant_id, installation }: Work,
  name: string,
  userId: string | null,
  cookie: string,
) {
  const known = findKnownDevice(installation.keys, cookie, tenant_id, userId);
  return known === null ? account(name) : device(known);
}

/**
 * Counts an attempt before it is checked, so that concurrent attempts cannot exceed the limit. Returns the
 * attempt or the seconds to wait. With `isLast`, the same statement also commits the transaction.
 */
export async function countAttempt(
  tx: Transaction,
  scope: ThrottleScope,
  subject: string,
  limit: Limit,
  isLast = false,
): Promise<CountedAttempt | { wait: number }> {
  const counted = await throttle.countHit(tx, scope, subject, limit, isLast);
  return 'wait' in counted ? counted : { scope, subject, ...counted };
}

/** Removes a successful attempt, because only failures count against an account. */
export const uncountAttempt = (tx: Transaction, { scope, subject, id }: CountedAttempt) =>
  throttle.deleteHit(tx, scope, subject, id);

/** Counts one request. Returns the seconds to wait if it exceeds the limit, otherwise null. */
export function countRequest(
  within: Within,
  tenantId: string,
  scope: ThrottleScope,
  subject: string,
): Promise<number | null> {
  return within(tenantId, async ({ tx }) => {
    const limit = (await settingsOf(tx)).throttle[scope];
    if (limit === null) return null;
    const counted = await countAttempt(tx, scope, subject, limitPerMinute(limit), true);
    return 'wait' in counted ? counted.wait : null;
  });
}

/** Groups IPv6 addresses by their /64 network, because one client can use all 2^64 addresses of it. */
export function networkOf(ip: string): string {
  const text = ip.slice(0, 64);
  if (!ipaddr.IPv6.isValid(text)) return text;
  const { parts } = ipaddr.IPv6.parse(text);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
