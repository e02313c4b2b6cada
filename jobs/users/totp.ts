import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

/** As every authenticator app takes them: SHA-1, six digits, thirty seconds (RFC 6238). */
const USUAL = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
type Kind = { algorithm: string; digits: number; period: number };

/** Codes of the step before and after are taken as well: clocks of telephones go wrong. */
const STEPS_BESIDE = 1;

/** 160 random bits, as RFC 4226 asks for. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** Which step of time the code is of, at about this moment; null where it is of none. */
export function matchTotpStep(secret: string, code: string, atMs: number, kind: Kind = USUAL) {
  // What has letters of other scripts in it is longer in bytes, and cannot be compared.
  if (!/^[0-9]{6,8}$/.test(code)) return null;
  const totp = new TOTP({ ...kind, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: atMs, window: STEPS_BESIDE });
  return delta === null ? null : totp.counter({ timestamp: atMs }) + delta;
}

/** What an app reads, as an address and as a picture of it. */
export function totpLabel({
  issuer,
  email,
  secret,
}: Record<'issuer' | 'email' | 'secret', string>) {
  const totp = new TOTP({ ...USUAL, issuer, label: email, secret: Secret.fromBase32(secret) });
  const otpauth_url = totp.toString();
  return { otpauth_url, qr_svg: renderSVG(otpauth_url) };
}
