import { z } from 'zod';
import { dictionary } from '../../../sql/dictionary.ts';
import { sqlTypeOf } from '../../../sql/types.ts';
import { honoursIdempotencyKey } from '../../http/idempotency.ts';
import { buildExample, EXAMPLE_ID, today, type Schema } from '../examples.ts';
import { filterNames, filterOperators, filterValues, PAGE_SIZE } from '../filters.ts';
import type { ListDeclaration } from '../list-declaration.ts';
import { SEARCH_LENGTH_MAX } from '../lists.ts';
import type { Route } from '../route.ts';
import { inputSchema, type Components, type Json } from './schemas.ts';

type Parameter = {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Json;
  example?: unknown;
};

const SORTING = 'sort ordering range limit offset filter'.split(' ');

export const parametersOf = (route: Route, components: Components): Json[] => [
  ...pathParameters(route),
  ...queryParameters(route, components),
  ...listParameters(route.list),
  ...(route.ifMatch ? [shared('IfMatch')] : []),
  ...(takesIdempotencyKey(route) ? [shared('IdempotencyKey')] : []),
];

const shared = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** Only requests of a signed-in user are repeated under a key. */
export const takesIdempotencyKey = (route: Pick<Route, 'method' | 'resource' | 'allow'>) =>
  honoursIdempotencyKey(route) && route.allow !== 'anyone' && route.allow !== 'provider';

const pathParameters = ({ path, params = {} }: Route): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const declared = params[name];
    if (!declared) {
      const description = `The id of the ${recordBefore(path, name)}.`;
      return { ...inPath(name), description, schema: UUID, example: EXAMPLE_ID };
    }
    const {
      $schema: _schema,
      description = '',
      ...schema
    } = z.toJSONSchema(declared, { io: 'input' });
    return { ...inPath(name), description, schema, example: buildExample(name, schema as Schema) };
  });

/** Returns "payment plan" for `/payment-plans/{id}`, and "loan" for `/…/{loan_id}`. */
function recordBefore(path: string, name: string): string {
  const before =
    path
      .slice(0, path.indexOf(`/{${name}}`))
      .split('/')
      .at(-1) ?? '';
  const noun = (name === 'id' ? singularOf(before) : name.replace(/_id$/, '')).replaceAll(
    /[-_]/g,
    ' ',
  );
  return RECORDS[noun] ?? noun;
}

/** Records that are not named after their path. */
const RECORDS = dictionary<string>({
  'co borrower': 'co-borrower',
  collateral: 'collateral item',
  'communication log': 'message',
  email: 'email address',
  'form 1099c': 'form 1099-C',
  hardship: 'hardship application',
  'legal rep': 'legal representative',
  'nacha file': 'Nacha file',
  phone: 'phone number',
  'security log': 'entry of the security log',
  'sftp server': 'SFTP server',
});

const singularOf = (plural: string) =>
  plural
    .replace(/^(promise|form)s-/, '$1-')
    .replace(/ies$/, 'y')
    .replace(/(ss|ch)es$/, '$1')
    .replace(/(?<!s)s$/, '');

const UUID = { type: 'string', format: 'uuid' };
const inPath = (name: string) => ({ name, in: 'path', required: true });

function queryParameters({ query, example }: Route, components: Components): Parameter[] {
  if (!query) return [];
  const needed = (example?.(today()) ?? {}) as Json;
  const { properties = {}, required = [] } = inputSchema(query, components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema,
    ...(required.includes(name) && { example: buildExample(name, schema as Schema) }),
    ...(name in needed && { example: needed[name] }),
  }));
}

/** The parameters of a list: the shared ones, and a typed one for each filter and useful comparison. */
function listParameters(list: Route['list']): Json[] {
  if (!list) return [];
  const filters = [...filterNames(list)];
  const taken = new Set(SORTING);
  return [
    ...SORTING.map((name) => shared(`list_${name}`)),
    ...(list.hasSearch ? [shared('list_q')] : []),
    ...filters.filter((name) => !taken.has(name)).flatMap((name) => filterParameters(list, name)),
  ];
}

/** Comparisons that get their own parameter. The description of `filter` names all of them. */
const SHOWN_COMPARISONS = new Set(['ne', 'gt', 'gte', 'lt', 'lte', 'icontains', 'isnull']);
const ORDERED_TYPES = new Set(['date', 'timestamptz', 'numeric', 'int4']);

