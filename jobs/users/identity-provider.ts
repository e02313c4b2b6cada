import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import * as providers from '../../sql/users/identity-providers.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { insert, deleteRow, update } from '../../sql/write.ts';
import { Invalid } from '../errors.ts';
import { enqueue } from '../job.ts';
import { checkWebhookUrl } from '../networks/host-url.ts';
import type { Work } from '../work.ts';
import { readIdentityProvider } from './read-identity-provider.job.ts';
import { settingsOf } from './settings.ts';

/** What of a claim means which role here; of several the highest counts. */
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
type Given = Named & { client_secret: string };
type Changes = { [Field in keyof Given]?: Given[Field] | undefined };

/** Keeps a provider, its secret sealed; people are sent there once a worker has read what it says of itself. */
export async function addProvider(work: Work, { client_secret, ...given }: Given) {
  const { tx, tenant_id } = work;
  await checkUrls(work, given);
  const id = await insert(tx, 'identity_providers', {
    ...given,
    client_secret_sealed: work.installation.keys.seal(tenant_id, client_secret),
  });
  await enqueue(tx, readIdentityProvider, { tenant_id, provider_id: id });
  return id;
}

/** What decides who somebody is and what that person may do here. */
const DECIDING = ['issuer_url', 'client_id', 'role_claim', 'roles', 'trusts_amr'] as const;

/**
 * Changes a provider. Sessions of the users whom it knows end when something changes that decided about
 * them. With another issuer their links end as well: the same subject there is another person.
 */
export async function changeProvider(work: Work, id: string, changes: Changes, row: object) {
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
  if (DECIDING.some(isChanged) || rest.is_active === false) await providers.endSignIns(tx, id);
  if (isOther) await providers.unlinkAll(tx, id);
  await enqueue(tx, readIdentityProvider, { tenant_id, provider_id: id });
}

/** Removes a provider with its links. The sessions of the users whom it knows end. */
export async function removeProvider({ tx }: Work, id: string) {
  await providers.endSignIns(tx, id);
  await deleteRow(tx, 'identity_providers', id);
}

/** The issuer is reached by workers, through the door that webhooks go through. */
async function checkUrls(work: Work, { issuer_url, redirect_url }: Changes) {
  const { webhooks } = await settingsOf(work.tx);
  const errors: Record<string, string> = {};
  if (issuer_url !== undefined) {
    const checked = checkWebhookUrl(issuer_url, work.installation.networks, webhooks);
    if ('problem' in checked) errors['issuer_url'] = checked.problem;
    if (issuer_url.includes('?')) errors['issuer_url'] = 'The URL must not hold a query.';
  }
  if (redirect_url !== undefined && !isPage(redirect_url))
    errors['redirect_url'] = 'Must be an address like https://admin.example.com/signed-in.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/**
 * Codes come back there in the address, so nothing but HTTPS or the machine itself will do. It is compared
 * letter by letter, so it has to be written as an address is, and holds nothing that is added to it.
 */
function isPage(text: string): boolean {
  const url = URL.parse(text);
  const isOfMachine = /^(localhost|[^.]+\.localhost|127\.0\.0\.1)$/.test(url?.hostname ?? '');
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOfMachine);
  return isSafe && url?.href === text && url.username === '' && !/[#?]/.test(text);
}
