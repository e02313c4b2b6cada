import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The value of X-Webhook-Signature: HMAC-SHA256 over the bytes as they are sent, so that a
 * receiver verifies before it parses.
 */
export function sign(secret: string, bytes: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
}

/** Whether the signature is ours for these bytes; takes the same time right or wrong. */
export function verify(secret: string, bytes: Uint8Array, signature: string): boolean {
  const expected = Buffer.from(sign(secret, bytes));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
