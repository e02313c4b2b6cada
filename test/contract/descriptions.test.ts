import { expect, test } from 'vitest';
import { buildOpenApi } from '../../api/endpoints/openapi.ts';
import { routes } from '../../api/routes.ts';

type Schema = {
  description?: string;
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
};
type Operation = {
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const document = buildOpenApi(routes) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
    operation,
  })),
);

/** The schemas directly inside a schema, such as the items of a list, without its fields. */
const innerSchemas = (schema: Schema): Schema[] =>
  ['items', 'additionalProperties', 'anyOf', 'allOf', 'oneOf', 'prefixItems']
    .flatMap((keyword) => schema[keyword] ?? [])
    .filter((value): value is Schema => typeof value === 'object' && value !== null);

/** Calls `visit` with every field of a schema, at any depth. */
function visitFields(given: Schema, visit: (path: string, field: Schema) => void, prefix = '') {
  const schema = given.$ref ? resolve(given.$ref) : given;
  // A schema that contains itself is only visited once.
  if (prefix.split('.').length > 12) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    visit(prefix + name, { ...(field.$ref && resolve(field.$ref)), ...field });
    visitFields(field, visit, `${prefix}${name}.`);
  }
  for (const inner of innerSchemas(schema)) visitFields(inner, visit, prefix);
}

const resolve = (reference: string): Schema =>
  document.components.schemas[reference.replace('#/components/schemas/', '')] ?? {};

function undescribedFields({ parameters = [], requestBody }: Operation): string[] {
  const missing: string[] = [];
  for (const { schema } of Object.values(requestBody?.content ?? {}))
    visitFields(schema, (path, { description = '' }) => {
      if (description.trim() === '') missing.push(path);
    });
  const queries = parameters.filter(
    ({ in: place, description, schema }) =>
      place === 'query' && !description && !schema.description,
  );
  return [...missing, ...queries.map(({ name }) => `?${name}`)];
}

const undescribed = [
  ...operations.flatMap(({ name, operation }) =>
    undescribedFields(operation).map((field) => `${name}: ${field}`),
  ),
  // Permissions and refusals are generated. Only a text of its own says what the operation is for.
  ...routes
    .filter(({ description = '' }) => description.trim() === '')
    .map(({ method, path }) => `${method} ${path}`),
];

test('every field that a client writes, every setting and every operation is described', () => {
  expect(operations.length).toBeGreaterThan(500);
  expect(undescribed).toEqual([]);
});

test('a field without description is found at any depth, in a list and behind a reference', () => {
  const schema: Schema = {
    properties: {
      named: { description: 'Has a text.', type: 'string' },
      rows: { description: 'Rows.', items: { properties: { inner: { type: 'string' } } } },
      failure: { description: 'A reference.', $ref: '#/components/schemas/Error' },
    },
  };

  const found: string[] = [];
  visitFields(schema, (path, field) => !field.description && found.push(path));

  expect(found).toEqual(expect.arrayContaining(['rows.inner', 'failure.code']));
  expect(found).not.toContain('named');
});
