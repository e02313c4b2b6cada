import { z } from 'zod';
import type { SignedIn } from '../../jobs/users/sign-in/login.ts';
import type { SecondFactorRequest } from '../../jobs/users/sign-in/pending-sign-in.ts';
import { timestamp } from '../../sql/types.ts';
import type { OwnTransactionCall } from '../endpoints/route.ts';
import { currentUser, meReply } from './me.ts';

const wantedReply = z.object({
  second_factor: z
    .object({
      methods: z
        .array(z.enum(['totp', 'passkey', 'recovery_code']))
        .describe('The kinds of second factors that the user has.'),
      must_enroll: z.boolean().describe('Whether the user must set up a second factor first.'),
      expires_at: timestamp.describe('Until when the sign-in can be completed.'),
    })
    .describe('The second factor that is still needed.'),
});

/** The signed-in user, or the second factor that is still required. */
export const signInReply = z.union([meReply, wantedReply]);

/** Starts the session, or stores the token of the unfinished sign-in in the browser. */
export async function signIn(
  call: OwnTransactionCall,
  outcome: { user: SignedIn } | { wanted: SecondFactorRequest },
) {
  const { session, tenant_id, routes } = call;
  if ('wanted' in outcome) {
    session.hold(outcome.wanted);
    return { second_factor: outcome.wanted.second_factor };
  }
  await session.begin(outcome.user);
  const reading = { readOnly: true, isUndated: true };
  return call.within(tenant_id, (work) => currentUser(work, outcome.user.id, routes), reading);
}
