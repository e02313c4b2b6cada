import { z } from 'zod';
import {
  findEnroller,
  type EnrollmentResult,
  type Enroller,
} from '../../jobs/users/second-factors/enroll.ts';
import { hasNothingToProve } from '../../jobs/users/sign-in/recent-proof.ts';
import { reauthenticate, type Reauthentication } from '../../jobs/users/sign-in/reauthenticate.ts';
import type { Work } from '../../jobs/work.ts';
import type { OwnTransactionCall } from '../endpoints/route.ts';
import { notAuthenticated } from '../http/errors.ts';
import { tooManyRequests } from '../http/throttle.ts';

export const recoveryCodesReply = z.object({
  recovery_codes: z
    .array(z.string())
    .describe('Shown only once. Empty when you add another factor.'),
});

export const authRouteDefaults = {
  tag: 'users',
  resource: 'auth',
  status: 200,
  transaction: 'own',
} as const;

/**
 * Returns the signed-in user after a new proof, or the user who must enroll a factor to finish signing in.
 */
export async function resolveEnroller(
  call: OwnTransactionCall,
  reauthentication: z.output<typeof Reauthentication> | null,
): Promise<Enroller> {
  const { within, tenant_id, session, user } = call;
  if (user !== null) {
    if (reauthentication !== null && !(await hasNoCredentialYet(call, reauthentication)))
      await verifyProof(call, reauthentication);
    return { user_id: user.id, token: null };
  }
  const waiting = await within(tenant_id, (work) => findEnroller(work, session.pending));
  if (waiting === null) throw notAuthenticated();
  return waiting;
}

/** A user who has just come from a provider and has neither a password nor a factor to prove. */
const hasNoCredentialYet = (
  { within, tenant_id, user }: OwnTransactionCall,
  reauthentication: z.output<typeof Reauthentication>,
) =>
  Object.values(reauthentication).every((given) => given === undefined) &&
  within(tenant_id, (work) => hasNothingToProve(work, user?.id ?? '', user?.session_id ?? ''));

/** Throws for a wrong proof. Returns the second factor used, or null for the password. */
export async function verifyProof(
  call: OwnTransactionCall,
  reauthentication: z.output<typeof Reauthentication>,
) {
  const { within, tenant_id, session, user } = call;
  const { origin } = call;
  const subject = { user_id: user?.id ?? '', device: session.device, site: { origin } };
  const outcome = await reauthenticate(within, tenant_id, subject, reauthentication);
  if ('wait' in outcome) throw tooManyRequests(outcome.wait);
  return outcome.factor;
}

/** Continues the session as one started with the factor and ends all other sessions. */
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
