import { z } from 'zod';
import { confirmPasskeyEnrollment } from '../../jobs/users/second-factors/enroll.ts';
import { NewPasskey } from '../../jobs/users/second-factors/passkey-shapes.ts';
import {
  passkeyCreationOptions,
  passkeyRequestOptions,
  tooManyPasskeys,
  noPasskey,
} from '../../jobs/users/second-factors/passkeys.ts';
import { lockPendingSignIn } from '../../jobs/users/sign-in/pending-sign-in.ts';
import { Reauthentication } from '../../jobs/users/sign-in/reauthenticate.ts';
import { requiredFreeText } from '../../sql/types.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { signInExpired } from '../http/pending-sign-in.ts';
import {
  authRouteDefaults,
  recoveryCodesReply,
  restartSession,
  resolveEnroller,
  inTransaction,
} from './enrollment.ts';

const PasskeyRegistration = z.object({
  name: requiredFreeText
    .default('Passkey')
    .describe('How you recognize the passkey in the list of your second factors.'),
  credential: NewPasskey.describe(
    'The result of navigator.credentials.create() as JSON, for the options of POST /auth/second-factors/passkeys/options.',
  ),
});

/** The format of parseCreationOptionsFromJSON and similar browser functions. */
const creationOptions = z
  .looseObject({
    challenge: z.string().describe('The challenge for the browser, valid for a few minutes.'),
  })
  .describe('Options for navigator.credentials, as JSON.');

export const passkeyRoutes: Route[] = [
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/passkeys/options',
    allow: 'anyone',
    action: 'begin-passkey',
    summary: 'Get the options for creating a passkey',
    description:
      'Pass them to navigator.credentials.create(), and its result to POST /auth/second-factors/passkeys.',
    conflicts: () => [tooManyPasskeys()],
    body: Reauthentication,
    reply: creationOptions,
    run: async (call: OwnTransactionCall) => {
      const { user_id } = await resolveEnroller(
        call,
        call.body as z.output<typeof Reauthentication>,
      );
      return inTransaction(call, (work) => passkeyCreationOptions(work, user_id, call));
    },
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/passkeys',
    allow: 'anyone',
    action: 'add-passkey',
    security_event: 'second_factor_add',
    summary: 'Register a passkey',
    description:
      'From then on, every sign-in needs a second factor. Ends your other sessions and notifies you by email. The answer shows the recovery codes only once.',
    body: PasskeyRegistration,
    reply: recoveryCodesReply,
    run: async (call: OwnTransactionCall) => {
      const made = call.body as z.output<typeof PasskeyRegistration>;
      const subject = await resolveEnroller(call, null);
      return restartSession(
        call,
        await inTransaction(call, (work) => confirmPasskeyEnrollment(work, subject, call, made)),
      );
    },
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factor/options',
    allow: 'anyone',
    action: 'second-factor-options',
    summary: 'Get the options for signing in with a passkey',
    description:
      'Pass them to navigator.credentials.get(), and its result as `passkey` to POST /auth/second-factor or to an operation that asks for a proof.',
    conflicts: () => [noPasskey()],
    reply: creationOptions,
    run: async (call: OwnTransactionCall) =>
      inTransaction(call, async (work) => {
        const { user, session } = call;
        const waiting = user ? null : await lockPendingSignIn(work.tx, session.pending, 'proof');
        const userId = user?.id ?? waiting?.user_id;
        if (userId === undefined) throw signInExpired();
        return passkeyRequestOptions(work, userId, call);
      }),
  },
];
