import { z } from 'zod';
import { Invalid } from '../jobs/errors.ts';
import type { Comparison, Condition, ListRequest } from '../sql/list.ts';
import { date, sqlTypeOf, timestamp } from '../sql/types.ts';
import { HttpRefusal } from './errors.ts';

export type ListDeclaration = {
  /** The unit of Content-Range. */
  name: string;
  fields: Record<string, z.ZodType>;
  filters: readonly string[];
  /** Filters with a meaning of their own, which is no column to be compared otherwise. */
  special?: readonly string[];
  hasSearch: boolean;
  isArchivable: boolean;
  /** Newest first, unless a list says otherwise. */
  sort?: { field: string; descending: boolean };
};

export const PAGE = { usual: 100, largest: 1000 } as const;
const SUFFIXES = ['gte', 'lte', 'gt', 'lt', 'ne', 'icontains', 'isnull'] as const;
const WORDS_MAX = 200;
const FILTERS_MAX = 50;

type Query = Record<string, string | string[] | undefined>;

/**
 * Both dialects of the specification: sort, range and filter as JSON, or ordering, limit, offset and
 * flat parameters. A field that is not declared is refused, never ignored.
 */
export function parseList(declared: ListDeclaration, query: Query): ListRequest {
  const filters = { ...filterOf(query), ...flatOf(query) };
  const conditions: Condition[] = [];
  let words: string | undefined;
  if (Object.keys(filters).length > FILTERS_MAX)
    throw new Invalid({ filter: 'Has too many fields.' });
  for (const [name, value] of Object.entries(filters)) {
    if (name === 'q') words = wordsOf(declared, value);
    else if (isArchivedAsStatus(declared, name, value)) conditions.push(archived('true'));
    else conditions.push(conditionOf(declared, name, value));
  }
  const asksForArchived = conditions.some(
    ({ field, comparison }) =>
      field === 'is_archived' ||
      (field === 'id' && comparison === 'in') ||
      (field === 'status' && declared.special?.includes('status')),
  );
  if (declared.isArchivable && !asksForArchived) conditions.push(archived('false'));
  const byId = conditions.some(({ field, comparison }) => field === 'id' && comparison === 'in');
  return {
    conditions,
    ...(words !== undefined && words !== '' && { words }),
    sort: sortOf(declared, query),
    ...pageOf(query, byId),
  };
}

const archived = (value: 'true' | 'false'): Condition => ({
  field: 'is_archived',
  comparison: 'in',
  values: [value],
  type: 'bool',
});

/** Being archived is no status of its own where records have one; asked for as one, it is meant. */
const isArchivedAsStatus = (
  { isArchivable, special = [] }: ListDeclaration,
  name: string,
  value: unknown,
) =>
  isArchivable &&
  name === 'status' &&
  !special.includes('status') &&
  [value].flat().join() === 'archived';

const RESERVED = new Set(['sort', 'range', 'filter', 'ordering', 'limit', 'offset']);

function flatOf(query: Query): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !RESERVED.has(name)));
}

function filterOf({ filter }: Query): Record<string, unknown> {
  if (filter === undefined || filter === '') return {};
  const parsed = jsonOf('filter', filter);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Invalid({ filter: 'Must be a JSON object like {"status":"active"}.' });
  }
  return parsed as Record<string, unknown>;
}

function jsonOf(name: string, value: string | string[]): unknown {
  if (typeof value !== 'string') throw new Invalid({ [name]: 'Must be given once.' });
  try {
    return JSON.parse(value);
  } catch {
    throw new HttpRefusal(400, 'invalid_query', `The parameter ${name} is not valid JSON.`);
  }
}

function wordsOf({ hasSearch }: ListDeclaration, value: unknown): string {
  if (!hasSearch) throw new Invalid({ filter: 'This list has no search by q.' });
  if (typeof value !== 'string') throw new Invalid({ q: 'Must be a text.' });
  if (value.length > WORDS_MAX)
    throw new Invalid({ q: `Must be at most ${WORDS_MAX} characters.` });
  if (/\p{Cc}/u.test(value)) throw new Invalid({ q: 'Must not contain control characters.' });
  return value.trim();
}

function conditionOf(declared: ListDeclaration, name: string, value: unknown): Condition {
  const { field, comparison } = fieldOf(declared, name);
  const schema = declared.fields[field];
  const type = schema ? sqlTypeOf(schema) : 'text';
  if (!isComparable(declared, field, comparison, type))
    throw new Invalid({ filter: `${name.slice(0, 100)} is not a filter of this list.` });
  if (comparison === 'isnull')
    return { field, comparison, values: [String(boolean(name, value))], type };
  if (value === null) {
    if (comparison !== 'in' || declared.special?.includes(field))
      throw new Invalid({ filter: `${name} must be a value or a list of values.` });
    return { field, comparison: 'isnull', values: ['true'], type };
  }
  const given = Array.isArray(value) ? value : [value];
  if (given.length > PAGE.largest)
    throw new Invalid({ [name]: `Must name at most ${PAGE.largest} values.` });
  if (comparison !== 'in' && given.length !== 1)
    throw new Invalid({ [name]: 'Must be one value.' });
  const values = given.map((one) => valueOf(name, one, comparison === 'icontains' ? 'text' : type));
  return { field, comparison, values, type };
}

