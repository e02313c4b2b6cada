import type { ProviderChannel } from '../../../sql/communications/channels.ts';
import * as providers from '../../../sql/communications/providers.ts';
import { lockSettings } from '../../../sql/users/settings.ts';
import { differences, recordAudit } from '../../audit.ts';
import { Invalid } from '../../errors.ts';
import { enqueue } from '../../job.ts';
import type { Work } from '../../work.ts';
import { confirmSubscription } from './confirm-subscription.job.ts';
import type { Callback, Provider } from '../providers/callback.ts';
import { providerByName } from '../providers/registry.ts';
import { readCertificate } from './read-certificate.job.ts';

export type VerifiedProvider = { name: string; channel: ProviderChannel; provider: Provider };

/**
 * Verifies that a callback comes from one of the tenant's providers of this channel (null: any channel). If
 * the provider's signing certificate is not stored yet, returns its URL. Returns null if the callback is
 * not authentic; a provider without a secret is never trusted.
 */
export async function verifyCallback(
  { tx, tenant_id, installation: { keys } }: Work,
  channel: ProviderChannel | null,
  callback: Callback,
): Promise<VerifiedProvider | { certificate_url: string } | null> {
  const known = (await providers.listProviders(tx)).filter(
    (provider) => channel === null || provider.channel === channel,
  );
  let awaited: string | null = null;
  for (const { name, account_id, secret_sealed, previous_secret_sealed, ...found } of known) {
    const provider = providerByName(name);
    const agreements = [secret_sealed, previous_secret_sealed]
      .filter((sealed) => sealed !== null)
      .map((sealed) => ({ account_id, secret: keys.unseal(tenant_id, sealed) }));
    const url = provider.certificateUrl?.(callback) ?? null;
    const certificate = url === null ? null : await providers.findCertificate(tx, url);
    const whole = { ...callback, certificate };
    if (agreements.some((agreed) => provider.isFrom(agreed, whole)))
      return { name, channel: found.channel, provider };
    const isAnnounced = agreements.some((agreed) => provider.isAnnounced?.(agreed, callback));
    if (isAnnounced && certificate === null) awaited ??= url;
  }
  return awaited === null ? null : { certificate_url: awaited };
}

/** Enqueues the download of the certificate. The provider's next call is verified with it. */
export const requestCertificate = ({ tx, tenant_id }: Work, url: string) =>
  enqueue(tx, readCertificate, { tenant_id, url });

/**
 * Accepts a verified callback: uses up its one-time token and, if needed, enqueues the confirmation of the
 * subscription. Returns false for a repeated callback.
 */
export async function acceptCallback(
  { tx, tenant_id }: Work,
  { channel, provider }: VerifiedProvider,
  callback: Callback,
): Promise<boolean> {
  const token = provider.onceOnly?.(callback);
  if (token !== undefined && !(await providers.useProviderToken(tx, token))) return false;
  const url = provider.subscribeUrl?.(callback) ?? null;
  if (url !== null) {
    await providers.saveSubscribeUrl(tx, channel, url);
    await enqueue(tx, confirmSubscription, { tenant_id, channel });
  }
  return true;
}

export type NewProvider = { name: string; account_id?: string | null | undefined; secret: string };

/**
 * Sets the provider of a channel. The previous secret stays valid until the next change. Concurrent calls
 * are serialized by the settings lock.
 */
export async function setProvider(work: Work, channel: ProviderChannel, given: NewProvider) {
  const { name, account_id = null, secret: plain } = given;
  const problem = providerByName(name).problem?.({ account_id, secret: plain });
  if (problem) throw new Invalid(problem);
  const secret_sealed = work.installation.keys.seal(work.tenant_id, plain);
  await lockSettings(work.tx);
  const before = await providers.findProvider(work.tx, channel);
  await providers.saveProvider(work.tx, { channel, name, account_id, secret_sealed });
  const id = work.tenant_id;
  const changes = differences(before && { id, ...before }, { id, name, account_id });
  const secret = { old: before && '***', new: '***' };
  const entity = { type: 'communication_providers', id };
  await recordAudit(work, entity, `name-${channel}-provider`, { ...changes, secret });
}
