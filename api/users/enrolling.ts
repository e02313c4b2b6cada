import { z } from 'zod';
import { enrollerOf, type Enrolled, type Enroller } from '../../jobs/users/enroll.ts';
import { hasNothingToProve } from '../../jobs/users/recent-proof.ts';
import { proveAgain, type Again } from '../../jobs/users/prove-again.ts';
import type { Work } from '../../jobs/work.ts';
import type { OwnCall } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { throttled } from '../http/throttle.ts';

export const codes = z.object({
  recovery_codes: z.array(z.string()).describe('Sent once. Skipped if records already exist.'),
});

export const about = { tag: 'users', resource: 'auth', status: 200, transaction: 'own' } as const;

/** The user who is signed in, proved anew; or whoever has to enroll before his sign-in can end. */
export async function enroller(
  call: OwnCall,
  again: z.output<typeof Again> | null,
): Promise<Enroller> {
  const { within, tenant_id, session, user } = call;
  if (user !== null) {
    if (again !== null && !(await hasNothingYet(call, again))) await proved(call, again);
    return { user_id: user.id, token: null };
  }
  const waiting = await within(tenant_id, (work) => enrollerOf(work, session.pending));
  if (waiting === null) throw new HttpRefusal(401, 'not_authenticated', 'Sign in first.');
  return waiting;
}

/** A user who has just come from a provider, and has neither a password nor a factor to prove anything with. */
const hasNothingYet = ({ within, tenant_id, user }: OwnCall, again: z.output<typeof Again>) =>
  Object.values(again).every((given) => given === undefined) &&
  within(tenant_id, (work) => hasNothingToProve(work, user?.id ?? '', user?.session_id ?? ''));

/** Refuses a wrong proof. Answers the second factor that it was, or null for the password. */
export async function proved(call: OwnCall, again: z.output<typeof Again>) {
  const { within, tenant_id, session, user } = call;
  const { origin } = call;
  const whose = { user_id: user?.id ?? '', device: session.device, site: { origin } };
  const outcome = await proveAgain(within, tenant_id, whose, again);
  if ('wait' in outcome) throw throttled(outcome.wait);
  return outcome.factor;
}

/** The session goes on as one that was begun with the factor; all others are over. */
export async function done({ session }: OwnCall, { recovery_codes, user }: Enrolled) {
  await session.begin(user);
  return { recovery_codes };
}

export const inOne = <Result>(
  { within, tenant_id }: OwnCall,
  steps: (work: Work) => Promise<Result>,
) => within(tenant_id, steps);
