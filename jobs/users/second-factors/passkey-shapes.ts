import { z } from 'zod';

const BYTES_MAX = 16_384;

/** Bytes in base64url, as browsers encode them in JSON. */
const bytes = z
  .string()
  .min(1)
  .max(BYTES_MAX)
  .regex(/^[A-Za-z0-9_-]+$/, 'Must be base64url.');

const credential = { id: bytes, rawId: bytes, type: z.literal('public-key') };
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** The result of `navigator.credentials.create()` as JSON. */
export const NewPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.enum(TRANSPORTS)).max(10).default([]),
  }),
});

/** The result of `navigator.credentials.get()` as JSON. */
export const SignedPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
  }),
});
export type SignedPasskey = z.output<typeof SignedPasskey>;

const ClientData = z.object({ challenge: z.string().max(200) });

/** The challenge stated in the client data, not yet verified. Empty if it cannot be read. */
export function readChallenge(clientDataJSON: string): string {
  try {
    const text = Buffer.from(clientDataJSON, 'base64url').toString('utf8');
    return ClientData.parse(JSON.parse(text)).challenge;
  } catch {
    return '';
  }
}
