import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { repositoryTexts, sourcesIn } from '../setup/sources.ts';
import { document as described } from './openapi-document.ts';

type Schema = {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
};
type Parameter = { $ref?: string; name: string; in: string; description?: string; schema: Schema };
type Body = { $ref?: string; content?: Record<string, { schema: Schema }> };
type Operation = {
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Body>;
};
type Paths = Record<string, Record<string, Operation>>;
type Document = { paths: Paths; webhooks: Paths };

const document = described as unknown as Document;
const operationsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
      operation,
    })),
  );
const operations = operationsOf(document.paths);

/** Follows a reference such as `#/components/schemas/Loan`. Its own keywords replace those of its target. */
function resolve<Part extends { $ref?: string }>(part: Part): Part {
  if (part.$ref === undefined) return part;
  let target: unknown = document;
  for (const key of part.$ref.split('/').slice(1))
    target = (target as Record<string, unknown>)[key.replaceAll('~1', '/')];
  return { ...(target as Part), ...part };
}

/** The schemas directly inside a schema, such as the items of a list, without its fields. */
const innerSchemas = (schema: Schema): Schema[] =>
  ['items', 'additionalProperties', 'anyOf', 'allOf', 'oneOf', 'prefixItems']
    .flatMap((keyword) => schema[keyword] ?? [])
    .filter((value): value is Schema => typeof value === 'object' && value !== null);

/** The paths of the fields without description, at any depth. A recursive schema is read once. */
function undescribedIn(given: Schema, prefix = '', above: readonly string[] = []): string[] {
  if (given.$ref !== undefined && above.includes(given.$ref)) return [];
  const schema = resolve(given);
  const inside = given.$ref === undefined ? above : [...above, given.$ref];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(resolve(field).description?.trim() ? [] : [prefix + name]),
    ...undescribedIn(field, `${prefix}${name}.`, inside),
  ]);
  return [
    ...fields,
    ...innerSchemas(schema).flatMap((part) => undescribedIn(part, prefix, inside)),
  ];
}

function undescribedOf({ parameters = [], requestBody, responses = {} }: Operation): string[] {
  const bodies = [...(requestBody ? [requestBody] : []), ...Object.values(responses)];
  const silent = parameters
    .map((parameter) => resolve(parameter))
    .filter(({ description, schema }) => !description && !resolve(schema).description);
  return [
    ...bodies
      .flatMap((body) => Object.values(resolve(body).content ?? {}))
      .flatMap(({ schema }) => undescribedIn(schema)),
    ...silent.map(({ name, in: place }) => `${name} (${place})`),
  ];
}

const undescribed = [
  ...[...operations, ...operationsOf(document.webhooks)].flatMap(({ name, operation }) =>
    undescribedOf(operation).map((field) => `${name}: ${field}`),
  ),
  // Permissions and refusals are generated. Only a text of its own says what the operation is for.
  ...routes
    .filter(({ description = '' }) => description.trim() === '')
    .map(({ method, path }) => `${method} ${path}`),
];

test('every field of requests, answers and events, every parameter and every operation is described', () => {
  expect(operations.length).toBeGreaterThan(500);
  expect(
    undescribed,
    'Write a .describe() for these fields, and `about` or `description` for these operations',
  ).toEqual([]);
});

test('a field without description is found at any depth, in a list and behind a reference', () => {
  const schema: Schema = {
    properties: {
      named: { description: 'Has a text.', type: 'string' },
      rows: { description: 'Rows.', items: { properties: { inner: { type: 'string' } } } },
      entry: { description: 'A reference.', properties: { old: {} } },
    },
  };

  const found = undescribedIn(schema);

  expect(found).toEqual(expect.arrayContaining(['rows.inner', 'entry.old']));
  expect(found).not.toContain('named');
});

/** Every description in the document, with its place. */
function descriptionsIn(value: unknown, place: string): { place: string; text: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'description' && typeof part === 'string'
      ? [{ place, text: part }]
      : descriptionsIn(part, `${place}/${key}`),
  );
}
const descriptions = descriptionsIn(document, '');

test('every operation that a description names exists', () => {
  const known = new Set(operations.map(({ name }) => name));
  const named = descriptions.flatMap(({ place, text }) =>
    [...text.matchAll(/\b(?:GET|POST|PUT|DELETE) \/[\w{}/-]+/g)].map(([operation]) => ({
      place,
      operation: operation.replace(' /api/v1', ' '),
    })),
  );

  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ operation }) => !known.has(operation))).toEqual([]);
});

const OPERATION_OR_COMMAND = /^(?:GET|POST|PUT|DELETE) \/|^npm run /;

/** Fields, values, error codes, events and actions, as the code writes them. */
const codeWords = new Set([
  ...routes.flatMap(({ path }) => path.split('/')),
  ...sourcesIn(repositoryTexts())
    .filter(({ folder }) => folder !== 'test')
    .flatMap(({ code }) => [
      ...[...code.matchAll(/'([\w*./-]+)'/g)].map(([, word = '']) => word),
      ...(code.replace(/(['"`])(?:\\.|(?!\1)[^\\\n])*\1/g, '').match(/\w+/g) ?? []),
    ]),
]);

test('every name in backticks in a description is one that the code uses', () => {
  const settings = Settings.parse({});
  const known = new Set(settingPaths(settings));
  const isKnown = (name: string) => {
    const [group = '', ...below] = name.split('.');
    if (codeWords.has(name) || OPERATION_OR_COMMAND.test(name)) return true;
    // A setting or a field of a group. Of `percent_of_…`, any value may begin so.
    if (below.length > 0 && Object.hasOwn(settings, group)) return known.has(name);
    return name.split('.').every((part) => codeWords.has(part)) || name.endsWith('…');
  };

  const unknown = descriptions.flatMap(({ place, text }) =>
    [...text.matchAll(/`([^`]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !isKnown(name))
      .map((name) => ({ place, name })),
  );

  expect(unknown).toEqual([]);
});

type Tree = { [key: string]: unknown };
const settingPaths = (tree: Tree, prefix = ''): string[] =>
  Object.entries(tree).flatMap(([key, value]) => [
    prefix + key,
    ...(typeof value === 'object' && value !== null && !Array.isArray(value)
      ? settingPaths(value as Tree, `${prefix}${key}.`)
      : []),
  ]);
