import { z } from 'zod';
import { dictionary } from '../sql/dictionary.ts';
import { hintAt, quote } from './nearest-word.ts';

const TYPES = dictionary<string>({
  string: 'text',
  int: 'a whole number',
  bigint: 'a whole number',
  number: 'a number',
  nan: 'a number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  date: 'a date',
  file: 'a file',
  null: 'null',
  never: 'omitted',
  undefined: 'omitted',
  void: 'omitted',
});

const FORMATS = dictionary<string>({
  uuid: 'a UUID like 0198f0a0-0000-7000-8000-000000000001',
  guid: 'a UUID like 0198f0a0-0000-7000-8000-000000000001',
  email: 'an email address',
  url: 'a URL like https://example.com',
  datetime: 'a date and time like 2026-01-31T12:00:00Z',
  date: 'a date like 2026-01-31',
  time: 'a time like 12:00',
  duration: 'a duration like P30D',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'an IPv4 range like 192.0.2.0/24',
  cidrv6: 'an IPv6 range like 2001:db8::/32',
  mac: 'a MAC address',
  base64: 'base64',
  base64url: 'base64 for URLs',
  json_string: 'JSON',
  jwt: 'a signed token (JWT)',
  e164: 'a phone number like +12025550143',
  emoji: 'an emoji',
  lowercase: 'in lower case',
  uppercase: 'in upper case',
  currency_code: 'a currency code like USD',
  credit_card: 'a card number',
  iban: 'an IBAN',
  safeint: 'a whole number',
  int32: 'a whole number',
  uint32: 'a whole number of at least 0',
  float32: 'a number',
  float64: 'a number',
  int64: 'a whole number',
  uint64: 'a whole number of at least 0',
});

const UNITS = dictionary<readonly [one: string, many: string]>({
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
  file: ['byte', 'bytes'],
});

/** Maximum number of unknown fields that one message names. */
const UNKNOWN_MAX = 5;

/**
 * The platform's own message for each schema issue. Messages that a schema declares take precedence. All schemas use
 * it, because `errors.ts` makes it the message of last resort.
 */
export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  const isChoice = ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code);
  if (isChoice && issue.input === undefined) return 'Is required.';
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${numberFormat(issue.inst) ?? TYPES[issue.expected] ?? 'of another type'}.`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return limit(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue);
    case 'too_big':
      return limit(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return unknownFields(issue.keys, issue.inst);
    case 'invalid_format':
      return formatMessage(issue);
    case 'invalid_union':
      return unionMessage(issue);
    case 'invalid_key':
      return 'Has a key that is not allowed.';
    case 'invalid_element':
      return 'Has an item that is not allowed.';
    default:
      return 'Has a value that is not allowed.';
  }
};

/** What a whole number is called, although its schema reports that it expects a number. */
function numberFormat(schema: unknown): string | undefined {
  if (!(schema instanceof z.ZodNumber)) return undefined;
  const { format, checks = [] } = schema._zod.def as {
    format?: string;
    checks?: z.core.$ZodCheck[];
  };
  const formats = [
    format,
    ...checks.map((check) => (check._zod.def as { format?: string }).format),
  ];
  const named = formats.find((name) => name !== undefined);
  return named === undefined ? undefined : FORMATS[named];
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1
    ? `Must be ${String(values[0])}.`
    : `Must be one of ${values.map(String).join(', ')}.`;

type Format = { format: string; prefix?: unknown; suffix?: unknown; includes?: unknown };

function formatMessage({ format, prefix, suffix, includes }: Format): string {
  if (format === 'starts_with') return `Must begin with "${String(prefix)}".`;
  if (format === 'ends_with') return `Must end with "${String(suffix)}".`;
  if (format === 'includes') return `Must contain "${String(includes)}".`;
  return `Must be ${FORMATS[format] ?? 'in the documented format'}.`;
}

type Limit = { origin: string; exact?: boolean };

function limit(words: string, bound: number | bigint, { origin, exact }: Limit): string {
  const unit = UNITS[origin]?.[Number(bound) === 1 ? 0 : 1];
  const amount = `${exact ? 'exactly' : words} ${bound}`;
  return unit === undefined ? `Must be ${amount}.` : `Must have ${amount} ${unit}.`;
}

/** Names the unknown fields of a strict object, and the field that a single one probably means. */
function unknownFields(keys: readonly string[], schema: unknown): string {
  const named = keys.slice(0, UNKNOWN_MAX).map(quote).join(', ');
  const more = keys.length > UNKNOWN_MAX ? ` and ${keys.length - UNKNOWN_MAX} more` : '';
  const [key = ''] = keys;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const hint = keys.length === 1 ? hintAt(key, known) : '';
  return `Unknown field${keys.length > 1 ? 's' : ''} ${named}${more}.${hint}`;
}

type Issue = { path: PropertyKey[]; message: string };
type Union = { options?: readonly unknown[]; errors: readonly (readonly Issue[])[] };

/** If the value has the type of one option, names the problem in it. Otherwise names all options. */
function unionMessage({ options = [], errors }: Union): string {
  if (options.length > 0) return oneOf(options);
  const inside = errors.flatMap(([first]) => (first && first.path.length > 0 ? [first] : []));
  const [problem] = inside;
  if (problem) return `Has a problem in "${problem.path.join('.')}": ${problem.message}`;
  const wanted = errors.map(([first]) => /^Must be (.+)\.$/.exec(first?.message ?? '')?.[1]);
  return wanted.length > 0 && wanted.every((words) => words !== undefined)
    ? `Must be ${wanted.join(' or ')}.`
    : (errors[0]?.[0]?.message ?? 'Has a value that is not allowed.');
}
