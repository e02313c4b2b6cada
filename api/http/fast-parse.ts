import { z } from 'zod';
import {
  computedRate,
  date,
  flag,
  integer,
  jsonObject,
  money,
  positiveMoney,
  rate,
  signedMoney,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';

/**
 * Returns the value as its schema would, or UNSURE if the schema must decide. Answers of lists have
 * thousands of values, nearly all in canonical form. Recognizing them takes a fifth of the schema's time.
 */
type FastParser = (value: unknown) => unknown;
export const NEEDS_FULL_PARSE = Symbol('unsure');

const textMatching =
  (pattern: RegExp): FastParser =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : NEEDS_FULL_PARSE;
const valueWhere =
  (isSo: (value: unknown) => boolean): FastParser =>
  (value) =>
    isSo(value) ? value : NEEDS_FULL_PARSE;
const isEmpty = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.keys(value).length === 0;

const FRACTION = textMatching(/^(?:0(?:\.\d{1,8})?|1)$/);

/**
 * For each schema, a test that accepts only values that the schema returns unchanged. It need not accept
 * all of them.
 */
const PARSERS_BY_SCHEMA = new Map<z.core.$ZodType, FastParser>([
  [uuid, textMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
  [text, textMatching(/^[ -~]{0,200}$/)],
  [date, textMatching(/^(?:1[89]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/)],
  [
    timestamp,
    textMatching(
      /^(?:1[89]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    ),
  ],
  [money, textMatching(/^(?:0|[1-9]\d{0,12})\.\d\d$/)],
  [positiveMoney, textMatching(/^[1-9]\d{0,12}\.\d\d$/)],
  [signedMoney, textMatching(/^(?:0|[1-9]\d{0,12})\.\d\d$/)],
  [rate, FRACTION],
  [computedRate, FRACTION],
  [integer, valueWhere((value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31)],
  [flag, valueWhere((value) => typeof value === 'boolean')],
  [jsonObject, valueWhere(isEmpty)],
]);

type Definition = {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  entries?: Record<string, string>;
  catchall?: z.ZodType;
  checks?: unknown[];
  coerce?: boolean;
  format?: string;
};

/** Builds the fast parser of a schema. A schema with unknown checks always returns UNSURE. */
export function fastParserFor(schema: z.core.$ZodType): FastParser {
  const known = PARSERS_BY_SCHEMA.get(schema);
  if (known) return known;
  const { parent } = schema._zod;
  // A schema with a description is a copy with the same checks.
  if (parent?._zod.def === schema._zod.def) return fastParserFor(parent);
  const { type, innerType, element, shape, entries, ...more } = schema._zod.def as Definition;
  const isMore = more.coerce || more.format || more.catchall;
  if (isMore || (more.checks ?? []).length > 0) return () => NEEDS_FULL_PARSE;
  if (innerType && type === 'nullable') {
    const inner = fastParserFor(innerType);
    return (value) => (value === null ? null : inner(value));
  }
  if (innerType && ['optional', 'default', 'readonly'].includes(type))
    return fastParserFor(innerType);
  if (type === 'boolean') return valueWhere((value) => typeof value === 'boolean');
  if (type === 'string') return valueWhere((value) => typeof value === 'string');
  if (entries && type === 'enum') {
    const values = new Set<unknown>(Object.values(entries));
    return valueWhere((value) => values.has(value));
  }
  if (element && type === 'array') return arrayParser(fastParserFor(element));
  if (shape && type === 'object') return objectParser(shape);
  return () => NEEDS_FULL_PARSE;
}

const arrayParser =
  (inner: FastParser): FastParser =>
  (value) => {
    if (!Array.isArray(value)) return NEEDS_FULL_PARSE;
    const all = value.map(inner);
    return all.includes(NEEDS_FULL_PARSE) ? NEEDS_FULL_PARSE : all;
  };

/** If only one field is uncertain, only that field's schema runs. */
function objectParser(shape: Record<string, z.ZodType>): FastParser {
  const fields = Object.entries(shape).map(([name, schema]) => ({
    name,
    schema,
    cut: fastParserFor(schema),
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return NEEDS_FULL_PARSE;
    const given = value as Record<string, unknown>;
    const answer: Record<string, unknown> = {};
    for (const { name, schema, cut } of fields) {
      let own = cut(given[name]);
      if (own === NEEDS_FULL_PARSE) {
        const parsed = schema.safeParse(given[name]);
        if (!parsed.success) return NEEDS_FULL_PARSE;
        own = parsed.data;
      }
      if (own !== undefined || Object.hasOwn(given, name)) answer[name] = own;
    }
    return answer;
  };
}
