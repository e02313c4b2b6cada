import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The value of X-Webhook-Signature: HMAC-SHA256 over the bytes as they are sent, so that a
 * receiver verifies before it parses.
 */
export function signBody(secret: string, bytes: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
}

/** Whether the signature is ours for these bytes; takes the same time right or wrong. */
export function verifySignature(secret: string, bytes: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(signBody(secret, bytes));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A secret as Standard Webhooks writes them down: 24 to 64 bytes in base64. */
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/**
 * The signature of Standard Webhooks 1.0, which covers the id and the second as well, so that nobody
 * can send an old message again. Its key is what follows `whsec_`, unfolded; any other secret is the key itself.
 */
export function signStandard(secret: string, id: string, second: number, body: Uint8Array) {
  const [, folded] = STANDARD_SECRET.exec(secret) ?? [];
  const key = folded === undefined ? secret : Buffer.from(folded, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${second}.`).update(body);
  return `v1,${signature.digest('base64')}`;
}

type Sent = { webhook_id: string; event_type: string; attempt: number; body: Uint8Array };

/**
 * What goes with the bytes; of one attempt and the next only the second and its number differ.
 *
 * While a secret is replaced both sign. A receiver that compares X-Webhook-Signature with what it has
 * computed knows one secret and one value, so that header stays with the secret that it was told first until
 * the time of that is over, and X-Webhook-Signature-Next has the new one.
 */
export function signatureHeaders(
  { webhook_id, event_type, attempt, body }: Sent,
  { current, previous }: { current: string; previous: string | null },
  second = Math.floor(Date.now() / 1000),
) {
  const signature = signBody(previous ?? current, body);
  const both = [current, ...(previous === null ? [] : [previous])];
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'LoanServicing-Webhooks/1',
    'X-Webhook-Id': webhook_id,
    'X-Webhook-Event': event_type,
    'X-Webhook-Timestamp': String(second),
    'X-Webhook-Attempt': String(attempt),
    'X-Webhook-Signature': signature,
    'X-Hub-Signature-256': signature,
    ...(previous !== null && { 'X-Webhook-Signature-Next': signBody(current, body) }),
    'webhook-id': webhook_id,
    'webhook-timestamp': String(second),
    'webhook-signature': both
      .map((secret) => signStandard(secret, webhook_id, second, body))
      .join(' '),
  };
}
