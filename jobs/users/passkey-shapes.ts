import { z } from 'zod';

const BYTES_MAX = 16_384;

/** Bytes as browsers write them in JSON. */
const bytes = z
  .string()
  .min(1)
  .max(BYTES_MAX)
  .regex(/^[A-Za-z0-9_-]+$/, 'Must be base64url.');

const credential = { id: bytes, rawId: bytes, type: z.literal('public-key') };
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** What navigator.credentials.create() has made, as its toJSON() writes it. */
export const NewPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.enum(TRANSPORTS)).max(10).default([]),
  }),
});

/** What navigator.credentials.get() has signed, as its toJSON() writes it. */
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

/** Which challenge it answers, as far as it says so itself; nothing where it says nothing. */
export function readChallenge(clientDataJSON: string): string {
  try {
    const text = Buffer.from(clientDataJSON, 'base64url').toString('utf8');
    return ClientData.parse(JSON.parse(text)).challenge;
  } catch {
    return '';
  }
}
