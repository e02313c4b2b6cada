import { Invalid } from '../../jobs/errors.ts';
import { dictionary } from '../../sql/dictionary.ts';
import type { Comparison, Condition } from '../../sql/table.ts';
import { date, sqlTypeOf, timestamp } from '../../sql/types.ts';
import type { ListDeclaration } from './list-declaration.ts';

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

const typeOf = ({ fields }: ListDeclaration, field: string) =>
  Object.hasOwn(fields, field) && fields[field] ? sqlTypeOf(fields[field]) : 'text';

/**
 * A special filter accepts only its own values. If its name is also a column, the column's comparisons
 * apply too.
 */
export function filterOperators(declared: ListDeclaration, field: string): readonly Comparison[] {
  const isColumn = Object.hasOwn(declared.fields, field) || !declared.special?.includes(field);
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
  return { field, comparison, values, type };
}

/** A null value means "is null", or "is not null" with `__ne`. */
function nullCondition(
  declared: ListDeclaration,
  { name, field, comparison, type }: Omit<Condition, 'values'> & { name: string },
): Condition {
  const isAskable = comparison === 'in' || comparison === 'ne';
  if (!isAskable || declared.special?.includes(field))
    throw new Invalid({ filter: `${name} must be a value or a list of values.` });
  return { field, comparison: 'isnull', values: [String(comparison === 'in')], type };
}

/** In a plain query string, commas separate the values of `__in`. */
function parseValues(name: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && name.endsWith('__in') ? value.split(',') : [value];
}

function parseFieldName(
  declared: ListDeclaration,
  name: string,
): { field: string; comparison: Comparison } {
  const known = filterNames(declared);
  if (known.has(name)) return { field: name, comparison: 'in' };
  const [, field = '', suffix = ''] = /^([a-z0-9_]{1,80}?)__([a-z]{1,20})$/.exec(name) ?? [];
  if (!known.has(field))
    throw new Invalid({ filter: `${name.slice(0, 100)} is not a filter of this list.` });
  const operators = filterOperators(declared, field);
  const comparison = operators.find((operator) => operator === suffix);
  if (comparison) return { field, comparison };
  const possible = operators.map((operator) => `${field}__${operator}`).join(', ');
  throw new Invalid({
    filter: `${name.slice(0, 100)} is not a filter of this list. Use one of: ${field}, ${possible}.`,
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

function parseValue(name: string, value: unknown, type: string): string {
  if (type === 'bool') return String(parseBoolean(name, value));
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new Invalid({ filter: `${name} must be a value or a list of values.` });
  }
  const text = String(value);
  const fits = VALUE_CHECKS[type]?.(text) ?? (text.length <= 300 && !/\p{Cc}/u.test(text));
  if (!fits) throw new Invalid({ filter: `${name} does not accept this value.` });
  return text;
}

function parseBoolean(name: string, value: unknown): boolean {
  if ([true, 'true', 'True', '1', 1].includes(value as string)) return true;
  if ([false, 'false', 'False', '0', 0].includes(value as string)) return false;
  throw new Invalid({ filter: `${name} must be true or false.` });
}
