import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { KeyMissing } from '../errors.ts';
import { DEFAULT_KEY_ID, parseKeys, findSecretProblems, type Key } from './keys.ts';

/**
 * Secrets of receivers, account numbers and the like are kept encrypted (AES-256-GCM), so that a
 * copy of the database alone shows none of them. The keys come from the secret of the installation
 * (SECRET), which is handed in once when a process starts and is never in the database. What is
 * sealed names its key: `v2:2026b:…`; `v1:…` was sealed before keys had ids.
 */
export type Keys = {
  /** The id of the key under which new things are sealed. */
  readonly current: string;
  /** Encrypts for this tenant: under another's id the text does not open. */
  seal(tenantId: string, secret: string): string;
  /** Opens what was sealed under any of the keys; without its key that is a refusal, never a blank. */
  unseal(tenantId: string, sealed: string): string;
  /**
   * The installation's signatures over a text, which begins with what it is for: that under the
   * current key first, which is given out, then those that were given out under keys before it.
   */
  signatures(text: string): [string, ...string[]];
  /** The same for the same text of the same tenant, and of no use to whoever lacks the secret. */
  keyedHash(tenantId: string, text: string): string;
  /**
   * What a sealed text is found again by, which tells nothing of it: that under the current key first,
   * which is stored, then those that were stored under keys before it.
   */
  indexes(tenantId: string, text: string): [string, ...string[]];
};

/** The keys that SECRET holds, for whatever one installation seals, signs and hashes. */
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

function seal(key: Buffer, tenantId: string, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(tenantId));
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64');
}

function unseal(keys: ReadonlyMap<string, Buffer>, tenantId: string, sealed: string): string {
  const { id, text } = partsOf(sealed);
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

function partsOf(sealed: string): { id: string; text: string } {
  const [, id = DEFAULT_KEY_ID, text = ''] = /^(?:v1|v2:([A-Za-z0-9_-]+)):(.*)$/.exec(sealed) ?? [];
  return { id, text };
}
