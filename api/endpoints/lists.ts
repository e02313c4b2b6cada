import { z } from 'zod';
import { Invalid } from '../../jobs/errors.ts';
import type { ListRequest } from '../../sql/list.ts';
import type { Condition } from '../../sql/table.ts';
import { sqlTypeOf } from '../../sql/types.ts';
import { HttpRefusal } from '../http/errors.ts';
import {
  exampleFilter,
  filterNames,
  PAGE_SIZE,
  parseCondition,
  splitFilterName,
} from './filters.ts';
import type { ListDeclaration } from './list-declaration.ts';
import { LIST_PARAMETERS, unknownName } from './unknown-parameters.ts';

export const SEARCH_LENGTH_MAX = 200;
const FILTERS_MAX = 50;

type Query = Record<string, string | string[] | undefined>;

/**
 * Parses both query dialects of the specification: sort, range and filter as JSON, or ordering, limit,
 * offset and flat parameters. Throws for a field that is not declared; unknown fields are never ignored.
 */
export function parseList(
  declared: ListDeclaration,
  query: Query,
  ownParameters: readonly string[] = [],
): ListRequest {
  const flat = flatFilters(query);
  const names = Object.keys(flat).filter((name) => !isArchivedAsStatus(declared, name, flat[name]));
  assertParametersKnown(declared, names, ownParameters);
  const filters = { ...parseFilter(declared, query), ...flat };
  const conditions: Condition[] = [];
  let words: string | undefined;
  if (Object.keys(filters).length > FILTERS_MAX)
    throw new Invalid({ filter: `Has more than ${FILTERS_MAX} fields.` });
  for (const [name, value] of Object.entries(filters)) {
    if (name === 'q') words = parseSearch(declared, value);
    else if (isArchivedAsStatus(declared, name, value)) conditions.push(archivedCondition('true'));
    else conditions.push(parseCondition(declared, name, value));
  }
  const asksForArchived = conditions.some(
    ({ field, comparison }) =>
      field === 'is_archived' ||
      (field === 'id' && comparison === 'in') ||
      (field === 'status' && declared.special?.['status'] !== undefined),
  );
  if (declared.isArchivable && !asksForArchived) conditions.push(archivedCondition('false'));
  const byId = conditions.some(({ field, comparison }) => field === 'id' && comparison === 'in');
  return {
    conditions,
    ...(words !== undefined && words !== '' && { words }),
    ...(words && declared.also_searched && { also_searched: declared.also_searched }),
    sort: parseSort(declared, query),
    ...parsePage(query, byId),
  };
}

const archivedCondition = (value: 'true' | 'false'): Condition => ({
  field: 'is_archived',
  comparison: 'in',
  values: [value],
  type: 'bool',
});

/** The filter status=archived selects archived records, although "archived" is not a status. */
const isArchivedAsStatus = (
  { isArchivable, special = {}, hidden }: ListDeclaration,
  name: string,
  value: unknown,
) =>
  isArchivable &&
  !hidden?.has('is_archived') &&
  name === 'status' &&
  special['status']?.values === undefined &&
  [value].flat().join() === 'archived';

function flatFilters(query: Query): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => !LIST_PARAMETERS.includes(name)),
  );
}

/** Throws for the first parameter that is neither a filter nor a parameter of the list. */
function assertParametersKnown(
  declared: ListDeclaration,
  names: readonly string[],
  ownParameters: readonly string[],
) {
  const filters = filterNames(declared);
  const unknown = names.find((name) => name !== 'q' && !filters.has(splitFilterName(name).field));
  if (unknown === undefined) return;
  const search = declared.hasSearch ? ['q'] : [];
  const known = [...LIST_PARAMETERS, ...search, ...ownParameters, ...filters];
  throw new Invalid({ filter: unknownName(unknown, 'filter or parameter of this list', known) });
}

function parseFilter(declared: ListDeclaration, { filter }: Query): Record<string, unknown> {
  if (filter === undefined || filter === '') return {};
  const example = () => exampleFilter(declared);
  const parsed = parseJsonParameter('filter', filter, example);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Invalid({ filter: `Must be a JSON object like ${example()}.` });
  }
  return parsed as Record<string, unknown>;
}

