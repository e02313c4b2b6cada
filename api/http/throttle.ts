import type { Context } from 'koa';
import { countRequest, networkSubject } from '../../jobs/users/sign-in/throttling.ts';
import type { Settings } from '../../jobs/users/settings/settings.ts';
import type { Within } from '../../jobs/work.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from './errors.ts';
import type { User } from './permissions.ts';

type Rates = Settings['throttle'];

/**
 * Throws 429 if the caller exceeds the tenant's requests per minute. Strangers are counted by address and
 * users individually. By default there is no limit and nothing is counted.
 */
export async function enforceRateLimits(
  ctx: Context,
  route: Route,
  user: User | null,
  within: Within,
) {
  const { rates, tenant, ip } = ctx.state as { rates: Rates; tenant: { id: string }; ip: string };
  for (const scope of [kindOf(user), route.throttle]) {
    if (scope === undefined || rates[scope] === null) continue;
    const wait = await countRequest(within, tenant.id, scope, user?.id ?? networkSubject(ip));
    if (wait !== null) throw tooManyRequests(wait);
  }
}

function kindOf(user: User | null): keyof Rates {
  if (user === null) return 'anon';
  return user.tenant_role === null && user.borrower_id !== null ? 'portal' : 'user';
}

export const tooManyRequests = (seconds: number) =>
  new HttpRefusal(429, 'throttled', 'Too many attempts. Try again later.', {
    headers: { 'Retry-After': String(seconds) },
    details: { retry_after: seconds },
  });
