import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';

/** The parameters that every authenticator app supports: SHA-1, six digits, thirty seconds (RFC 6238). */
const DEFAULT_PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
type Kind = { algorithm: string; digits: number; period: number };

/** Also accepts codes of the previous and next step, because phone clocks drift. */
const STEP_TOLERANCE = 1;

/** 160 random bits, as RFC 4226 recommends. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The time step that the code belongs to, or null. */
export function matchTotpStep(
  secret: string,
  code: string,
  atMs: number,
  kind: Kind = DEFAULT_PARAMETERS,
) {
  // Non-ASCII digits have more bytes and would make the comparison throw.
  if (!/^[0-9]{6,8}$/.test(code)) return null;
  const totp = new TOTP({ ...kind, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: atMs, window: STEP_TOLERANCE });
  return delta === null ? null : totp.counter({ timestamp: atMs }) + delta;
}

/** The setup URL for an authenticator app, and its QR code. */
export function totpLabel({
  issuer,
  email,
  secret,
}: Record<'issuer' | 'email' | 'secret', string>) {
  const totp = new TOTP({
    ...DEFAULT_PARAMETERS,
    issuer,
    label: email,
    secret: Secret.fromBase32(secret),
  });
  const otpauth_url = totp.toString();
  return { otpauth_url, qr_svg: renderSVG(otpauth_url) };
}
