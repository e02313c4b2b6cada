import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderChannel } from '../../sql/communications/channels.ts';
import * as providers from '../../sql/communications/providers.ts';
import { lock } from '../../sql/users/settings.ts';
import { differences, record } from '../audit.ts';
import type { Work } from '../work.ts';
import { twilioSignature } from './twilio.ts';

export type Callback = {
  raw: string;
  url: string;
  header: (name: string) => string;
  now: Date;
};

/** How far the clock of a provider may be from ours. */
const SKEW_MS = 300_000;

/**
 * Whether the callback comes from one of the tenant's providers of this channel (of any, for a
 * report about a message). Without a secret nobody is believed. Answers the provider's name.
 */
export async function believe(
  { tx, tenant_id, installation: { keys } }: Work,
  channel: ProviderChannel | null,
  callback: Callback,
): Promise<string | null> {
  const known = (await providers.all(tx)).filter(
    (provider) => channel === null || provider.channel === channel,
  );
  for (const { name, secret_sealed, previous_secret_sealed } of known) {
    const secrets = [secret_sealed, previous_secret_sealed].filter((sealed) => sealed !== null);
    const isKnownBy = name.toLowerCase() === 'twilio' ? isFromTwilio : isFrom;
    if (secrets.some((sealed) => isKnownBy(keys.unseal(tenant_id, sealed), callback))) return name;
  }
  return null;
}

/** Twilio signs the address and the fields of its form, in its own way. */
function isFromTwilio(secret: string, { raw, url, header }: Callback): boolean {
  return isSame(header('X-Twilio-Signature'), twilioSignature(secret, url, formOf(raw)));
}

/** The fields of a form, each once. */
export const formOf = (raw: string) => Object.fromEntries(new URLSearchParams(raw));

/**
 * A signature over the raw bytes, dated where the provider can, or the secret itself as a token.
 */
export function isFrom(secret: string, { raw, header, now }: Callback): boolean {
  const authorization = header('Authorization');
  if (authorization.startsWith('Bearer ')) return isSame(authorization.slice(7), secret);
  const timestamp = header('X-Provider-Timestamp');
  if (timestamp !== '') {
    const sent = /^\d{9,11}$/.test(timestamp) ? Number(timestamp) * 1000 : Date.parse(timestamp);
    if (!(Math.abs(now.getTime() - sent) <= SKEW_MS)) return false;
  }
  const signed = timestamp === '' ? raw : `${timestamp}.${raw}`;
  const expected = `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;
  return isSame(header('X-Provider-Signature'), expected);
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

export type NewProvider = { name: string; account_id?: string | null | undefined; secret: string };

/**
 * Names the provider of a channel; the secret before stays valid until the next change. Two who do so
 * at once take turns, as with the settings.
 */
export async function setProvider(work: Work, channel: ProviderChannel, given: NewProvider) {
  const secret_sealed = work.installation.keys.seal(work.tenant_id, given.secret);
  const { name, account_id = null } = given;
  await lock(work.tx);
  const before = await providers.named(work.tx, channel);
  await providers.save(work.tx, { channel, name, account_id, secret_sealed });
  const id = work.tenant_id;
  const changes = differences(before && { id, ...before }, { id, name, account_id });
  const secret = { old: before && '***', new: '***' };
  const entity = { type: 'communication_providers', id };
  await record(work, entity, `name-${channel}-provider`, { ...changes, secret });
}
