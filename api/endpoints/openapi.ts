import { z } from 'zod';
import { bodyBytesMax, BODY_VALUES_MAX, DEPTH_MAX } from '../http/bodies.ts';
import { buildExample, EXAMPLE_ID, today, type Schema } from './examples.ts';
import { describeOperation } from './describe-operation.ts';
import { describeFields } from './field-descriptions.ts';
import { operationIdOf } from './operation-ids.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** Builds the OpenAPI 3.1 document from the route table. */
export function buildOpenApi(routes: readonly Route[]): Json {
  const components: Record<string, Json> = { Error: ERROR_SCHEMA };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[`/api/v1${route.path}`] ??= {});
    path[route.method.toLowerCase()] = buildOperation(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loan servicing',
      version: '1',
      description:
        'Sign in with POST /api/v1/auth/login. Every request that changes something sends the value of the csrftoken cookie in X-CSRFToken. A change that grants power answers 403 proof_required unless you signed in with your password, or called POST /api/v1/auth/prove, within the last 15 minutes. Money and rates are decimal strings. A field that repeats or contains another one names it in x-derived-from: a user who is denied the named field is not shown this one. ' +
        'Any request may be answered 408 or 429 when its client sends too slowly or too much at the same time, and 503 while the service is busy: send it again after the seconds in Retry-After.',
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
        csrf: { type: 'apiKey', in: 'header', name: 'X-CSRFToken' },
      },
    },
  };
}

function buildOperation(route: Route, components: Record<string, Json>): Json {
  const { tag, summary, allow, method, path, query, body, example, reply, status, list } = route;
  const sent = route.takes_file ? 'multipart/form-data' : 'application/json';
  const open = allow === 'anyone' || allow === 'provider';
  const csrf = method === 'GET' || allow === 'provider' ? {} : { csrf: [] };
  const answer = reply && buildSchema(reply, 'output', components);
  const content = answer && {
    content: { 'application/json': { schema: list ? { type: 'array', items: answer } : answer } },
  };
  return {
    tags: [tag],
    summary,
    description: describeOperation(route),
    // The docs page uses this to request examples only where its reader has permission.
    'x-permission': { allow, action: route.action, resource: route.resource },
    operationId: operationIdOf(route),
    security: open ? (method === 'GET' ? [] : [csrf]) : [{ session: [], ...csrf }],
    parameters: [
      ...pathParameters(path),
      ...queryParameters(query, components, example?.(today()) as Json | undefined),
      ...listParameters(list),
      ...(route.ifMatch ? [IF_MATCH] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        description: describeLimits(route),
        content: { [sent]: buildRequestBody(route, body, components) },
      },
    }),
    responses: {
      [status]: {
        description: summary,
        ...(list && { headers: CONTENT_RANGE }),
        ...(route.etag && { headers: ETAG }),
        ...content,
      },
      ...(route.four_eyes && { 202: PENDING_RESPONSE }),
      ...refusalResponses(route),
    },
  };
}

/** Describes the largest accepted body. A larger one is refused with 413. */
const describeLimits = ({ takes_file, allow }: Route) =>
  takes_file
    ? 'One file, as large as the setting documents.max_bytes allows.'
    : `At most ${bodyBytesMax(allow) / 1_024} kB, ${BODY_VALUES_MAX} values and ${DEPTH_MAX} levels.`;

/** Adds an example that is valid as it is, except for the ids of the reader's own records. */
function buildRequestBody(route: Route, body: z.ZodType, components: Record<string, Json>) {
  const whole = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const example = {
    ...(buildExample('body', whole as Schema) as object),
    ...route.example?.(today()),
  };
  return { schema: buildSchema(body, 'input', components), example };
}

const CONTENT_RANGE = {
  'Content-Range': {
    description: 'The returned rows and the total count: "loans 0-24/319".',
    schema: { type: 'string' },
  },
};

