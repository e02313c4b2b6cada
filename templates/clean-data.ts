import { FORBIDDEN_NAME } from './variables.ts';

const DEPTH_MAX = 6;
const TEXT_CHARACTERS_MAX = 20_000;
/**
 * The maximum length of a prose field. A template can name values 200 times, and escaping makes each one
 * longer.
 */
const VALUE_CHARACTERS_MAX = 10_000;
const ROWS_MAX = 5_000;

/**
 * Copies data for a template. Only own values are copied: no prototypes, functions or control characters.
 */
export function cleanData(value: unknown, depth = 0): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return cleanText(value.slice(0, VALUE_CHARACTERS_MAX));
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || depth >= DEPTH_MAX) return undefined;
  if (Array.isArray(value)) {
    return value.slice(0, ROWS_MAX).map((item) => cleanData(item, depth + 1));
  }
  const copy: Record<string, unknown> = Object.create(null);
  // A template that prints the whole object prints nothing instead of failing.
  Object.defineProperty(copy, 'toString', { value: () => '' });
  for (const [name, own] of Object.entries(value)) {
    if (!FORBIDDEN_NAME.test(name)) copy[name] = cleanData(own, depth + 1);
  }
  return copy;
}

/**
 * Removes control characters and the marks that change the reading direction. Such marks could make an
 * amount or an address look like another one.
 */
export function cleanText(text: string): string {
  return (
    text
      .slice(0, TEXT_CHARACTERS_MAX)
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      // eslint-disable-next-line no-control-regex -- they are what is taken out
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
      .replace(/[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g, '')
      .toWellFormed()
  );
}

/** Joins the text to one line, for subjects and for names in headers. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/**
 * Returns clean data for an HTML page. Each text in a right-to-left script is enclosed in the Unicode
 * characters FSI and PDI, so it never changes the order of the words and amounts around it.
 */
export function isolatedData(data: unknown): unknown {
  return isolate(cleanData(data));
}

function isolate(value: unknown): unknown {
  if (typeof value === 'string') return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
  if (Array.isArray(value)) return value.map(isolate);
  if (typeof value !== 'object' || value === null) return value;
  // `cleanData` returns a copy, so it is safe to modify.
  for (const [name, own] of Object.entries(value)) Object.assign(value, { [name]: isolate(own) });
  return value;
}
