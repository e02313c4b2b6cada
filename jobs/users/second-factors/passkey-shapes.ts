import { z } from 'zod';

const BYTES_MAX = 16_384;

/** Bytes in base64url, as browsers encode them in JSON. */
const bytes = z
  .string()
  .min(1)
  .max(BYTES_MAX)
  .regex(/^[A-Za-z0-9_-]+$/, 'Must be base64url.');

const credential = {
  id: bytes.describe('The id of the credential, in base64url.'),
  rawId: bytes.describe('The same id, as browsers send it twice.'),
  type: z.literal('public-key').describe('The kind of credential, as sent by the browser.'),
};
const clientDataJSON = bytes.describe(
  'The challenge and origin that the browser signed, in base64url.',
);
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** The result of `navigator.credentials.create()` as JSON. */
export const NewPasskey = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON,
      attestationObject: bytes.describe('The new public key, in base64url.'),
      transports: z
        .array(z.enum(TRANSPORTS))
        .max(10)
        .default([])
        .describe('How the browser can reach the authenticator, as sent by the browser.'),
    })
    .describe("The authenticator's answer, as sent by the browser."),
});

/** The result of `navigator.credentials.get()` as JSON. */
export const SignedPasskey = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON,
      authenticatorData: bytes.describe("The authenticator's data, in base64url."),
      signature: bytes.describe('The signature over both, in base64url.'),
    })
    .describe("The authenticator's answer, as sent by the browser."),
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
