import * as client from 'openid-client';
import type { CodeExchange, IdentityProviderClient } from '../../jobs/external-systems.ts';
import type { HttpClient } from './http.ts';

const TIMEOUT_SECONDS = 5;
/** Discovery needs a client id, but any value works if no user signs in. */
const NO_CLIENT = 'nobody';

type RequestClient = Pick<HttpClient, 'ask'>;

/**
 * An OpenID Connect client. The library implements the protocol over our HTTP client: it checks every
 * address that a provider names, and does not follow redirects.
 */
export function openIdentityClient(http: RequestClient): IdentityProviderClient {
  return {
    describe: (issuer) =>
      explainErrors(async () => {
        const config = await discoverIssuer(http, { ...issuer, client_id: NO_CLIENT });
        const { authorization_endpoint } = config.serverMetadata();
        if (authorization_endpoint === undefined)
          return { error: 'It names no page to sign in on.' };
        return { authorization_url: authorization_endpoint };
      }),
    claims: (exchange) =>
      explainErrors(async () => {
        const config = await discoverIssuer(http, exchange);
        const tokens = await client.authorizationCodeGrant(config, callbackUrl(exchange), {
          expectedNonce: exchange.nonce,
          expectedState: STATE,
          pkceCodeVerifier: exchange.verifier,
          idTokenExpected: true,
        });
        return { claims: { ...tokens.claims() } };
      }),
  };
}

/** The caller has already compared the state, but the library requires one. */
const STATE = 'compared';

function callbackUrl({ redirect_url, code, response_issuer }: CodeExchange): URL {
  const url = new URL(redirect_url);
  url.searchParams.set('code', code);
  url.searchParams.set('state', STATE);
  if (response_issuer !== null) url.searchParams.set('iss', response_issuer);
  return url;
}

type ProviderCredentials = Pick<CodeExchange, 'issuer_url' | 'client_id'> &
  Partial<Pick<CodeExchange, 'client_secret' | 'allow_private_hosts'>>;

async function discoverIssuer(
  http: RequestClient,
  given: ProviderCredentials,
): Promise<client.Configuration> {
  const { issuer_url, client_id, client_secret, allow_private_hosts = false } = given;
  const authentication = client_secret === undefined ? client.None() : bySecret(client_secret);
  return client.discovery(new URL(issuer_url), client_id, undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    // The standard allows trusting TLS alone. We also verify the token's signature.
    execute: [client.enableNonRepudiationChecks],
    [client.customFetch]: fetchBy(http, allow_private_hosts),
  });
}

/** Sends the secret in a header, unless the provider accepts it only in the body. */
const bySecret =
  (secret: string): client.ClientAuth =>
  (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody = !taken.includes('client_secret_basic') && taken.includes('client_secret_post');
    const prove = isInBody ? client.ClientSecretPost : client.ClientSecretBasic;
    return prove(secret)(server, ...rest);
  };

const fetchBy =
  ({ ask }: RequestClient, allow_private_hosts: boolean): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const answer = await ask({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body != null && { body: String(body) }),
      timeout_ms: TIMEOUT_SECONDS * 1000,
      allow_private_hosts,
    });
    if ('error' in answer) throw new Unreachable(answer.error);
    // Content-Length counts the bytes as received, but the library reads the decoded text.
    const { 'content-length': _, ...known } = answer.headers;
    const isBodiless = answer.status === 204 || answer.status === 304;
    return new Response(isBodiless ? null : answer.body, { status: answer.status, headers: known });
  };

/** The provider did not answer. The message is safe to show. */
class Unreachable extends Error {}

/** Turns errors into sentences that reveal nothing of the request or the answer. */
async function explainErrors<Answer>(
  steps: () => Promise<Answer>,
): Promise<Answer | { error: string }> {
  try {
    return await steps();
  } catch (error) {
    return { error: sentenceFor(error) };
  }
}

function sentenceFor(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof Unreachable) return at.message;
  const { code, error: refusal } = (error ?? {}) as { code?: unknown; error?: unknown };
  const name = [refusal, code].find((word) => /^[A-Za-z_]{1,60}$/.test(String(word)));
  return `The provider's answer was not accepted${name ? ` (${String(name)})` : ''}.`;
}
