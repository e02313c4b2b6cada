import { z } from 'zod';
import { login } from '../../jobs/users/login.ts';
import type { OwnCall, Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { throttled } from '../http/throttle.ts';
import { currentUser, meReply } from './me.ts';

const Login = z.object({
  email: z.string().min(1).max(254),
  password: z.string().min(1).max(1024),
});

const about = { tag: 'users', resource: 'auth', allow: 'anyone' } as const;

/** Signing in and out. The session itself is api/http/session.ts's. */
export const auth: Route[] = [
  {
    ...about,
    method: 'POST',
    path: '/auth/login',
    security_event: 'sign_in',
    summary: 'Sign in',
    action: 'login',
    body: Login,
    reply: meReply,
    status: 200,
    transaction: 'own',
    run: async (call: OwnCall) => {
      const { email, password } = call.body as z.output<typeof Login>;
      const { ip, session } = call;
      const attempt = { email, password, ip, device: session.device };
      const outcome = await login(call.within, call.tenant_id, attempt);
      if ('wait' in outcome) throw throttled(outcome.wait);
      if ('refused' in outcome) {
        throw new HttpRefusal(
          401,
          'invalid_credentials',
          'The email address or the password is wrong.',
        );
      }
      await session.begin(outcome.user);
      return call.within(call.tenant_id, (work) => currentUser(work, outcome.user.id, call.routes));
    },
  },
  {
    ...about,
    method: 'POST',
    path: '/auth/logout',
    security_event: 'sign_out',
    summary: 'Sign out',
    action: 'logout',
    status: 204,
    transaction: 'own',
    run: async ({ session }: OwnCall) => session.end(),
  },
  {
    ...about,
    method: 'GET',
    path: '/auth/csrf',
    summary: 'The CSRF token, for clients that read no cookies',
    action: 'csrf',
    reply: z.object({ csrf_token: z.string() }),
    status: 200,
    transaction: 'own',
    run: async ({ session }: OwnCall) => ({ csrf_token: session.csrf_token() }),
  },
];
