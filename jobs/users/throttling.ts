import ipaddr from 'ipaddr.js';
import type { Transaction } from '../../sql/database/db.ts';
import * as throttle from '../../sql/users/throttle.ts';
import type { Within, Work } from '../work.ts';
import { findKnownDevice } from './device.ts';
import { settingsOf, type Settings } from './settings.ts';

export type ThrottleScope = keyof Settings['throttle'];
/** One counted try, which can be taken back. */
export type CountedAttempt = { scope: ThrottleScope; subject: string; id: string };
type Limit = { limit: number; seconds: number };

const WINDOW_SECONDS = 60;
export const limitPerMinute = (limit: number): Limit => ({ limit, seconds: WINDOW_SECONDS });

/** Who asks; the kind stands before it, so that no account counts as the address it is named like. */
export const networkSubject = (ip: string) => `0 ${networkOf(ip)}`;
const account = (name: string) => `1 ${name}`;
const device = (id: string) => `2 ${id}`;

/**
 * Whose tries at an account's secret these are: the account's, or those of a device that has signed
 * in to it before. Whoever guesses at an account from elsewhere uses up nothing of its own people's.
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
 * Counts a try before it is looked at: of many at once no more than the limit pass. Answers the try, or
 * the seconds to wait. Where nothing follows in its transaction (`isLast`), it is committed along with it.
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

/** Takes a try back that proved right: what is counted of an account are its failures. */
export const uncountAttempt = (tx: Transaction, { scope, subject, id }: CountedAttempt) =>
  throttle.deleteHit(tx, scope, subject, id);

/** Counts one request; answers the seconds to wait where that is one too many. */
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

/** An address of IPv6 stands for its network: whoever has one has 2^64 of them. */
export function networkOf(ip: string): string {
  const text = ip.slice(0, 64);
  if (!ipaddr.IPv6.isValid(text)) return text;
  const { parts } = ipaddr.IPv6.parse(text);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