/** A special filter knows its values only, and neither JSON nor truth has an order. */
function isComparable(
  { special }: ListDeclaration,
  field: string,
  comparison: Comparison,
  type: string,
): boolean {
  if (comparison === 'in') return true;
  if (special?.includes(field)) return false;
  if (comparison === 'isnull') return true;
  return type !== 'jsonb' && (type !== 'bool' || comparison === 'ne');
}

function fieldOf(
  declared: ListDeclaration,
  name: string,
): { field: string; comparison: Comparison } {
  const known = new Set([
    'id',
    ...declared.filters,
    ...(declared.isArchivable ? ['is_archived'] : []),
  ]);
  if ('external_id' in declared.fields) known.add('external_id');
  if (known.has(name)) return { field: name, comparison: 'in' };
  const [, field = '', suffix = ''] = /^(.+)__([a-z]+)$/.exec(name) ?? [];
  const comparison = SUFFIXES.find((one) => one === suffix);
  if (known.has(field) && comparison) return { field, comparison };
  throw new Invalid({ filter: `${name.slice(0, 100)} is not a filter of this list.` });
}

const CHECKS: Record<string, (value: string) => boolean> = {
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  numeric: (value) => /^-?\d{1,15}(\.\d{1,10})?$/.test(value),
  int4: (value) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= 2_147_483_647,
  date: (value) => date.safeParse(value).success,
  // A day alone means its first moment.
  timestamptz: (value) => timestamp.safeParse(value).success || date.safeParse(value).success,
};

function valueOf(name: string, value: unknown, type: string): string {
  if (type === 'bool') return String(boolean(name, value));
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw new Invalid({ filter: `${name} must be a value or a list of values.` });
  }
  const text = String(value);
  const fits = CHECKS[type]?.(text) ?? (text.length <= 300 && !/\p{Cc}/u.test(text));
  if (!fits) throw new Invalid({ filter: `${name} has a value that it cannot have.` });
  return text;
}

function boolean(name: string, value: unknown): boolean {
  if ([true, 'true', 'True', '1', 1].includes(value as string)) return true;
  if ([false, 'false', 'False', '0', 0].includes(value as string)) return false;
  throw new Invalid({ filter: `${name} must be true or false.` });
}

function sortOf(declared: ListDeclaration, { sort, ordering }: Query): ListRequest['sort'] {
  const usual = declared.sort ?? {
    field: 'created_at' in declared.fields ? 'created_at' : 'id',
    descending: true,
  };
  const wanted = sort ? fromPair(sort) : ordering ? fromOrdering(ordering) : usual;
  const sortable =
    wanted.field === 'id' ||
    (Object.hasOwn(declared.fields, wanted.field) && !isJson(declared.fields[wanted.field]));
  if (!sortable)
    throw new Invalid({ sort: `${wanted.field.slice(0, 100)} is not a field of this list.` });
  const nullable = declared.fields[wanted.field]?.safeParse(null).success ?? false;
  return { ...wanted, nullable };
}

const isJson = (field: z.ZodType | undefined) =>
  field !== undefined && sqlTypeOf(field) === 'jsonb';

const SortPair = z.tuple([z.string(), z.enum(['ASC', 'DESC', 'asc', 'desc'])]);

function fromPair(value: string | string[]) {
  const pair = SortPair.safeParse(jsonOf('sort', value));
  if (!pair.success) throw new Invalid({ sort: 'Must be like ["created_at","DESC"].' });
  return { field: pair.data[0], descending: pair.data[1].toUpperCase() === 'DESC' };
}

function fromOrdering(value: string | string[]) {
  if (typeof value !== 'string') throw new Invalid({ ordering: 'Must be given once.' });
  return { field: value.replace(/^-/, ''), descending: value.startsWith('-') };
}

/** Inclusive at both ends; a list of ids is not cut at the usual page size. */
function pageOf({ range, limit, offset }: Query, byId: boolean): { offset: number; limit: number } {
  if (range !== undefined && range !== '') {
    const pair = z.tuple([z.int().min(0), z.int().min(0)]).safeParse(jsonOf('range', range));
    if (!pair.success || pair.data[1] < pair.data[0] || pair.data[0] > 2 ** 31) {
      throw new Invalid({
        range: 'Must be like [0,24]: the first and the last item, counted from zero.',
      });
    }
    const [start, end] = pair.data;
    return { offset: start, limit: Math.min(end - start + 1, PAGE.largest) };
  }
  const size = count('limit', limit) ?? (byId ? PAGE.largest : PAGE.usual);
  return { offset: count('offset', offset) ?? 0, limit: Math.min(size, PAGE.largest) };
}

function count(name: string, value: string | string[] | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value))
    throw new Invalid({ [name]: 'Must be zero or more.' });
  return Number(value);
}
