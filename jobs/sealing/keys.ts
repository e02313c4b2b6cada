import { createHmac } from 'node:crypto';
import { z } from 'zod';

/**
 * SECRET holds one key or several: `2026b:…,2026a:…`. The first is the current one, under which new
 * things are sealed and signed; the others open and verify what was made under them before. A key
 * without an id is the one that was there before keys had ids.
 */
export type Key = { id: string; secret: string };

/** The id of a key that was given without one, and of all that was made before keys had ids. */
export const DEFAULT_KEY_ID = 'first';
const NAMED = /^([A-Za-z0-9_-]{1,32}):(.*)$/s;
const SECRET_LENGTH_MIN = 32;

/** The keys, the current one first. A value without any id is one key, whatever is in it. */
export function parseKeys(secret: string): [Key, ...Key[]] {
  const parts = secret.split(',').map((part) => part.trim());
  if (!parts.some((part) => NAMED.test(part))) return [{ id: DEFAULT_KEY_ID, secret }];
  const [current = '', ...others] = parts;
  return [keyOf(current), ...others.map(keyOf)];
}

function keyOf(part: string): Key {
  const [, id, secret] = NAMED.exec(part) ?? [];
  return id === undefined || secret === undefined
    ? { id: DEFAULT_KEY_ID, secret: part }
    : { id, secret };
}

/** The key of this id, if SECRET names it. */
export const findKey = (secret: string, id: string) =>
  parseKeys(secret).find((key) => key.id === id);

/** A sentence for each thing that is wrong; no sentence holds any of the secret. */
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

/** What a process tells of its key so that another can be told from it: nothing leads back. */
export const keyCheckValue = ({ secret }: Key) =>
  createHmac('sha256', secret).update('check-value').digest('hex').slice(0, 32);

type Read = { NODE_ENV?: unknown; SECRET?: unknown };

/** Whoever seals or signs in production says with what; elsewhere the data folder holds a key. */
export const hasRequiredSecret = (read: Read) =>
  read.NODE_ENV !== 'production' || read.SECRET !== undefined;

/** Asked even where other variables are wrong, so that all problems are listed at once. */
export const SECRET_REQUIRED = {
  path: ['SECRET'],
  message: 'Is needed in production, the same for the API and all workers.',
  when: () => true,
};
