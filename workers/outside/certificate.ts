import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export type Certificate = { cert: string; key: string };

/** selfsigned's numbers for kinds of names (RFC 5280, 4.2.1.6). */
const [DNS, ADDRESS] = [2, 7] as const;

/**
 * Creates a self-signed certificate, so that the demo and the tests have an HTTPS receiver on any machine.
 * Clients trust it as a certificate authority. Each certificate has its own key; with a shared key,
 * trusting one would mean trusting all.
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
      { name: 'subjectAltName', altNames: names.map(alternativeName) },
    ],
  });
  return { cert: made.cert, key: made.private };
}

const alternativeName = (name: string) =>
  isIP(name) ? { type: ADDRESS, ip: name } : { type: DNS, value: name };
