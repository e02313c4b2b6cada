import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export type Certificate = { cert: string; key: string };

/** What selfsigned calls the kinds of names (RFC 5280, 4.2.1.6). */
const [DNS, ADDRESS] = [2, 7] as const;

/**
 * A certificate for the names, signed by itself, so that the demo and the tests have an HTTPS
 * receiver on any machine. Whoever trusts it names it as a certificate authority. Each has a key of its
 * own, made in milliseconds: of two that shared one, trust in the first would be trust in both.
 */
export async function makeCertificate(
  names: readonly string[],
  from: Date,
  until: Date,
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: names.map(alternative) },
    ],
  });
  return { cert: made.cert, key: made.private };
}

const alternative = (name: string) =>
  isIP(name) ? { type: ADDRESS, ip: name } : { type: DNS, value: name };
