import { z } from 'zod';
import { login, proveSecondFactor } from '../../jobs/users/sign-in/login.ts';
import { hasExactlyOneProof, proofFields } from '../../jobs/users/second-factors/verify-proof.ts';
import type { OwnTransactionCall, Route } from '../endpoints/route.ts';
import { HttpRefusal, invalidCredentials } from '../http/errors.ts';
import { signInExpired } from '../http/pending-sign-in.ts';
import { tooManyRequests } from '../http/throttle.ts';
import { meReply } from './me.ts';
import { signIn, signInReply } from './sign-in.ts';

const Login = z.object({
  email: z.string().min(1).max(254).describe('The email address of the user. Ignores case.'),
  password: z.string().min(1).max(1024).describe('The password of the user.'),
});

const SecondFactorProof = z.object(proofFields).refine(hasExactlyOneProof, {
  path: ['code'],
  error: 'Give exactly one of code, recovery_code and passkey.',
});

const routeDefaults = { tag: 'users', resource: 'auth', allow: 'anyone' } as const;

/** Signing in and out. api/http/session.ts manages the session itself. */
export const authRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'POST',
    path: '/auth/login',
    security_event: 'sign_in',
    summary: 'Sign in',
    description:
      'Starts a session and sets the cookies sessionid and csrftoken. Send both with further requests, and the value of csrftoken in X-CSRFToken with every change. If the answer contains `second_factor`, the session starts only after POST /auth/second-factor. Answers 401 for a wrong address or password, and 429 after too many attempts (`throttle.login`).',
    action: 'login',
    body: Login,
    example: () => ({ email: 'officer@demo.test', password: 'correct horse battery' }),
    reply: signInReply,
    status: 200,
    transaction: 'own',
    run: async (call: OwnTransactionCall) => {
      const { email, password } = call.body as z.output<typeof Login>;
      const { ip, session } = call;
      const attempt = { email, password, ip, device: session.device };
      const outcome = await login(call.within, call.tenant_id, attempt);
      if ('wait' in outcome) throw tooManyRequests(outcome.wait);
      if ('refused' in outcome) throw invalidCredentials();
      return signIn(call, outcome);
    },
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/auth/second-factor',
    security_event: 'sign_in',
    summary: 'Complete a sign-in with the second factor',
    description:
      'Call it after POST /auth/login answered with `second_factor`. Starts the session. Answers 401 for a wrong code; after five wrong codes the sign-in ends, and you start again with the password.',
    action: 'second-factor',
    body: SecondFactorProof,
    example: () => ({ code: '123456' }),
    reply: meReply,
    status: 200,
    transaction: 'own',
    run: async (call: OwnTransactionCall) => {
      const given = call.body as z.output<typeof SecondFactorProof>;
      const { pending: token, device } = call.session;
      const outcome = await proveSecondFactor(call.within, call.tenant_id, {
        token,
        device,
        site: { origin: call.origin },
        given,
      });
      if ('wait' in outcome) throw tooManyRequests(outcome.wait);
      if ('over' in outcome) throw signInExpired();
      if ('refused' in outcome) {
        const { user_id } = outcome;
        throw new HttpRefusal(401, 'invalid_code', 'The code is wrong or was already used.', {
          user_id,
        });
      }
      return signIn(call, outcome);
    },
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/auth/logout',
    security_event: 'sign_out',
    summary: 'Sign out',
    description: 'Ends the session of this request. Without a session it does nothing.',
    action: 'logout',
    status: 204,
    transaction: 'own',
    run: async ({ session }: OwnTransactionCall) => session.end(),
  },
  {
    ...routeDefaults,
    method: 'GET',
    path: '/auth/csrf',
    summary: 'Get the CSRF token',
    description:
      'Returns the token and sets it as the cookie csrftoken. Call it before signing in: every request that changes something sends the token in X-CSRFToken.',
    action: 'csrf',
    reply: z.object({
      csrf_token: z
        .string()
        .describe('The token to send in the header X-CSRFToken. Signing in changes it.'),
    }),
    status: 200,
    transaction: 'own',
    run: async ({ session }: OwnTransactionCall) => ({ csrf_token: session.csrf_token() }),
  },
];
