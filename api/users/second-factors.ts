import { z } from 'zod';
import {
  beginAppEnrollment,
  confirmAppEnrollment,
} from '../../jobs/users/second-factors/enroll.ts';
import { Reauthentication } from '../../jobs/users/sign-in/reauthenticate.ts';
import { recordProof } from '../../jobs/users/sign-in/recent-proof.ts';
import { totpCode } from '../../jobs/users/second-factors/verify-proof.ts';
import {
  removeSecondFactor,
  renewRecoveryCodes,
  resetSecondFactors,
  lastFactorRequired,
  noSecondFactor,
  ownSecondFactor,
} from '../../jobs/users/second-factors/remove-second-factor.ts';
import { describeFactors } from '../../jobs/users/second-factors/second-factors.ts';
import { FACTOR_KINDS } from '../../sql/users/second-factors.ts';
import { flag, integer, timestamp, uuid } from '../../sql/types.ts';
import { users as table } from '../../sql/users/users.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import {
  authRouteDefaults,
  recoveryCodesReply,
  restartSession,
  resolveEnroller,
  inTransaction,
  verifyProof,
} from './enrollment.ts';
import { passkeyRoutes } from './passkeys.ts';
import { users } from './users.ts';

const factor = z.object({
  id: uuid,
  kind: z.enum(FACTOR_KINDS).describe('An authenticator app or a passkey.'),
  name: z.string().describe('The name of the factor.'),
  last_used_at: timestamp.nullable().describe('When it was last used to sign in. Null if never.'),
  created_at: timestamp,
});

const ownFactors = z
  .object({
    factors: z.array(factor).describe('Your second factors.'),
    recovery_codes_left: integer.describe('How many recovery codes you have not used.'),
    is_required: flag.describe('Whether the tenant requires a second factor.'),
  })
  .meta({ id: 'SecondFactors' });

/** One proof lets the user make several changes that grant power. */
const proveRoute: Route = {
  ...authRouteDefaults,
  method: 'POST',
  path: '/auth/prove',
  allow: 'any',
  action: 'prove',
  security_event: 'proof',
  summary: 'Confirm your identity before a sensitive change',
  description:
    'For 15 minutes, this session may make changes that answer 403 `proof_required` otherwise. Send your password, or your second factor if you have one.',
  body: Reauthentication,
  example: () => ({ current_password: 'correct horse battery' }),
  reply: z.object({
    valid_until: timestamp.describe(
      'Until when sensitive changes are possible without another proof.',
    ),
  }),
  run: async (call: OwnTransactionCall) => {
    const factor = await verifyProof(call, call.body as z.output<typeof Reauthentication>);
    return inTransaction(call, (work) => recordProof(work, call.user?.session_id ?? '', factor));
  },
};

const ownFactorRoutes: Route[] = [
  {
    ...authRouteDefaults,
    method: 'GET',
    path: '/auth/second-factors',
    allow: 'any',
    action: 'second-factors',
    summary: 'List your second factors',
    description:
      'Also says how many recovery codes are left and whether the tenant requires a second factor.',
    reply: ownFactors,
    transaction: 'read',
    run: ({ work, user }) => describeFactors(work, user),
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/totp',
    allow: 'anyone',
    action: 'begin-totp',
    summary: 'Start setting up an authenticator app',
    description:
      "The answer shows the app's secret, also as a QR code, only once. Confirm it with POST /auth/second-factors/totp/confirm.",
    body: Reauthentication,
    reply: z.object({
      secret: z.string().describe('The secret of the app, in base 32.'),
      otpauth_url: z.string().describe('The same as an address that an authenticator app opens.'),
      qr_svg: z.string().describe('The same as a QR code, as SVG.'),
    }),
    run: async (call: OwnTransactionCall) => {
      const subject = await resolveEnroller(call, call.body as z.output<typeof Reauthentication>);
      return inTransaction(call, (work) => beginAppEnrollment(work, subject));
    },
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/totp/confirm',
    allow: 'anyone',
    action: 'confirm-totp',
    security_event: 'second_factor_add',
    summary: 'Confirm an authenticator app with its first code',
    description:
      'From then on, every sign-in needs a second factor. Ends your other sessions. The answer shows the recovery codes only once.',
    body: z.object({
      code: totpCode.describe('The first code that the authenticator app shows, six digits.'),
    }),
    reply: recoveryCodesReply,
    run: async (call: OwnTransactionCall) => {
      const { code } = call.body as { code: string };
      const subject = await resolveEnroller(call, null);
      return restartSession(
        call,
        await inTransaction(call, (work) => confirmAppEnrollment(work, subject, code)),
      );
    },
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/{id}/remove',
    allow: 'any',
    action: 'remove-second-factor',
    security_event: 'second_factor_remove',
    summary: 'Remove one of your second factors',
    description:
      'Ends your other sessions and notifies you by email. Without another factor, your recovery codes stop working too. Answers 409 for the last factor if the tenant requires one.',
    conflicts: () => [lastFactorRequired()],
    body: Reauthentication,
    reply: z.object({ message: z.string().describe('What was done.') }),
    run: async (call: OwnTransactionCall) => {
      const { id: user_id = '', borrower_id = null, second_factor = null } = call.user ?? {};
      await verifyProof(call, call.body as z.output<typeof Reauthentication>);
      const removal = { user_id, id: call.params['id'] ?? '', proof: second_factor };
      const kept = await inTransaction(call, (work) => removeSecondFactor(work, removal));
      await call.session.begin({ id: user_id, borrower_id, ...kept, is_proved: true });
      return { message: 'The second factor was removed.' };
    },
  },
  {
    ...authRouteDefaults,
    method: 'POST',
    path: '/auth/second-factors/recovery-codes',
    allow: 'any',
    action: 'recovery-codes',
    security_event: 'recovery_codes',
    summary: 'Replace your recovery codes',
    description:
      'The old codes stop working. The answer shows the new ones only once. Answers 409 without a second factor.',
    conflicts: () => [noSecondFactor()],
    body: Reauthentication,
    reply: recoveryCodesReply,
    run: async (call: OwnTransactionCall) => {
      await verifyProof(call, call.body as z.output<typeof Reauthentication>);
      const userId = call.user?.id ?? '';
      return {
        recovery_codes: await inTransaction(call, (work) => renewRecoveryCodes(work, userId)),
      };
    },
  },
];

const resetRoute: Route = {
  tag: 'users',
  resource: 'users',
  method: 'POST',
  path: '/users/{id}/reset-second-factors',
  allow: 'superadmin',
  action: 'reset-second-factors',
  security_event: 'second_factor_reset',
  summary: 'Remove the lost second factors of another user',
  description: "Ends the user's sessions. The user can enroll again at the next sign-in.",
  conflicts: () => [ownSecondFactor()],
  status: 200,
  reply: users.reply,
  four_eyes: 'invitations',
  needs_proof: true,
  record: table,
  transaction: 'write',
  run: ({ work, params }) => resetSecondFactors(work, params['id'] ?? ''),
};

export const secondFactorRoutes: Route[] = [
  proveRoute,
  ...ownFactorRoutes,
  ...passkeyRoutes,
  resetRoute,
];