function parseJsonParameter(
  name: string,
  value: string | string[],
  example: () => string,
): unknown {
  if (typeof value !== 'string') throw new Invalid({ [name]: 'Must be given only once.' });
  try {
    return JSON.parse(value);
  } catch {
    throw new HttpRefusal(
      400,
      'invalid_query',
      `The parameter ${name} is not valid JSON. Send it URL-encoded, for example ${name}=${example()}.`,
    );
  }
}

function parseSearch({ hasSearch }: ListDeclaration, value: unknown): string {
  if (!hasSearch)
    throw new Invalid({
      filter: 'This list has no search. Filter it by its fields instead of "q".',
    });
  if (typeof value !== 'string') throw new Invalid({ q: 'Must be text.' });
  if (value.length > SEARCH_LENGTH_MAX)
    throw new Invalid({ q: `Must be at most ${SEARCH_LENGTH_MAX} characters.` });
  if (/\p{Cc}/u.test(value)) throw new Invalid({ q: 'Must not contain control characters.' });
  return value.trim();
}

/** The order of a list whose request names none. */
export const usualSort = ({ sort, fields }: ListDeclaration) =>
  sort ?? { field: 'created_at' in fields ? 'created_at' : 'id', descending: true };

function parseSort(declared: ListDeclaration, { sort, ordering }: Query): ListRequest['sort'] {
  const wanted = sort
    ? parseSortPair(declared, sort)
    : ordering
      ? parseOrdering(ordering)
      : usualSort(declared);
  if (!isSortable(declared, wanted.field)) {
    const sortable = Object.keys(declared.fields).filter((field) => isSortable(declared, field));
    const message = unknownName(wanted.field, 'field to sort by', [
      ...new Set(['id', ...sortable]),
    ]);
    throw new Invalid({ [sort ? 'sort' : 'ordering']: message });
  }
  const nullable = declared.fields[wanted.field]?.safeParse(null).success ?? false;
  return { ...wanted, nullable };
}

const isSortable = ({ fields }: ListDeclaration, name: string) => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return name === 'id' || (field !== undefined && sqlTypeOf(field) !== 'jsonb');
};

const SortPair = z.tuple([z.string(), z.enum(['ASC', 'DESC', 'asc', 'desc'])]);

function parseSortPair(declared: ListDeclaration, value: string | string[]) {
  const example = () => JSON.stringify([usualSort(declared).field, 'DESC']);
  const pair = SortPair.safeParse(parseJsonParameter('sort', value, example));
  if (!pair.success)
    throw new Invalid({ sort: `Must be a field and ASC or DESC, like ${example()}.` });
  return { field: pair.data[0], descending: pair.data[1].toUpperCase() === 'DESC' };
}

function parseOrdering(value: string | string[]) {
  if (typeof value !== 'string') throw new Invalid({ ordering: 'Must be given only once.' });
  return { field: value.replace(/^-/, ''), descending: value.startsWith('-') };
}

const RangePair = z.tuple([z.int().min(0), z.int().min(0)]);

/** Both ends of `range` are inclusive. A list selected by ids is not cut at the usual page size. */
function parsePage(
  { range, limit, offset }: Query,
  byId: boolean,
): { offset: number; limit: number } {
  if (range !== undefined && range !== '') {
    const pair = RangePair.safeParse(parseJsonParameter('range', range, () => '[0,24]'));
    if (!pair.success || pair.data[1] < pair.data[0] || pair.data[0] > 2 ** 31) {
      throw new Invalid({
        range: 'Must be like [0,24]: the first and last item, counted from zero.',
      });
    }
    const [start, end] = pair.data;
    return { offset: start, limit: Math.min(end - start + 1, PAGE_SIZE.largest) };
  }
  const size = parseCount('limit', limit) ?? (byId ? PAGE_SIZE.largest : PAGE_SIZE.usual);
  return { offset: parseCount('offset', offset) ?? 0, limit: Math.min(size, PAGE_SIZE.largest) };
}

function parseCount(name: string, value: string | string[] | undefined): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || !/^\d{1,9}$/.test(value))
    throw new Invalid({ [name]: 'Must be a whole number of zero or more.' });
  return Number(value);
}
