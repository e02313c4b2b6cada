import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type Options = { challenge: string; rp?: { id: string }; rpId?: string };
type CeremonyRequest = { options: Options; origin: string };

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const base64url = (bytes: Buffer) => bytes.toString('base64url');

/** PRESENT: the user touched the device. ATTESTED_KEY: a new public key follows. */
const USER_PRESENT = 0x01;
const ATTESTED_KEY = 0x40;

/**
 * An authenticator as a browser sees it (WebAuthn, ES256, no attestation). It can also sign what a genuine
 * one would refuse: for another origin, for another host, or as a clone with an older counter.
 */
export function newAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let count = 0;

  const clientData = (type: string, { options: { challenge }, origin }: CeremonyRequest) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  function data(host: string, flags: number, rest: Buffer, counted: number) {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(counted);
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter, rest]);
  }
  const named = { id: base64url(id), rawId: base64url(id), type: 'public-key' };

  return {
    create(asked: CeremonyRequest, host = asked.options.rp?.id ?? '') {
      const length = Buffer.from([id.length >> 8, id.length & 0xff]);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseOf(publicKey)]);
      const authData = data(host, USER_PRESENT | ATTESTED_KEY, credential, count);
      const response = {
        clientDataJSON: base64url(clientData('webauthn.create', asked)),
        attestationObject: base64url(attestationOf(authData)),
        transports: ['internal'],
      };
      return { ...named, response };
    },
    get(asked: CeremonyRequest, { host = asked.options.rpId ?? '', at = (count += 1) } = {}) {
      const client = clientData('webauthn.get', asked);
      const authenticatorData = data(host, USER_PRESENT, Buffer.alloc(0), at);
      const signature = signBytes(privateKey, Buffer.concat([authenticatorData, sha256(client)]));
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authenticatorData),
        signature: base64url(signature),
      };
      return { ...named, response };
    },
  };
}

const signBytes = (key: KeyObject, bytes: Buffer) => sign('sha256', bytes, key);

/** CBOR: { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = (text: string) => Buffer.concat([bytesOf(32), Buffer.from(text, 'base64url')]);
  const head = Buffer.from('a5010203262001', 'hex');
  return Buffer.concat([head, Buffer.from([0x21]), point(x), Buffer.from([0x22]), point(y)]);
}

/** CBOR: { fmt: 'none', attStmt: {}, authData }. */
const attestationOf = (authData: Buffer) =>
  Buffer.concat([
    Buffer.from([0xa3]),
    textOf('fmt'),
    textOf('none'),
    textOf('attStmt'),
    Buffer.from([0xa0]),
    textOf('authData'),
    bytesOf(authData.length),
    authData,
  ]);

const textOf = (text: string) =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
const bytesOf = (length: number) =>
  length < 256 ? Buffer.from([0x58, length]) : Buffer.from([0x59, length >> 8, length & 0xff]);
