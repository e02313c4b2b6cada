import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
// @ts-expect-error -- This package has no types.
import { Provider } from 'oidc-provider';
// @ts-expect-error -- This package has no types.
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { openIdentityClient } from '../../workers/outside/identity.ts';

export const REDIRECT = 'https://admin.example.com/signed-in';
export const OUR_PAGE = 'https://lender.example.com/api/v1/auth/signed-in';
const CLIENT = {
  client_id: 'loan-servicing',
  client_secret: 'canary-secret-of-the-client',
  redirect_uris: [REDIRECT, OUR_PAGE],
};

/** All artifacts get the same lifetime. The library warns about any that has none set. */
const ARTIFACTS = [
  'AccessToken',
  'AuthorizationCode',
  'Grant',
  'IdToken',
  'Interaction',
  'Session',
];

export type Claims = Record<string, unknown>;
type Answer = { status: number; headers: Record<string, string | string[] | undefined> };

/**
 * An HTTPS identity provider (a published library) with the test's own people, and a worker's HTTP client
 * that trusts its certificate and may reach this machine.
 */
export async function newIdentityProvider(people: Record<string, Claims>) {
  const now = Date.now();
  const { cert, key } = await makeCertificate(
    ['localhost'],
    new Date(now - 1e7),
    new Date(now + 1e7),
  );
  let handle: RequestListener = () => {};
  const server = createServer({ cert, key }, (asked, answer) => handle(asked, answer));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  });
  const seconds = 600;
  const provider = new Provider(issuer, {
    adapter: (name: string) => new MemoryAdapter(name),
    clients: [CLIENT],
    jwks: { keys: [{ ...jwk, alg: 'RS256', use: 'sig' }] },
    conformIdTokenClaims: false,
    claims: {
      openid: ['sub', 'groups', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['name'],
    },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people[sub] }),
    }),
    cookies: { keys: ['for this test alone'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/who' },
    ttl: Object.fromEntries(ARTIFACTS.map((name) => [name, seconds])),
  });
  const pages = provider.callback() as RequestListener;
  /** The provider's page signs in the person named by the header and grants every consent. */
  const meet = async (asked: IncomingMessage, answer: ServerResponse) => {
    const person = String(asked.headers['x-person']);
    const { params } = await provider.interactionDetails(asked, answer);
    const grant = new provider.Grant({ accountId: person, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const login = { accountId: person, amr: people[person]?.['amr'] };
    const consent = { grantId: await grant.save() };
    await provider.interactionFinished(asked, answer, { login, consent });
  };
  handle = (asked, answer) =>
    asked.url?.startsWith('/who') ? void meet(asked, answer) : pages(asked, answer);
  const http = openHttp({ ca: cert, networks: parseNetworks(['127.0.0.0/8', '::1/128']) });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await http.close();
  });

  /** Acts as the browser: signs in as that person, consents, and returns the URL of the redirect. */
  async function visit(url: string, person: string): Promise<URL> {
    const jar = new Map<string, string>();
    let at = new URL(url);
    for (let step = 0; step < 6; step += 1) {
      const answer = await exchange(at, cert, jar, person);
      const { location } = answer.headers;
      if (typeof location !== 'string') throw new Error(`${at.pathname} answers ${answer.status}.`);
      at = new URL(location, at);
      if (CLIENT.redirect_uris.includes(at.origin + at.pathname)) return at;
    }
    throw new Error('The provider sends nobody back.');
  }

  return { issuer, client: CLIENT, identity: openIdentityClient(http), visit, server };
}

function exchange(at: URL, ca: string, jar: Map<string, string>, person: string) {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { Cookie: cookie, 'X-Person': person };
  return new Promise<Answer>((resolve, reject) => {
    const outgoing = request(at, { ca, headers }, (incoming) => {
      for (const line of incoming.headers['set-cookie'] ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      incoming.resume();
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
