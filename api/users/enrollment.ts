import { z } from 'zod';
import { findEnroller, type EnrollmentResult, type Enroller } from '../../jobs/users/enroll.ts';
import { hasNothingToProve } from '../../jobs/users/recent-proof.ts';
import { reauthenticate, type Reauthentication } from '../../jobs/users/reauthenticate.ts';
import type { Work } from '../../jobs/work.ts';
import type { OwnTransactionCall } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { tooManyRequests } from '../http/throttle.ts';

export const recoveryCodesReply = z.object({
  recovery_codes: z.array(z.string()).describe('Sent once. Skipped if records already exist.'),
});

export const authRouteDefaults = {
  tag: 'users',
  resource: 'auth',
  status: 200,
  transaction: 'own',
} as const;

/** The user who is signed in, proved anew; or whoever has to enroll before his sign-in can end. */
export async function resolveEnroller(
  call: OwnTransactionCall,
  again: z.output<typeof Reauthentication> | null,
): Promise<Enroller> {
  const { within, tenant_id, session, user } = call;
  if (user !== null) {
    if (again !== null && !(await hasNothingYet(call, again))) await verifyProof(call, again);
    return { user_id: user.id, token: null };
  }
  const waiting = await within(tenant_id, (work) => findEnroller(work, session.pending));
  if (waiting === null) throw new HttpRefusal(401, 'not_authenticated', 'Sign in first.');
  return waiting;
}

/** A user who has just come from a provider, and has neither a password nor a factor to prove anything with. */
const hasNothingYet = (
  { within, tenant_id, user }: OwnTransactionCall,
  again: z.output<typeof Reauthentication>,
) =>
  Object.values(again).every((given) => given === undefined) &&
  within(tenant_id, (work) => hasNothingToProve(work, user?.id ?? '', user?.session_id ?? ''));

/** Refuses a wrong proof. Answers the second factor that it was, or null for the password. */
export async function verifyProof(
  call: OwnTransactionCall,
  again: z.output<typeof Reauthentication>,
) {
  const { within, tenant_id, session, user } = call;
  const { origin } = call;
  const whose = { user_id: user?.id ?? '', device: session.device, site: { origin } };
  const outcome = await reauthenticate(within, tenant_id, whose, again);
  if ('wait' in outcome) throw tooManyRequests(outcome.wait);
  return outcome.factor;
}

/** The session goes on as one that was begun with the factor; all others are over. */
export async function restartSession(
  { session }: OwnTransactionCall,
  { recovery_codes, user }: EnrollmentResult,
) {
  await session.begin(user);
  return { recovery_codes };
}

export const inTransaction = <Result>(
  { within, tenant_id }: OwnTransactionCall,
  steps: (work: Work) => Promise<Result>,
) => within(tenant_id, steps);
