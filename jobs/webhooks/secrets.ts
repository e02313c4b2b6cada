import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Secrets of receivers are kept encrypted (AES-256-GCM), so that a copy of the database alone
 * cannot sign in our name. The key comes from the secret of the installation (SECRET), which is
 * handed in once when a process starts and is never in the database.
 */
let key: Buffer | undefined;
let signingKey: Buffer | undefined;

export function useSecret(secret: string) {
  if (secret.length < 32) throw new Error('SECRET must have at least 32 characters.');
  key = createHmac('sha256', secret).update('webhook-secrets').digest();
  signingKey = createHmac('sha256', secret).update('signatures').digest();
}

/** The installation's signature over a text, which begins with what it is for. */
export const signature = (text: string) =>
  createHmac('sha256', inUse(signingKey)).update(text).digest('base64url');

/**
 * The secret that the environment names, or else the one of the data folder, made at its first use.
 */
export function readSecret(given: { SECRET?: string | undefined; DATA_DIR: string }): string {
  if (given.SECRET) return given.SECRET;
  mkdirSync(given.DATA_DIR, { recursive: true });
  const file = path.join(given.DATA_DIR, 'secret');
  try {
    // Whoever is second finds the file there and takes the first one's secret.
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** Encrypts for this tenant: under another's id the text does not open. */
export function seal(tenantId: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', inUse(key), iv).setAAD(Buffer.from(tenantId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return `v1:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64')}`;
}

export function unseal(tenantId: string, sealed: string): string {
  const bytes = Buffer.from(sealed.replace(/^v1:/, ''), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', inUse(key), bytes.subarray(0, 12))
    .setAAD(Buffer.from(tenantId))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}

/** The same for the same text of the same tenant, and of no use to whoever lacks the secret. */
export const keyedHash = (tenantId: string, text: string): string =>
  createHmac('sha256', inUse(key)).update(`keyed-hash ${tenantId} ${text}`).digest('hex');

function inUse(made: Buffer | undefined): Buffer {
  if (!made) throw new Error('The process started without useSecret().');
  return made;
}
