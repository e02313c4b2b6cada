import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { KeyMissing } from '../errors.ts';
import { DEFAULT_KEY_ID, parseKeys, findSecretProblems, type Key } from './keys.ts';

/**
 * Encrypts webhook secrets, account numbers and similar values (AES-256-GCM), so that a copy of the
 * database does not reveal them. The keys come from SECRET, which a process receives at start and which is
 * never stored in the database. A sealed value names its key: `v2:2026b:…`; `v1:…` dates from before keys
 * had ids.
 */
export type Keys = {
  /** The id of the current key. */
  readonly current: string;
  /** Encrypts for this tenant. The value cannot be opened under another tenant's id. */
  seal(tenantId: string, secret: string): string;
  /**
   * Decrypts a value sealed under any of the keys. Throws KeyMissing, and never returns an empty text
   * instead.
   */
  unseal(tenantId: string, sealed: string): string;
  /**
   * Signatures over a text, which must begin with its purpose. The first is made with the current key and
   * is the one to issue; the others verify signatures of older keys.
   */
  signatures(text: string): [string, ...string[]];
  /** A deterministic hash per tenant and text, which cannot be computed without SECRET. */
  keyedHash(tenantId: string, text: string): string;
  /**
   * Blind indexes to find a sealed text by its value. The first is made with the current key and is stored;
   * the others find values stored under older keys.
   */
  indexes(tenantId: string, text: string): [string, ...string[]];
};

/** Derives the sealing, signing and indexing keys from SECRET. Throws if SECRET is invalid. */
export function deriveKeys(secret: string): Keys {
  const [problem] = findSecretProblems(secret);
  if (problem) throw new Error(`SECRET: ${problem}`);
  const [current, ...others] = parseKeys(secret);
  const derived = (key: Key, use: string) => createHmac('sha256', key.secret).update(use).digest();
  const sealing = derived(current, 'webhook-secrets');
  const opening = new Map(
    others.map((key) => [key.id, derived(key, 'webhook-secrets')] as const),
  ).set(current.id, sealing);
  const signing = derived(current, 'signatures');
  const before = others.map((key) => derived(key, 'signatures'));
  const signed = (key: Buffer, text: string) => createHmac('sha256', key).update(text);
  const indexed = (key: Key, tenantId: string, text: string) =>
    signed(signed(derived(key, 'blind-index'), tenantId).digest(), text).digest('hex');
  return {
    current: current.id,
    seal: (tenantId, text) => `v2:${current.id}:${seal(sealing, tenantId, text)}`,
    unseal: (tenantId, sealed) => unseal(opening, tenantId, sealed),
    signatures: (text) => [
      signed(signing, text).digest('base64url'),
      ...before.map((key) => signed(key, text).digest('base64url')),
    ],
    keyedHash: (tenantId, text) => signed(signing, `keyed-hash ${tenantId} ${text}`).digest('hex'),
    indexes: (tenantId, text) => [
      indexed(current, tenantId, text),
      ...others.map((key) => indexed(key, tenantId, text)),
    ],
  };
}

/** SECRET from the environment, otherwise the one in the data folder, which is created on first use. */
export function readSecret(given: { SECRET?: string | undefined; DATA_DIR: string }): string {
  if (given.SECRET) return given.SECRET;
  mkdirSync(given.DATA_DIR, { recursive: true });
  const file = path.join(given.DATA_DIR, 'secret');
  try {
    // If two processes start together, the second one uses the first one's file.
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

function seal(key: Buffer, tenantId: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(tenantId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
}

function unseal(keys: ReadonlyMap<string, Buffer>, tenantId: string, sealed: string): string {
  const { id, text } = parseSealed(sealed);
  const key = keys.get(id);
  if (!key) throw new KeyMissing(id);
  const bytes = Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(tenantId)).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new KeyMissing(id, { cause: error });
  }
}

function parseSealed(sealed: string): { id: string; text: string } {
  const [, id = DEFAULT_KEY_ID, text = ''] = /^(?:v1|v2:([A-Za-z0-9_-]+)):(.*)$/.exec(sealed) ?? [];
  return { id, text };
}
