import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The value of X-Webhook-Signature: HMAC-SHA256 over the raw bytes, so that a receiver can verify before
 * parsing.
 */
export function signBody(secret: string, bytes: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
}

/** Whether the signature is valid for these bytes. Constant time. */
export function verifySignature(secret: string, bytes: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(signBody(secret, bytes));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A Standard Webhooks secret: 24 to 64 bytes in base64. */
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/;

/**
 * The signature of Standard Webhooks 1.0. It also covers the id and the timestamp, which prevents replays.
 * The key is the decoded part after `whsec_`; any other secret is used as it is.
 */
export function signStandard(secret: string, id: string, second: number, body: Uint8Array) {
  const [, folded] = STANDARD_SECRET.exec(secret) ?? [];
  const key = folded === undefined ? secret : Buffer.from(folded, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${second}.`).update(body);
  return `v1,${signature.digest('base64')}`;
}

type Sent = { webhook_id: string; event_type: string; attempt: number; body: Uint8Array };

/**
 * The headers of a delivery. Between attempts only the timestamp and the attempt number differ.
 *
 * During a rotation both secrets sign. A receiver compares X-Webhook-Signature with a single value, so that
 * header uses the previous secret until the overlap ends, and X-Webhook-Signature-Next uses the new one.
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
