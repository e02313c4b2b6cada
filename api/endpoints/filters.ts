import type { z } from 'zod';
import { Invalid } from '../../jobs/errors.ts';
import { hintAt, quote } from '../../jobs/nearest-word.ts';
import { dictionary } from '../../sql/dictionary.ts';
import type { Comparison, Condition } from '../../sql/table.ts';
import { date, sqlTypeOf, timestamp } from '../../sql/types.ts';
import { EXAMPLE_ID } from './examples.ts';
import type { ListDeclaration } from './list-declaration.ts';
import { unknownName } from './unknown-parameters.ts';

export const PAGE_SIZE = { usual: 100, largest: 1000 } as const;

const ORDERED_COMPARISONS = ['in', 'ne', 'gt', 'gte', 'lt', 'lte', 'isnull'] as const;

/** The comparisons available for a field by its type, such as `principal_amount__gte`. */
const OPERATORS: Record<ReturnType<typeof sqlTypeOf>, readonly Comparison[]> = {
  uuid: ['in', 'ne', 'isnull'],
  text: [...ORDERED_COMPARISONS, 'icontains'],
  date: ORDERED_COMPARISONS,
  timestamptz: ORDERED_COMPARISONS,
  numeric: ORDERED_COMPARISONS,
  int4: ORDERED_COMPARISONS,
  bool: ['in', 'ne', 'isnull'],
  jsonb: ['in', 'ne', 'isnull'],
};

const typeOf = ({ fields, special = {} }: ListDeclaration, field: string) =>
  special[field]?.type ??
  (Object.hasOwn(fields, field) && fields[field] ? sqlTypeOf(fields[field]) : 'text');

/** The values of a filter that accepts only a few, such as a status. Otherwise undefined. */
export function filterValues(
  { fields, special = {} }: ListDeclaration,
  field: string,
): readonly string[] | undefined {
  const own = special[field]?.values;
  if (own !== undefined) return own;
  return Object.hasOwn(fields, field) && fields[field] ? namedValues(fields[field]) : undefined;
}

/** The values of an enumeration, or of a list of them. */
function namedValues(field: z.core.$ZodType): readonly string[] | undefined {
  const { type, innerType, element, entries, values } = field._zod.def as {
    type: string;
    innerType?: z.core.$ZodType;
    element?: z.core.$ZodType;
    entries?: Record<string, string>;
    values?: readonly unknown[];
  };
  if (type === 'enum' && entries) return Object.values(entries);
  if (type === 'literal' && values?.every((value) => typeof value === 'string')) return values;
  const inner = innerType ?? (type === 'array' ? element : undefined);
  return inner && namedValues(inner);
}

/**
 * A special filter accepts only its own values. If its name is also a column, the column's comparisons
 * apply too.
 */
export function filterOperators(declared: ListDeclaration, field: string): readonly Comparison[] {
  const isColumn = Object.hasOwn(declared.fields, field) || !declared.special?.[field];
  return isColumn ? OPERATORS[typeOf(declared, field)] : ['in', 'ne'];
}

/** All filter names of the list. */
export const filterNames = ({
  fields,
  filters,
  isArchivable,
  hidden,
}: ListDeclaration): Set<string> =>
  new Set([
    'id',
    ...filters,
    ...(isArchivable && !hidden?.has('is_archived') ? ['is_archived'] : []),
    ...(Object.hasOwn(fields, 'external_id') ? ['external_id'] : []),
  ]);

/** Parses `field` or `field__operator` with its value into a condition. */
export function parseCondition(declared: ListDeclaration, name: string, value: unknown): Condition {
  const { field, comparison } = parseFieldName(declared, name);
  const type = typeOf(declared, field);
  if (comparison === 'isnull')
    return { field, comparison, values: [String(parseBoolean(name, value))], type };
  if (value === null) return nullCondition(declared, { name, field, comparison, type });
  const given = parseValues(name, value);
  if (given.length > PAGE_SIZE.largest)
    throw new Invalid({ [name]: `Must name at most ${PAGE_SIZE.largest} values.` });
  if (comparison !== 'in' && given.length !== 1)
    throw new Invalid({ [name]: 'Must be a single value.' });
  const values = given.map((each) => parseValue(name, each, type));
  // A part of a value need not be one of them.
  const possible = comparison === 'icontains' ? undefined : filterValues(declared, field);
  return {
    field,
    comparison,
    values: possible ? values.map((value) => parseNamedValue(name, value, possible)) : values,
    type,
  };
}

/** Accepts the British spelling of a status that is stored in the American one. */
const SPELLINGS = dictionary<string>({ cancelled: 'canceled' });

