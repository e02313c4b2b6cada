import { z } from 'zod';
import { countRequest, networkSubject } from '../../jobs/users/sign-in/throttling.ts';
import {
  changePassword,
  isLinkUsable,
  requestReset,
  resetPassword,
} from '../../jobs/users/sign-in/reset-password.ts';
import type { Settings } from '../../jobs/users/settings/settings.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';
import { tooManyRequests } from '../http/throttle.ts';

const secret = z.string().min(1).max(1024);
const message = z.object({ message: z.string().describe('What was done or happens next.') });

const token = z.string().min(1).max(200).describe('The token from the link in the email.');
const newPassword = secret.describe(
  'The new password: at least as long as the setting `auth.password_min`, and not easy to guess.',
);

const ResetRequest = z.object({
  email: z.string().min(1).max(254).describe('The email address of the account.'),
});

/** Some client frameworks also send a `uid`, which is not needed. */
const Reset = z
  .object({
    token,
    password: newPassword.optional(),
    new_password: secret.optional().describe('Another name for `password`. Send one of the two.'),
  })
  .transform(({ token, password, new_password }) => ({ token, password: password ?? new_password }))
  .refine(({ password }) => password !== undefined, { path: ['password'], error: 'Is required.' });

const Link = z.object({ token });

const Change = z.object({
  current_password: secret.describe('The current password of the signed-in user.'),
  new_password: newPassword,
});

const routeDefaults = {
  tag: 'users',
  resource: 'auth',
  method: 'POST',
  reply: message,
  status: 200,
  transaction: 'own',
} as const;

type ThrottleScope = keyof Pick<Settings['throttle'], 'request' | 'reset'>;

async function assertBelowRequestLimit(call: OwnTransactionCall, scope: ThrottleScope) {
  const wait = await countRequest(call.within, call.tenant_id, scope, networkSubject(call.ip));
  if (wait !== null) throw tooManyRequests(wait);
}

export const passwordRoutes: Route[] = [
  {
    ...routeDefaults,
    allow: 'anyone',
    path: '/auth/password/request',
    security_event: 'password_request',
    summary: 'Request a password reset link',
    description:
      'Emails a link to the account of the address, at most three in 15 minutes. The answer is the same whether or not the address has an account.',
    action: 'request-password',
    body: ResetRequest,
    run: async (call: OwnTransactionCall) => {
      const { email } = call.body as z.output<typeof ResetRequest>;
      await assertBelowRequestLimit(call, 'request');
      const { device } = call.session;
      await call.within(call.tenant_id, (work) => requestReset(work, { email, device }));
      return { message: 'If that address belongs to an account, we sent a link to it.' };
    },
  },
  {
    ...routeDefaults,
    allow: 'anyone',
    path: '/auth/password/reset',
    security_event: 'password_reset',
    summary: 'Set a new password with a reset link',
    description:
      'Uses up the link of an invitation or of POST /auth/password/request, and ends all sessions of the user. Sign in with the new password afterwards. Answers 422 if the password is too short or easy to guess, or if the link no longer works.',
    action: 'reset-password',
    body: Reset,
    run: async (call: OwnTransactionCall) => {
      const { token, password = '' } = call.body as z.output<typeof Reset>;
      await assertBelowRequestLimit(call, 'reset');
      const holder = await resetPassword(call.within, call.tenant_id, { token, password });
      // A person who can read the account's mail may sign in next, even while strangers are guessing its
      // password.
      call.session.remember(holder);
      return { message: 'Your password was changed. Sign in with it.' };
    },
  },
  {
    ...routeDefaults,
    allow: 'anyone',
    path: '/auth/password/check-link',
    summary: 'Check whether a password link is still valid',
    description: 'Does not use up the link. Call it before you ask for a new password.',
    action: 'check-link',
    body: Link,
    reply: z.object({ is_usable: z.boolean().describe('Whether the link still works.') }),
    transaction: 'read',
    run: async ({ work, body }: Call) => ({
      is_usable: await isLinkUsable(work, (body as z.output<typeof Link>).token),
    }),
  },
  {
    ...routeDefaults,
    allow: 'any',
    path: '/auth/password/change',
    security_event: 'password_change',
    summary: 'Change your password',
    description:
      'Ends your other sessions; this one continues. Answers 422 for a wrong current password.',
    action: 'change-password',
    body: Change,
    run: async (call: OwnTransactionCall) => {
      await assertBelowRequestLimit(call, 'reset');
      const { id = '', borrower_id = null, second_factor = null } = call.user ?? {};
      const { device } = call.session;
      const passwords = call.body as z.output<typeof Change>;
      const change = { user_id: id, device, ...passwords };
      const changed = await changePassword(call.within, call.tenant_id, change);
      if ('wait' in changed) throw tooManyRequests(changed.wait);
      // All earlier sessions have ended, including this one. A new one keeps the user signed in.
      await call.session.begin({ id, borrower_id, second_factor, ...changed, is_proved: true });
      return { message: 'Your password was changed.' };
    },
  },
];