const PENDING_RESPONSE = {
  description: "Waiting for a second person's approval; `approval_id` identifies the request.",
};
const ETAG = {
  ETag: {
    description: 'The version of the record. It changes with every change to the record.',
    schema: { type: 'string' },
  },
};
const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the record as you read it. If the record has changed, the request fails with 412.',
  schema: { type: 'string' },
};

function refusalResponses({ method, allow, path, body, list, ifMatch }: Route): Json {
  const described = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  const codes = [
    ...(allow === 'anyone' ? [] : [401]),
    ...(allow === 'anyone' && method === 'GET' ? [] : [403]),
    ...(path.includes('{') ? [404] : []),
    ...(method === 'GET' ? [] : [409]),
    ...(ifMatch ? [400, 412] : []),
    ...(body || list ? [422] : []),
  ];
  return Object.fromEntries(
    codes.map((code) => [code, { description: REFUSAL_DESCRIPTIONS[code], ...described }]),
  );
}

const REFUSAL_DESCRIPTIONS: Record<number, string> = {
  400: 'The body or the If-Match header could not be read.',
  412: 'The record has changed since the version in If-Match. Nothing was changed.',
  401: 'Not signed in, or the session has expired.',
  403: 'The role does not allow this, or the CSRF token is missing or wrong.',
  404: 'The record does not exist.',
  409: 'The current state of the record does not allow this.',
  422: 'Validation failed; `errors` lists each field.',
};

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: EXAMPLE_ID,
  }));

function queryParameters(
  query: z.ZodType | undefined,
  components: Record<string, Json>,
  needed: Json = {},
) {
  if (!query) return [];
  const { properties = {}, required = [] } = buildSchema(query, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(required.includes(name) && { example: buildExample(name, schema as Schema) }),
    ...(name in needed && { example: needed[name] }),
  }));
}

function listParameters(list: Route['list']) {
  if (!list) return [];
  const text = (name: string, description: string, example?: string) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string' },
    ...(example !== undefined && { example }),
  });
  return [
    text('sort', 'JSON: ["created_at","DESC"].', '["id","ASC"]'),
    text('range', 'JSON, inclusive and counted from zero: [0,24].', '[0,24]'),
    text(
      'filter',
      `JSON object over: ${['id', ...list.filters].join(', ')}${list.hasSearch ? ', q' : ''}; compared otherwise as field__ne, __in, __gt, __gte, __lt, __lte, __icontains, __isnull.`,
      '{}',
    ),
    text('ordering', 'A field, with - before it for descending order.'),
    text('limit', 'Page size, at most 1000.'),
    text('offset', 'First row, counted from zero.'),
  ];
}

/** Schemas with an id become components and are referenced. */
function buildSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Record<string, Json>,
): Json {
  const id =
    io === 'output' ? (z.globalRegistry.get(schema) as { id?: string } | undefined)?.id : undefined;
  if (id && components[id]) return { $ref: `#/components/schemas/${id}` };
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: showDecimalAsString,
  });
  const { $defs = {}, ...whole } = describeFields(
    JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json & {
      $defs?: Record<string, Json>;
    },
  );
  for (const [name, part] of Object.entries($defs)) components[name] ??= withoutSchemaIds(part);
  if (id === undefined) return withoutSchemaIds(whole);
  // A recursive schema may arrive as a reference to its own definition.
  components[id] ??= withoutSchemaIds(whole);
  return { $ref: `#/components/schemas/${id}` };
}

const withoutSchemaIds = ({ $schema: _schema, id: _id, ...rest }: Json): Json => rest;

/** Amounts are parsed through a transform, which hides their type from the generator. */
function showDecimalAsString({ jsonSchema }: { jsonSchema: { type?: unknown; format?: string } }) {
  if (jsonSchema.format === 'decimal') jsonSchema.type = 'string';
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['message', 'code', 'request_id'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'string' } },
    details: { type: 'object' },
    request_id: { type: 'string' },
  },
};