const COMPARISONS: Partial<Record<string, (field: string) => string>> = {
  ne: (field) => `Leaves out records with this ${field}.`,
  gt: () => 'More or later than this value.',
  gte: () => 'At least, or not earlier than, this value.',
  lt: () => 'Less or earlier than this value.',
  lte: () => 'At most, or not later than, this value.',
  icontains: () => 'Contains this text, in upper or lower case.',
  isnull: () => 'Whether the field is empty.',
};

function filterParameters(list: ListDeclaration, name: string): Parameter[] {
  const { item, type, isNullable } = filterValue(list, name);
  const isEnum = 'enum' in item;
  const several = { anyOf: [item, { type: 'array', items: item }] };
  const comparisons = filterOperators(list, name)
    .filter((each) => SHOWN_COMPARISONS.has(each))
    .filter((each) => !/^[gl]te?$/.test(each) || ORDERED_TYPES.has(type))
    .filter((each) => each !== 'icontains' || !isEnum)
    .filter((each) => each !== 'isnull' || isNullable)
    .filter((each) => each !== 'ne' || type !== 'bool');
  return [
    {
      name,
      in: 'query',
      required: false,
      description: 'Selects records with this value, or with one of several.',
      schema: several,
    },
    ...comparisons.map((each) => ({
      name: `${name}__${each}`,
      in: 'query',
      required: false,
      description: COMPARISONS[each]?.(name) ?? '',
      schema: each === 'isnull' ? { type: 'boolean' } : item,
    })),
  ];
}

const FORMATS: Partial<Record<string, Json>> = {
  uuid: UUID,
  date: { type: 'string', format: 'date' },
  timestamptz: { type: 'string', format: 'date-time' },
  numeric: { type: 'string', format: 'decimal' },
  int4: { type: 'integer' },
  bool: { type: 'boolean' },
};

/** The type of one compared value, without null. */
function filterValue(list: ListDeclaration, name: string) {
  const field = Object.hasOwn(list.fields, name) ? list.fields[name] : undefined;
  const type = list.special?.[name]?.type ?? (field ? sqlTypeOf(field) : 'text');
  const values = filterValues(list, name);
  const item = values ? { type: 'string', enum: values } : name === 'id' ? UUID : FORMATS[type];
  const isNullable = field?.safeParse(null).success ?? false;
  return { item: item ?? { type: 'string' }, type, isNullable };
}

/** The parameters that many operations share. */
export const sharedParameters = (): Record<string, Parameter> => ({
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the record as you read it. If the record has changed since, the request fails with 412 and changes nothing.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A text that you choose, different for each intended effect, such as a UUID. If you repeat a request with the same key and body, it takes effect once, and you get the first answer again with the header Idempotent-Replayed.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  list_sort: queryParameter('sort', {
    description: 'JSON array of a field and ASC or DESC. Takes precedence over `ordering`.',
    schema: { type: 'string' },
    example: '["id","ASC"]',
  }),
  list_ordering: queryParameter('ordering', {
    description: 'A field to sort by, with - before it for descending order.',
    schema: { type: 'string' },
  }),
  list_range: queryParameter('range', {
    description:
      'JSON array of the first and last row, counted from zero and inclusive. Takes precedence over `limit` and `offset`.',
    schema: { type: 'string' },
    example: '[0,24]',
  }),
  list_limit: queryParameter('limit', {
    description: `The number of rows. Default: ${PAGE_SIZE.usual}.`,
    schema: { type: 'integer', minimum: 0, maximum: PAGE_SIZE.largest, default: PAGE_SIZE.usual },
  }),
  list_offset: queryParameter('offset', {
    description: 'The first row, counted from zero.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  }),
  list_filter: queryParameter('filter', {
    description:
      'JSON object of filters, as an alternative to the parameters below: {"field": value}, {"field": [value, value]}, or a comparison such as {"field__gte": value}. Comparisons are __ne, __in, __gt, __gte, __lt, __lte, __icontains and __isnull, as far as they suit the field.',
    schema: { type: 'string' },
    example: '{}',
  }),
  list_q: queryParameter('q', {
    description: 'Finds records that contain these words.',
    schema: { type: 'string', maxLength: SEARCH_LENGTH_MAX },
  }),
});

const queryParameter = (
  name: string,
  own: Pick<Parameter, 'description' | 'schema' | 'example'>,
): Parameter => ({ name, in: 'query', required: false, ...own });
