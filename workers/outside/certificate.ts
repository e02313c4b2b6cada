import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export type Certificate = { cert: string; key: string };

/**
 * A certificate for the names, signed by itself, so that the demo and the tests have an HTTPS
 * receiver on any machine. Whoever trusts it names it as a certificate authority.
 */
export function makeCertificate(names: readonly string[], from: Date, until: Date): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const name = sequence(set(sequence(oid(COMMON_NAME), text(0x0c, names[0] ?? 'localhost'))));
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    keyInfo,
    der(0xa3, extensions(names, keyInfo)),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(body, algorithm, bits(signature));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
}

const COMMON_NAME = [0x55, 0x04, 0x03];
const ALTERNATIVE_NAMES = [0x55, 0x1d, 0x11];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const SUBJECT_KEY_ID = [0x55, 0x1d, 0x0e];
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];

function extensions(names: readonly string[], keyInfo: Buffer): Buffer {
  const alternatives = names.map((name) =>
    /^\d+(\.\d+){3}$/.test(name)
      ? der(0x87, Buffer.from(name.split('.').map(Number)))
      : text(0x82, name),
  );
  const keyId = createHash('sha1').update(keyInfo).digest();
  return sequence(
    sequence(oid(ALTERNATIVE_NAMES), der(0x04, sequence(...alternatives))),
    sequence(oid(BASIC_CONSTRAINTS), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(oid(SUBJECT_KEY_ID), der(0x04, der(0x04, keyId))),
  );
}

/** One value of the encoding that certificates are written in (DER): its tag, length, content. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size =
    length < 0x80
      ? [length]
      : length < 0x100
        ? [0x81, length]
        : [0x82, Math.floor(length / 0x100), length % 0x100];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: readonly Buffer[]) => der(0x30, ...contents);
const set = (...contents: readonly Buffer[]) => der(0x31, ...contents);
const oid = (bytes: readonly number[]) => der(0x06, Buffer.from(bytes));
const integer = (bytes: Buffer) => der(0x02, bytes);
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes);
const text = (tag: number, value: string) => der(tag, Buffer.from(value));
const time = (date: Date) => text(0x18, date.toISOString().replace(/[-:T]|\.\d+/g, ''));
