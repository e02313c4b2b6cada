import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Secrets of receivers are kept encrypted (AES-256-GCM), so that a copy of the database alone cannot
 * sign in our name. The key is handed in once when a process starts and is never in the database.
 */
let key: Buffer | undefined;

export function useSecretsKey(given: Buffer) {
  if (given.length !== 32) throw new Error('The secrets key must be 32 bytes.');
  key = given;
}

const KEY_TEXT = /^[0-9a-f]{64}$/i;

/**
 * The key that the environment gives as SECRETS_KEY (64 hex digits), or else the one in
 * DATA_DIR/secrets.key, which the first process makes. Processes that share a database must share it.
 */
export function readSecretsKey(given: { SECRETS_KEY?: string | undefined; DATA_DIR: string }) {
  const text = given.SECRETS_KEY ?? keyIn(given.DATA_DIR);
  if (!KEY_TEXT.test(text)) throw new Error('SECRETS_KEY must be 64 hexadecimal digits.');
  return Buffer.from(text, 'hex');
}

function keyIn(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'secrets.key');
  try {
    // Whoever is second finds the file there and takes the first one's key.
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** Encrypts for this tenant: under another's id the text does not open. */
export function seal(tenantId: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyInUse(), iv).setAAD(Buffer.from(tenantId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
}

export function unseal(tenantId: string, sealed: string): string {
  const bytes = Buffer.from(sealed.replace(/^v1:/, ''), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyInUse(), bytes.subarray(0, 12))
    .setAAD(Buffer.from(tenantId))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

function keyInUse(): Buffer {
  if (!key) throw new Error('The process started without useSecretsKey().');
  return key;
}
