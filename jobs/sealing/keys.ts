import { createHmac } from 'node:crypto';
import { z } from 'zod';

/**
 * One of the keys in SECRET: `2026b:…,2026a:…`. The first key is current: it seals and signs. The others
 * open and verify older data. A key without an id dates from before keys had ids.
 */
export type Key = { id: string; secret: string };

/** The id of a key without an id, and of everything made before keys had ids. */
export const DEFAULT_KEY_ID = 'first';
const NAMED_KEY = /^([A-Za-z0-9_-]{1,32}):(.*)$/s;
const SECRET_LENGTH_MIN = 32;

/**
 * The keys of SECRET, the current one first. A value without any id is a single key, even if it contains
 * commas.
 */
export function parseKeys(secret: string): [Key, ...Key[]] {
  const parts = secret.split(',').map((part) => part.trim());
  if (!parts.some((part) => NAMED_KEY.test(part))) return [{ id: DEFAULT_KEY_ID, secret }];
  const [current = '', ...others] = parts;
  return [keyOf(current), ...others.map(keyOf)];
}

function keyOf(part: string): Key {
  const [, id, secret] = NAMED_KEY.exec(part) ?? [];
  return id === undefined || secret === undefined
    ? { id: DEFAULT_KEY_ID, secret: part }
    : { id, secret };
}

export const findKey = (secret: string, id: string) =>
  parseKeys(secret).find((key) => key.id === id);

/** One sentence per problem. None contains a part of the secret. */
export function findSecretProblems(secret: string): string[] {
  const keys = parseKeys(secret);
  const short = keys.filter((key) => key.secret.length < SECRET_LENGTH_MIN);
  const ids = keys.map(({ id }) => id);
  const twice = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));
  return [
    ...short.map(({ id }) =>
      keys.length === 1 && id === DEFAULT_KEY_ID
        ? 'Must have at least 32 characters.'
        : `The key ${id} must have at least 32 characters.`,
    ),
    ...[...twice].map((id) => `Two keys have the id ${id}.`),
  ];
}

export const Secret = z.string().superRefine((secret, context) => {
  for (const message of findSecretProblems(secret)) context.addIssue({ code: 'custom', message });
});

/** A fingerprint by which processes compare their keys. The key cannot be derived from it. */
export const keyCheckValue = ({ secret }: Key) =>
  createHmac('sha256', secret).update('check-value').digest('hex').slice(0, 32);

type Read = { NODE_ENV?: unknown; SECRET?: unknown };

/** SECRET is required in production. Otherwise a key in the data folder is used. */
export const hasRequiredSecret = (read: Read) =>
  read.NODE_ENV !== 'production' || read.SECRET !== undefined;

/** Checked even if other variables are invalid, so that all problems are reported together. */
export const SECRET_REQUIRED = {
  path: ['SECRET'],
  message: 'Is required in production. Use the same value for the API and all workers.',
  when: () => true,
};
