import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../jobs/webhooks/event-types.ts';
import { document, operations, resolve, type Json, type Operation } from './openapi-document.ts';

const webhooks = Object.entries(
  document['webhooks'] as unknown as Record<string, { post: Operation }>,
).map(([at, { post }]) => ({ at, method: 'post', operation: post }));
const all = [...operations, ...webhooks];
const named = (found: typeof all) => found.map(({ operation }) => operation.operationId);

/** The schemas with the name of their property, as far as operations and components contain them. */
function* schemas(at: unknown): Generator<Record<string, unknown>> {
  if (typeof at !== 'object' || at === null) return;
  yield at as Record<string, unknown>;
  for (const [name, inner] of Object.entries(at))
    if (name !== 'example' && name !== 'examples') yield* schemas(inner);
}

type Field = { description?: string; $ref?: string; properties?: Record<string, Field> };

/** All fields below a schema, at any depth, with their dotted names. */
function fieldsBelow(schema: Field, prefix = ''): [string, Field][] {
  return Object.entries(resolve(schema).properties ?? {}).flatMap(([name, field]) => [
    [prefix + name, field],
    ...fieldsBelow(field, `${prefix}${name}.`),
  ]);
}

/** Whether a change by a signed-in user cannot be repeated under a key. */
const lacksIdempotencyKey = ({ at, method, operation }: (typeof operations)[number]) =>
  method === 'post' &&
  !at.startsWith('/api/v1/auth/') &&
  operation.security.some((scheme) => 'session' in scheme) &&
  !operation.parameters.some(({ name }) => name === 'Idempotency-Key');

test('the OpenAPI document has no gaps', () => {
  const bodies = operations.flatMap(({ operation: { operationId, requestBody } }) =>
    Object.values(requestBody?.content ?? {}).map((media) => ({ operationId, ...media })),
  );
  const answers = operations.flatMap(({ operation: { operationId, responses } }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).map((media) => ({
        operationId: `${operationId} ${status}`,
        ...media,
      })),
    ),
  );
  const isSilent = ({ example, examples }: (typeof answers)[number]) =>
    example === undefined && examples === undefined;
  const tags = document['tags'] as unknown as { name: string; description?: string }[];
  const texts = document['components'] as Json;
  const fields = [...schemas(document)].flatMap(({ properties = {} }) =>
    Object.entries(properties as Record<string, Field>),
  );
  const isDescribed = (field: Field) =>
    (field.description ?? resolve(field).description ?? '') !== '';
  const settings = fieldsBelow({ $ref: '#/components/schemas/TenantSettings' });
  const gaps = {
    'operations without summary': named(all.filter(({ operation }) => !operation.summary)),
    'operations without description': named(all.filter(({ operation }) => !operation.description)),
    'fields without description': fields
      .filter(([, field]) => !isDescribed(field))
      .map(([name]) => name),
    'settings without description': settings
      .filter(([, field]) => !isDescribed(field))
      .map(([name]) => name),
    'operations without 429': named(
      operations.filter(({ operation }) => !('429' in operation.responses)),
    ),
    'changes without Idempotency-Key': named(operations.filter(lacksIdempotencyKey)),
    'events without a described payload': webhooks
      .filter(({ operation }) => !operation.requestBody?.content['application/json']?.schema)
      .map(({ at }) => at),
    'operationIds that are no word': named(
      all.filter(({ operation }) => !/^[a-z][A-Za-z0-9]*$/.test(operation.operationId)),
    ),
    'limits that are text': Object.entries(texts['parameters'] ?? {})
      .filter(
        ([name, { schema }]) =>
          /limit|offset/.test(name) && (schema?.['type'] as unknown) !== 'integer',
      )
      .map(([name]) => name),
    'bodies without name': bodies
      .filter(({ schema }) => !('$ref' in schema))
      .map(({ operationId }) => operationId),
    'bodies without example': bodies.filter(isSilent).map(({ operationId }) => operationId),
    'answers without example': answers.filter(isSilent).map(({ operationId }) => operationId),
    'shared parameters, headers and webhook headers without description': [
      ...Object.entries({ ...texts['parameters'], ...texts['headers'] })
        .filter(([, { description }]) => !description)
        .map(([name]) => name),
      ...webhooks.flatMap(({ operation: { parameters } }) =>
        parameters.filter(({ description }) => !description).map(({ name }) => name),
      ),
    ],
    'tags without introduction': tags
      .filter(({ description }) => !description)
      .map(({ name }) => name),
    'unknown tags': all
      .filter(({ operation }) => !tags.some(({ name }) => operation.tags.includes(name)))
      .map(({ operation }) => operation.operationId),
    'schemas without a name of their own': Object.keys(texts['schemas'] ?? {}).filter((name) =>
      name.startsWith('__'),
    ),
  };
  const counts = Object.entries(gaps).map(([gap, names]) => `${gap}: ${names.length}`);
  const size = `${operations.length} operations, ${webhooks.length} events, ${fields.length} fields, ${settings.length} settings`;
  console.info([size, ...counts].join('\n  '));

  expect(Object.fromEntries(Object.entries(gaps).filter(([, names]) => names.length > 0))).toEqual(
    {},
  );
});

