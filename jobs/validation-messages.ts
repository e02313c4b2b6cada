import type { z } from 'zod';
import { dictionary } from '../sql/dictionary.ts';

const TYPES = dictionary<string>({
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  date: 'a date',
  null: 'null',
});

const FORMATS = dictionary<string>({
  uuid: 'a UUID',
  email: 'an email address',
  url: 'a URL',
  datetime: 'a date and time like 2026-01-31T12:00:00Z',
  date: 'a date like 2026-01-31',
  time: 'a time like 12:00',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
});

const UNITS = dictionary<readonly [one: string, many: string]>({
  string: ['character', 'characters'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  file: ['byte', 'bytes'],
});

/**
 * The platform's own message for each schema issue. Pass it as `error` to `safeParse`. Messages that a
 * schema declares take precedence.
 */
export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `Must be ${TYPES[issue.expected] ?? issue.expected}.`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `Must be ${String(issue.values[0])}.`
        : `Must be one of ${issue.values.map(String).join(', ')}.`;
    case 'too_small':
      return limit(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue);
    case 'too_big':
      return limit(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return `Unknown field${issue.keys.length > 1 ? 's' : ''} ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
    case 'invalid_format':
      return `Must be ${FORMATS[issue.format] ?? 'in the documented format'}.`;
    case 'invalid_key':
      return 'Has a key that is not allowed.';
    default:
      return 'Has a value that is not allowed.';
  }
};

type Limit = { origin: string; exact?: boolean };

function limit(words: string, bound: number | bigint, { origin, exact }: Limit): string {
  const unit = UNITS[origin]?.[Number(bound) === 1 ? 0 : 1];
  const amount = `${exact ? 'exactly' : words} ${bound}`;
  return unit === undefined ? `Must be ${amount}.` : `Must have ${amount} ${unit}.`;
}