function parseNamedValue(name: string, value: string, possible: readonly string[]): string {
  const spelled = [value, SPELLINGS[value]].find((one) => one && possible.includes(one));
  if (spelled) return spelled;
  throw new Invalid({
    filter: `${quote(value)} is not a value of ${name}.${hintAt(value, possible)} Use one of: ${possible.join(', ')}.`,
  });
}

/** A null value means "is null", or "is not null" with `__ne`. */
function nullCondition(
  declared: ListDeclaration,
  { name, field, comparison, type }: Omit<Condition, 'values'> & { name: string },
): Condition {
  const isAskable = comparison === 'in' || comparison === 'ne';
  if (!isAskable || declared.special?.[field])
    throw new Invalid({ filter: `${name} must be a value or a list of values.` });
  return { field, comparison: 'isnull', values: [String(comparison === 'in')], type };
}

/** In a plain query string, commas separate the values of `__in`. */
function parseValues(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && name.endsWith('__in') ? value.split(',') : [value];
}

/** Splits `field__operator`. A field that is not a filter is returned as it is. */
export function splitFilterName(name: string): { field: string; suffix: string } {
  const [, field = name, suffix = ''] = /^([a-z0-9_]{1,80}?)__([a-z]{1,20})$/.exec(name) ?? [];
  return { field, suffix };
}

function parseFieldName(
  declared: ListDeclaration,
  name: string,
): { field: string; comparison: Comparison } {
  const known = filterNames(declared);
  if (known.has(name)) return { field: name, comparison: 'in' };
  const { field, suffix } = splitFilterName(name);
  if (!known.has(field))
    throw new Invalid({
      filter: unknownName(field, 'filter of this list', [
        ...known,
        ...(declared.hasSearch ? ['q'] : []),
      ]),
    });
  const operators = filterOperators(declared, field);
  const comparison = operators.find((operator) => operator === suffix);
  if (comparison) return { field, comparison };
  const possible = operators.map((operator) => `${field}__${operator}`).join(', ');
  throw new Invalid({
    filter: `${quote(name)} is not a filter of this list. Use one of: ${field}, ${possible}.`,
  });
}

const VALUE_CHECKS = dictionary<(value: string) => boolean>({
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  numeric: (value) => /^-?\d{1,15}(\.\d{1,10})?$/.test(value),
  int4: (value) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= 2_147_483_647,
  date: (value) => date.safeParse(value).success,
  // A date without a time means the first moment of that date.
  timestamptz: (value) => timestamp.safeParse(value).success || date.safeParse(value).success,
});

/** What a value of each type looks like. */
const VALUE_FORMS = dictionary<string>({
  uuid: `a UUID like ${EXAMPLE_ID}`,
  numeric: 'a number like 1234.56',
  int4: 'a whole number',
  date: 'a date like 2026-01-31',
  timestamptz: 'a time like 2026-01-31T12:00:00Z or a date like 2026-01-31',
});

function parseValue(name: string, value: unknown, type: string): string {
  if (type === 'bool') return String(parseBoolean(name, value));
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new Invalid({ filter: `${name} must be a value or a list of values.` });
  }
  const text = String(value);
  const fits = VALUE_CHECKS[type]?.(text) ?? (text.length <= 300 && !/\p{Cc}/u.test(text));
  if (!fits)
    throw new Invalid({
      filter: `${name} must be ${VALUE_FORMS[type] ?? 'at most 300 characters without control characters'}.`,
    });
  return text;
}

function parseBoolean(name: string, value: unknown): boolean {
  if ([true, 'true', 'True', '1', 1].includes(value as string)) return true;
  if ([false, 'false', 'False', '0', 0].includes(value as string)) return false;
  throw new Invalid({ filter: `${name} must be true or false.` });
}

const EXAMPLE_VALUES = dictionary<unknown>({
  uuid: EXAMPLE_ID,
  numeric: '1234.56',
  int4: 1,
  date: '2026-01-31',
  timestamptz: '2026-01-31T12:00:00Z',
  bool: true,
});

/** A valid filter of the list, as JSON. */
export function exampleFilter(declared: ListDeclaration): string {
  const [field = 'id'] = [...filterNames(declared)].toSorted(
    (one, other) => Number(isNamed(declared, other)) - Number(isNamed(declared, one)),
  );
  const value =
    filterValues(declared, field)?.[0] ?? EXAMPLE_VALUES[typeOf(declared, field)] ?? 'text';
  return JSON.stringify({ [field]: value });
}

const isNamed = (declared: ListDeclaration, field: string) =>
  filterValues(declared, field) !== undefined;