test('each operation lists the refusals that its declaration can cause', () => {
  const missing = operations.flatMap(({ at, method, operation }) => {
    const { requestBody, responses, parameters } = operation;
    const expected = [
      '429',
      '503',
      ...(requestBody ? ['400', '413', '415', '422'] : []),
      ...(parameters.some(({ name }) => name === 'filter') ? ['400', '422'] : []),
      ...(parameters.some(({ name }) => name === 'If-Match') ? ['412'] : []),
      ...(at.includes('{') ? ['404'] : []),
      ...(method === 'get' ? [] : ['409']),
    ];
    return expected
      .filter((status) => !(status in responses))
      .map((status) => `${operation.operationId} ${status}`);
  });
  const waiting = operations.flatMap(({ operation: { operationId, responses } }) =>
    ['429', '503']
      .filter((status) => !('Retry-After' in (responses[status]?.headers ?? {})))
      .map((status) => `${operationId} ${status}`),
  );

  expect(missing).toEqual([]);
  expect(waiting).toEqual([]);
});

test('the webhooks section has each event with the headers of a delivery', () => {
  expect(webhooks.map(({ at }) => at)).toEqual([...EVENT_TYPES, 'webhook.test']);
  for (const { operation } of webhooks) {
    const names = operation.parameters.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['X-Webhook-Signature', 'webhook-signature', 'X-Webhook-Id']),
    );
    const body = operation.requestBody?.content['application/json'];
    expect(resolve(body?.schema as Json)['properties']).toHaveProperty('data');
  }
});

test('a numeric parameter is a number with bounds', () => {
  const parameters = (document['components'] as Json)['parameters'] as Json;

  expect(parameters['list_limit']?.['schema']).toEqual({
    type: 'integer',
    minimum: 0,
    maximum: 1000,
    default: 100,
  });
  expect(parameters['list_offset']?.['schema']).toMatchObject({ type: 'integer', minimum: 0 });
});

test('filters are parameters with their types', () => {
  const list = operations.find(({ operation }) => operation.operationId === 'listLoans');
  const schemaOf = (name: string) =>
    list?.operation.parameters.find((parameter) => parameter.name === name)?.schema;

  expect(schemaOf('status')).toMatchObject({
    anyOf: [
      { type: 'string', enum: expect.arrayContaining(['pending', 'active']) },
      { type: 'array' },
    ],
  });
  expect(schemaOf('principal_balance__gte')).toEqual({ type: 'string', format: 'decimal' });
  expect(schemaOf('next_payment_date__lt')).toEqual({ type: 'string', format: 'date' });
  expect(schemaOf('is_frozen')).toMatchObject({ anyOf: [{ type: 'boolean' }, { type: 'array' }] });
  expect(schemaOf('borrower_id')).toMatchObject({ anyOf: [{ format: 'uuid' }, {}] });
});

test('recursive JSON has a name, and no schema refers only to itself', () => {
  const schemas_ = (document['components'] as Json)['schemas'] as Json;
  const references = [...schemas(document)].map(({ $ref }) => $ref);

  expect(references).toContain('#/components/schemas/JsonValue');
  expect(schemas_['JsonValue']).toMatchObject({ description: 'Any JSON value.' });
});
