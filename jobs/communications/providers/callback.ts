import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** A request to a callback endpoint, not yet verified. */
export type Callback = {
  raw: string;
  url: string;
  header: (name: string) => string;
  now: Date;
  /** The signing certificate that the callback names, if it is already stored. */
  certificate?: string | null;
};

/** The credentials agreed with the provider. */
export type ProviderCredentials = { account_id: string | null; secret: string };

/** How to verify one provider's callbacks and map their content to our format. */
export type Provider = {
  /** Validates the credentials: a problem per field, or null. */
  problem?: (agreed: ProviderCredentials) => Record<string, string> | null;
  /** Whether the credentials prove that the callback is authentic. */
  isFrom: (agreed: ProviderCredentials, callback: Callback) => boolean;
  /** A token in the callback that may be used only once. */
  onceOnly?: (callback: Callback) => string;
  /** The URL of the signing certificate if it is on the provider's own host, otherwise null. */
  certificateUrl?: (callback: Callback) => string | null;
  /** Whether the callback is credible enough to download its certificate. */
  isAnnounced?: (agreed: ProviderCredentials, callback: Callback) => boolean;
  /** A URL to request once to activate the provider's callbacks. */
  subscribeUrl?: (callback: Callback) => string | null;
  /** Parse the body as delivery reports or as an inbound message. */
  reports: z.ZodType;
  message: z.ZodType;
};

/** Maximum difference between the provider's clock and ours. */
const SKEW_MS = 300_000;

/** Whether a time (seconds since 1970, or a date string) is close to now. */
export function isFresh(moment: string, now: Date, within = SKEW_MS): boolean {
  const sent = /^\d{9,11}$/.test(moment) ? Number(moment) * 1000 : Date.parse(moment);
  return Math.abs(now.getTime() - sent) <= within;
}

export function equalsInConstantTime(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The secret is the HTTP Basic password in the URL given to the provider. Any user name is accepted. */
export function isBasicPasswordValid(
  { secret }: ProviderCredentials,
  { header }: Callback,
): boolean {
  const [scheme = '', encoded = ''] = header('Authorization').split(' ');
  if (scheme.toLowerCase() !== 'basic') return false;
  const credentials = Buffer.from(encoded, 'base64').toString();
  return equalsInConstantTime(credentials.slice(credentials.indexOf(':') + 1), secret);
}

/** The fields of a form. Of repeated fields the last value counts. */
export const parseForm = (raw: string) => Object.fromEntries(new URLSearchParams(raw));

/** Parses a form or JSON body, without validation. */
export function parseBody({ raw, header }: Callback): unknown {
  if (header('Content-Type').startsWith('application/x-www-form-urlencoded')) return parseForm(raw);
  return raw === '' ? {} : JSON.parse(raw);
}

/** Converts seconds since 1970 to ISO 8601. Undefined if out of range. */
export const toTimestamp = (seconds: number): string | undefined =>
  Math.abs(seconds) < 8e12 ? new Date(seconds * 1000).toISOString() : undefined;

/** Accepts any body, because the platform's own schema validates it afterwards. */
export const anyBody = z.unknown();
/** For providers that do not deliver inbound messages. */
export const unsupportedBody = z.never({
  error: 'This provider does not deliver messages to this endpoint.',
});
