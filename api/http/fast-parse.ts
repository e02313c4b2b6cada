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
type Cut = (value: unknown) => unknown;
export const NEEDS_FULL_PARSE = Symbol('unsure');

const written =
  (pattern: RegExp): Cut =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? value : NEEDS_FULL_PARSE;
const when =
  (isSo: (value: unknown) => boolean): Cut =>
  (value) =>
    isSo(value) ? value : NEEDS_FULL_PARSE;
const isEmpty = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.keys(value).length === 0;

const FRACTION = written(/^(?:0(?:\.\d{1,8})?|1)$/);

/**
 * For each schema, a test that accepts only values that the schema returns unchanged. It need not accept
 * all of them.
 */
const KINDS = new Map<z.core.$ZodType, Cut>([
  [uuid, written(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)],
  [text, written(/^[ -~]{0,200}$/)],
  [date, written(/^(?:1[89]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/)],
  [
    timestamp,
    written(
      /^(?:1[89]|[2-9]\d)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    ),
  ],
  [money, written(/^(?:0|[1-9]\d{0,12})\.\d\d$/)],
  [positiveMoney, written(/^[1-9]\d{0,12}\.\d\d$/)],
  [signedMoney, written(/^(?:0|[1-9]\d{0,12})\.\d\d$/)],
  [rate, FRACTION],
  [computedRate, FRACTION],
  [integer, when((value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31)],
  [flag, when((value) => typeof value === 'boolean')],
  [jsonObject, when(isEmpty)],
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
export function fastParserFor(schema: z.core.$ZodType): Cut {
  const known = KINDS.get(schema);
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
  if (type === 'boolean') return when((value) => typeof value === 'boolean');
  if (type === 'string') return when((value) => typeof value === 'string');
  if (entries && type === 'enum') {
    const values = new Set<unknown>(Object.values(entries));
    return when((value) => values.has(value));
  }
  if (element && type === 'array') return cutAll(fastParserFor(element));
  if (shape && type === 'object') return cutFields(shape);
  return () => NEEDS_FULL_PARSE;
}

const cutAll =
  (inner: Cut): Cut =>
  (value) => {
    if (!Array.isArray(value)) return NEEDS_FULL_PARSE;
    const all = value.map(inner);
    return all.includes(NEEDS_FULL_PARSE) ? NEEDS_FULL_PARSE : all;
  };

/** If only one field is uncertain, only that field's schema runs. */
function cutFields(shape: Record<string, z.ZodType>): Cut {
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
