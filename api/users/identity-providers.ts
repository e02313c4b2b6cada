import { z } from 'zod';
import {
  addProvider,
  changeProvider,
  removeProvider,
  ClaimRoles,
} from '../../jobs/users/providers/identity-provider.ts';
import {
  beginProviderSignIn,
  finishProviderReturn,
  type ProviderReturn,
  providerNotReady,
} from '../../jobs/users/providers/provider-sign-in.ts';
import { flag, timestamps, timestamp, uuid, requiredText } from '../../sql/types.ts';
import { identityProviders as table, listOffered } from '../../sql/users/identity-providers.ts';
import { resource } from '../endpoints/resource.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { signInExpired } from '../http/pending-sign-in.ts';
import { tooManyRequests } from '../http/throttle.ts';
import { signIn, signInReply } from './sign-in.ts';

const printableText = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\x21-\x7e]+$/, 'Must not contain spaces.');
const address = printableText(2_000);

export const identityProviders = resource({
  name: 'IdentityProvider',
  about:
    'Sign-in for staff at your own identity provider (OpenID Connect, authorization code flow with PKCE), in addition to passwords. Users can sign in there once a worker has read its discovery document: see `read_at` and `last_error`.',
  path: 'identity-providers',
  area: 'users',
  table,
  read: 'superadmin',
  write: 'superadmin',
  // A provider receives no data from records.
  carries: () => [],
  offers: ['list', 'read', 'create', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name on the button of the sign-in page.'),
    issuer_url: address.describe(
      "The issuer as given in the provider's discovery document. HTTPS only. A change removes the links of all users.",
    ),
    client_id: printableText(200).describe('The client id that the provider assigned to you.'),
    redirect_url: address.describe(
      'Your page that submits code and state, or ours: /api/v1/auth/signed-in on your own domain.',
    ),
    role_claim: printableText(200)
      .nullish()
      .describe(
        'The claim that contains the role. Without it, roles do not change. A claim never exceeds the role assigned to the user here.',
      ),
    roles: ClaimRoles.default({}).describe(
      'Maps values of the claim to roles, as {"servicing-team": "loan_officer"}. If several match, the highest role applies.',
    ),
    adds_users: flag.default(false).describe('Whether people without an account become users.'),
    trusts_amr: flag
      .default(false)
      .describe(
        'Whether two factors reported by the provider (amr) replace the second factor set up here. Never for operators.',
      ),
    is_active: flag
      .default(true)
      .describe(
        'Whether users may sign in there. Setting it to false ends the sessions of its users.',
      ),
    authorization_url: z
      .string()
      .nullable()
      .readonly()
      .describe('Where the provider signs users in. Null until its configuration was read.'),
    read_at: timestamp
      .nullable()
      .readonly()
      .describe('When the configuration of the provider was last read. Null if never.'),
    last_error: z
      .string()
      .nullable()
      .readonly()
      .describe('Why reading it failed. Null if it succeeded.'),
    ...timestamps,
  },
  writeOnly: {
    client_secret: printableText(1_000).describe(
      'The client secret that the provider assigned to you. Stored sealed and never returned.',
    ),
  },
  filters: ['is_active'],

  example: () => ({
    issuer_url: 'https://login.example.com',
    redirect_url: 'https://admin.example.com/signed-in',
    client_id: 'desk',
    client_secret: 'a-secret',
  }),
  create: addProvider,
  update: changeProvider,
  remove: removeProvider,
  four_eyes: { create: 'invitations', update: 'invitations', delete: 'invitations' },
  needs_proof: { create: true, update: true, delete: true },
  security_events: {
    create: 'identity_provider',
    update: 'identity_provider',
    delete: 'identity_provider',
  },
});

const routeDefaults = { tag: 'users', resource: 'auth', allow: 'anyone', status: 200 } as const;

/** The person is not signed in: their user is not linked to the provider yet. */
const linkReply = z.object({
  link: z
    .object({
      provider: z.string().describe('The name of the provider.'),
      expires_at: timestamp.describe('Until when you can confirm the link.'),
    })
    .describe('The link that waits for your confirmation.'),
});

const randomToken = printableText(2_000);
const ProviderCallback = z
  .object({
    state: randomToken.describe('The parameter `state` of the return address.'),
    code: randomToken.optional().describe('The parameter `code`, after a successful sign-in.'),
    iss: randomToken.optional().describe('The parameter `iss`, if the provider sent it.'),
    error: randomToken.optional().describe('The parameter `error`, after a failed sign-in.'),
  })
  .describe('The parameters that the provider added when it returned the browser.');

export const providerRoutes: Route[] = [
  {
    ...routeDefaults,
    method: 'GET',
    path: '/auth/providers',
    action: 'providers',
    summary: 'List SSO providers',
    description: 'The active identity providers, for the buttons of a sign-in page.',
    reply: z.object({
      providers: z
        .array(z.object({ id: uuid, name: z.string().describe('The name for the button.') }))
        .describe('The active providers.'),
    }),
    transaction: 'read',
    run: async ({ work }: Call) => ({ providers: await listOffered(work.tx) }),
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/identity-providers/{id}/begin-sign-in',
    action: 'begin-provider-sign-in',
    summary: 'Start a sign-in at an SSO provider',
    description:
      'Send the browser to the `authorization_url` of the answer. The provider returns it to the `redirect_url` of the identity provider, whose page submits the parameters to POST /auth/provider-sign-in. The same browser must do both.',
    conflicts: () => [providerNotReady()],
    reply: z.object({ authorization_url: z.string().describe('Where to send the browser.') }),
    transaction: 'own',
    run: async (call: OwnTransactionCall) => {
      const { within, tenant_id, session, params, ip } = call;
      const begun = await within(tenant_id, (work) =>
        beginProviderSignIn(work, params['id'] ?? '', ip),
      );
      if ('wait' in begun) throw tooManyRequests(begun.wait);
      session.hold(begun);
      return { authorization_url: begun.authorization_url };
    },
  },
  {
    ...routeDefaults,
    method: 'POST',
    path: '/auth/provider-sign-in',
    action: 'provider-sign-in',
    security_event: 'sign_in',
    summary: 'Complete a sign-in at an SSO provider',
    description:
      'Starts the session, or answers `second_factor` as POST /auth/login does. Answers `link` if your account is not linked to the provider yet: sign in as usual and confirm it with POST /auth/provider-links. Answers 503 `provider_slow` if the provider takes longer than eight seconds; repeat the request.',
    body: ProviderCallback,
    reply: z.union([signInReply, linkReply]),
    transaction: 'own',
    run: async (call: OwnTransactionCall) => {
      const came = call.body as ProviderReturn;
      const token = call.session.pending;
      const outcome = await finishProviderReturn(call.within, call.tenant_id, { token, came });
      if ('over' in outcome) throw signInExpired();
      if ('slow' in outcome) throw providerTooSlow();
      if ('refused' in outcome) throw new HttpRefusal(401, 'provider_refused', outcome.refused);
      if ('unlinked' in outcome) {
        const { provider, expires_at, seconds } = outcome.unlinked;
        call.session.holdLink({ token, seconds });
        return { link: { provider, expires_at } };
      }
      return signIn(call, outcome);
    },
  },
];

const providerTooSlow = () =>
  new HttpRefusal(503, 'provider_slow', 'The provider has not responded yet. Try again shortly.', {
    headers: { 'Retry-After': '2' },
  });
