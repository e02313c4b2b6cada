/** Maximum length of a JSON field, written out. */
const JSON_LENGTH_MAX = 16_384;

/**
 * Whether a value stays within JSON_LENGTH_MAX when written as JSON. Stops counting at the limit, so a long
 * value costs no more than a short one.
 */
export const isWithinSizeLimit = (value: unknown): boolean =>
  minimumLength(value, JSON_LENGTH_MAX) <= JSON_LENGTH_MAX &&
  JSON.stringify(value).length <= JSON_LENGTH_MAX;

/** A lower bound of the value's length as JSON, without escapes. Stops above `most`. */
function minimumLength(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let length = 1;
  if (Array.isArray(value)) {
    for (const inner of value as unknown[]) {
      length += 1 + minimumLength(inner, most - length);
      if (length > most) return length;
    }
  } else {
    for (const key in value) {
      length += key.length + 4 + minimumLength((value as Json)[key], most - length);
      if (length > most) return length;
    }
  }
  return Math.max(2, length);
}
type Json = Record<string, unknown>;

/** Whether no key at any depth could reach a prototype. */
export function hasPlainKeys(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.keys(value).every(
    (key) =>
      !['__proto__', 'constructor', 'prototype'].includes(key) &&
      hasPlainKeys((value as Record<string, unknown>)[key]),
  );
}
