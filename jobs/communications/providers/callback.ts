import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What somebody posted who may be a provider. */
export type Callback = {
  raw: string;
  url: string;
  header: (name: string) => string;
  now: Date;
  /** The certificate that the callback says it is signed with, where it is known here. */
  certificate?: string | null;
};

/** What the tenant has agreed with the provider. */
export type ProviderCredentials = { account_id: string | null; secret: string };

/** All that is known of one provider: whether to believe it, and what its words mean in ours. */
export type Provider = {
  /** What cannot be agreed with it: the field, and why. */
  problem?: (agreed: ProviderCredentials) => Record<string, string> | null;
  /** Whether what was agreed proves that the callback is the provider's. */
  isFrom: (agreed: ProviderCredentials, callback: Callback) => boolean;
  /** A word of the callback that is good for one of them alone. */
  onceOnly?: (callback: Callback) => string;
  /** Where the certificate is that signs the callback, if it stands where the provider's stand. */
  certificateUrl?: (callback: Callback) => string | null;
  /** Whether it is worth asking for that certificate. */
  isAnnounced?: (agreed: ProviderCredentials, callback: Callback) => boolean;
  /** What has to be visited once before the provider calls. */
  subscribeUrl?: (callback: Callback) => string | null;
  /** Its body as reports about messages, or as a message that came in. */
  reports: z.ZodType;
  message: z.ZodType;
};

/** How far the clock of a provider may be from ours. */
const SKEW_MS = 300_000;

/** Whether a moment, in seconds since 1970 or as text, is about now. */
export function isFresh(moment: string, now: Date, within = SKEW_MS): boolean {
  const sent = /^\d{9,11}$/.test(moment) ? Number(moment) * 1000 : Date.parse(moment);
  return Math.abs(now.getTime() - sent) <= within;
}

/** In constant time. */
export function equalsInConstantTime(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The secret as the password of HTTP Basic, in the address that the provider was given; any user will do. */
export function isBasicPasswordValid(
  { secret }: ProviderCredentials,
  { header }: Callback,
): boolean {
  const [scheme = '', encoded = ''] = header('Authorization').split(' ');
  if (scheme.toLowerCase() !== 'basic') return false;
  const credentials = Buffer.from(encoded, 'base64').toString();
  return equalsInConstantTime(credentials.slice(credentials.indexOf(':') + 1), secret);
}

/** The fields of a form, each once. */
export const parseForm = (raw: string) => Object.fromEntries(new URLSearchParams(raw));

/** What the body says, before anything is known of its shape. */
export function parseBody({ raw, header }: Callback): unknown {
  if (header('Content-Type').startsWith('application/x-www-form-urlencoded')) return parseForm(raw);
  return raw === '' ? {} : JSON.parse(raw);
}

/** Seconds since 1970 as other times are said; what is no time is left out. */
export const toTimestamp = (seconds: number): string | undefined =>
  Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : undefined;

/** A body of which nothing is demanded here, since our own schema reads what it becomes. */
export const anyBody = z.unknown();
/** A provider that does not bring what borrowers write. */
export const unsupportedBody = z.never({
  error: 'This provider does not deliver messages to this endpoint.',
});
