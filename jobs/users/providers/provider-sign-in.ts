import { createHash, randomBytes } from 'node:crypto';
import * as providers from '../../../sql/users/identity-providers.ts';
import * as signIns from '../../../sql/users/provider-sign-ins.ts';
import { Conflict, NotFound } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import type { Within, Work } from '../../work.ts';
import { countAttempt, limitPerMinute, networkSubject } from '../sign-in/throttling.ts';
import { finishProviderSignIn } from './finish-provider-sign-in.job.ts';
import { continueAfterFirstFactor, type SignedIn } from '../sign-in/login.ts';
import type { SecondFactorRequest } from '../sign-in/pending-sign-in.ts';
import { hashToken } from '../send-account-message.job.ts';
import { settingsOf } from '../settings/settings.ts';

/** How long a user may take to sign in at the provider. */
const SECONDS = 900;
const random = () => randomBytes(32).toString('base64url');

type StartResult = { wait: number } | { token: string; seconds: number; authorization_url: string };

/**
 * Starts a sign-in at a provider with its own state, nonce and PKCE verifier. Only the browser with the
 * token can continue. Secrets are stored sealed or hashed.
 */
export async function beginProviderSignIn(
  work: Work,
  providerId: string,
  ip: string,
): Promise<StartResult> {
  const { tx, tenant_id, installation } = work;
  const limit = limitPerMinute((await settingsOf(tx)).throttle.login);
  const counted = await countAttempt(tx, 'login', networkSubject(ip), limit);
  if ('wait' in counted) return counted;
  const provider = await providers.findActive(tx, providerId);
  if (provider === null) throw new NotFound();
  if (provider.authorization_url === null) throw providerNotReady();
  const [token, state, nonce, verifier] = [random(), random(), random(), random()];
  await signIns.beginProviderSignIn(tx, {
    provider_id: providerId,
    nonce,
    seconds: SECONDS,
    token_hash: hashToken(token),
    state_hash: hashToken(state),
    verifier_sealed: installation.keys.seal(tenant_id, verifier),
  });
  const url = new URL(provider.authorization_url);
  const asked = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: provider.redirect_url,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return { token, seconds: SECONDS, authorization_url: url.href };
}

/** The query parameters of the redirect: a code or an error. */
export type ProviderReturn = {
  state: string;
  code?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};

type Outcome =
  | { over: true }
  | { slow: true }
  | { refused: string }
  | { user: SignedIn }
  | { wanted: SecondFactorRequest }
  | { unlinked: { provider: string; expires_at: string; seconds: number } };

const WAIT_MS = 8_000;
const POLL_INTERVAL_MS = 100;
const SIGN_IN_FAILED = 'The sign-in at the provider failed or was canceled.';

/**
 * Passes the code to a worker, which asks the provider, and waits for the result. Repeated requests wait
 * for the same result, because a code is exchanged only once. The user's own second factor is required as
 * after a password, unless the provider is trusted to have checked two factors.
 */
export async function finishProviderReturn(
  within: Within,
  tenantId: string,
  { token, came }: { token: string; came: ProviderReturn },
): Promise<Outcome> {
  const begun = await within(tenantId, (work) => acceptReturn(work, token, came));
  if (begun === null) return { over: true };
  for (const until = Date.now() + WAIT_MS; Date.now() < until;) {
    const now = await within(tenantId, ({ tx }) => findOpenSignIn(tx, token, came), {
      readOnly: true,
    });
    if (now === null) return { over: true };
    if (now.status === 'failed') return { refused: now.problem ?? SIGN_IN_FAILED };
    if (now.status === 'unlinked') {
      const { provider, expires_at, seconds_left: seconds } = now;
      return { unlinked: { provider, expires_at, seconds } };
    }
    if (now.status === 'known')
      return within(tenantId, async (work) => {
        const holder = await signIns.useSignIn(work.tx, now.id);
        if (holder === null) return { over: true } as const;
        const proof = now.is_multi_factor ? 'provider' : null;
        const route = 'POST /auth/provider-sign-in';
        return continueAfterFirstFactor(work, holder, { route, proof, is_proved: false });
      });
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  return { slow: true };
}

const findOpenSignIn = (tx: Work['tx'], token: string, { state }: ProviderReturn) =>
  signIns.findOpen(tx, hashToken(token), hashToken(state));

async function acceptReturn(work: Work, token: string, given: ProviderReturn) {
  const { tx, tenant_id, installation } = work;
  const begun = token === '' ? null : await findOpenSignIn(tx, token, given);
  if (begun?.status !== 'begun') return begun;
  if (given.code === undefined) {
    await signIns.markProviderSignInFailed(tx, begun.id, SIGN_IN_FAILED);
    return begun;
  }
  const came = {
    code_sealed: installation.keys.seal(tenant_id, given.code),
    response_issuer: given.iss ?? null,
  };
  if (await signIns.saveCode(tx, begun.id, came))
    await enqueue(tx, finishProviderSignIn, { tenant_id, sign_in_id: begun.id });
  return begun;
}

export const providerNotReady = () =>
  new Conflict(
    'The provider has not been verified yet. Try again in a minute.',
    'provider_not_ready',
  );
