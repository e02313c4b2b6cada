import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import * as providers from '../../../sql/users/identity-providers.ts';
import { TENANT_ROLES } from '../../../sql/users/users.ts';
import { insert, deleteRow, update } from '../../../sql/write.ts';
import { Invalid } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import { checkWebhookUrl } from '../../networks/host-url.ts';
import type { Work } from '../../work.ts';
import { readIdentityProvider } from './read-identity-provider.job.ts';
import { settingsOf } from '../settings/settings.ts';

/** Maps claim values to roles. If several match, the highest role applies. */
export const ClaimRoles = z
  .record(z.string().min(1).max(200), z.enum(TENANT_ROLES))
  .refine((roles) => Object.keys(roles).length <= 100, 'Must be at most 100.');

type Named = {
  name: string;
  issuer_url: string;
  client_id: string;
  redirect_url: string;
  role_claim?: string | null | undefined;
  roles: z.output<typeof ClaimRoles>;
  adds_users: boolean;
  trusts_amr: boolean;
  is_active: boolean;
};
type ProviderInput = Named & { client_secret: string };
type ProviderChanges = { [Field in keyof ProviderInput]?: ProviderInput[Field] | undefined };

/**
 * Adds a provider and seals its client secret. Users can sign in there once a worker has read its discovery
 * document.
 */
export async function addProvider(work: Work, { client_secret, ...given }: ProviderInput) {
  const { tx, tenant_id } = work;
  await checkUrls(work, given);
  const id = await insert(tx, 'identity_providers', {
    ...given,
    client_secret_sealed: work.installation.keys.seal(tenant_id, client_secret),
  });
  await enqueue(tx, readIdentityProvider, { tenant_id, provider_id: id });
  return id;
}

/** Fields that determine who a user is and what the user may do. */
const VERIFIED_FIELDS = ['issuer_url', 'client_id', 'role_claim', 'roles', 'trusts_amr'] as const;

/**
 * Changes a provider. Ends the sessions of its users if a field in DECIDING changes or the provider is
 * disabled. A new issuer also removes their links, because the same subject is a different person there.
 */
export async function changeProvider(
  work: Work,
  id: string,
  changes: ProviderChanges,
  row: object,
) {
  const { tx, tenant_id } = work;
  const { client_secret, ...rest } = changes;
  await checkUrls(work, rest);
  const sealed = client_secret && work.installation.keys.seal(tenant_id, client_secret);
  const before = row as Named;
  const isChanged = (name: keyof Named) =>
    rest[name] !== undefined && !isDeepStrictEqual(rest[name], before[name]);
  const isOther = isChanged('issuer_url');
  await update(tx, 'identity_providers', id, {
    ...rest,
    ...(sealed && { client_secret_sealed: sealed }),
    ...(isOther && { authorization_url: null, read_at: null, last_error: null }),
  });
  if (VERIFIED_FIELDS.some(isChanged) || rest.is_active === false)
    await providers.endSignIns(tx, id);
  if (isOther) await providers.unlinkAll(tx, id);
  await enqueue(tx, readIdentityProvider, { tenant_id, provider_id: id });
}

/** Removes a provider with its links and ends the sessions of its users. */
export async function removeProvider({ tx }: Work, id: string) {
  await providers.endSignIns(tx, id);
  await deleteRow(tx, 'identity_providers', id);
}

/** Workers reach the issuer under the network rules of webhooks. */
async function checkUrls(work: Work, { issuer_url, redirect_url }: ProviderChanges) {
  const { webhooks } = await settingsOf(work.tx);
  const errors: Record<string, string> = {};
  if (issuer_url !== undefined) {
    const checked = checkWebhookUrl(issuer_url, work.installation.networks, webhooks);
    if ('problem' in checked) errors['issuer_url'] = checked.problem;
    if (issuer_url.includes('?')) errors['issuer_url'] = 'The URL must not contain a query.';
  }
  if (redirect_url !== undefined && !isPage(redirect_url))
    errors['redirect_url'] = 'Must be an address like https://admin.example.com/signed-in.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/**
 * A valid redirect URL. The authorization code is in the URL, so only HTTPS or the local machine is
 * allowed. Providers compare it character by character, so it must be in normalized form, without fragment
 * or query.
 */
function isPage(text: string): boolean {
  const url = URL.parse(text);
  const isOfMachine = /^(localhost|[^.]+\.localhost|127\.0\.0\.1)$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOfMachine);
  return isSafe && url?.href === text && url.username === '' && !/[#?]/.test(text);
}
