import { z } from 'zod';
import { confirmPasskey } from '../../jobs/users/enroll.ts';
import { NewPasskey } from '../../jobs/users/passkey-shapes.ts';
import { passkeyToEnroll, passkeyToProve } from '../../jobs/users/passkeys.ts';
import { pendingOf } from '../../jobs/users/pending-sign-in.ts';
import { Again } from '../../jobs/users/prove-again.ts';
import { freeWords } from '../../sql/types.ts';
import type { OwnCall, Route } from '../endpoints/route.ts';
import { signInOver } from '../http/pending.ts';
import { about, codes, done, enroller, inOne } from './enrolling.ts';

const Made = z.object({ name: freeWords.default('Passkey'), credential: NewPasskey });

/** As navigator.credentials takes them, through parseCreationOptionsFromJSON and its like. */
const options = z
  .looseObject({ challenge: z.string() })
  .describe('Options for navigator.credentials, as JSON.');

export const passkeyRoutes: Route[] = [
  {
    ...about,
    method: 'POST',
    path: '/auth/second-factors/passkeys/options',
    allow: 'anyone',
    action: 'begin-passkey',
    summary: 'Get the options for creating a passkey',
    body: Again,
    reply: options,
    run: async (call: OwnCall) => {
      const { user_id } = await enroller(call, call.body as z.output<typeof Again>);
      return inOne(call, (work) => passkeyToEnroll(work, user_id, call));
    },
  },
  {
    ...about,
    method: 'POST',
    path: '/auth/second-factors/passkeys',
    allow: 'anyone',
    action: 'add-passkey',
    security_event: 'second_factor_add',
    summary: 'Register a passkey',
    body: Made,
    reply: codes,
    run: async (call: OwnCall) => {
      const made = call.body as z.output<typeof Made>;
      const whose = await enroller(call, null);
      return done(call, await inOne(call, (work) => confirmPasskey(work, whose, call, made)));
    },
  },
  {
    ...about,
    method: 'POST',
    path: '/auth/second-factor/options',
    allow: 'anyone',
    action: 'second-factor-options',
    summary: 'Get the options for signing in with a passkey',
    reply: options,
    run: async (call: OwnCall) =>
      inOne(call, async (work) => {
        const { user, session } = call;
        const waiting = user ? null : await pendingOf(work.tx, session.pending, 'proof');
        const userId = user?.id ?? waiting?.user_id;
        if (userId === undefined) throw signInOver();
        return passkeyToProve(work, userId, call);
      }),
  },
];
