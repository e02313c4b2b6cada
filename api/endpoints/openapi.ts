import { bodyBytesMax, BODY_VALUES_MAX, DEPTH_MAX } from '../http/bodies.ts';
import { describeOperation } from './describe-operation.ts';
import { buildExample, buildOptionalExample, today } from './examples.ts';
import { INTRODUCTION, SECURITY_SCHEMES } from './openapi/introduction.ts';
import { parametersOf, sharedParameters } from './openapi/parameters.ts';
import { responseExample } from './openapi/response-examples.ts';
import {
  ERROR_SCHEMA,
  headersOf,
  refusalsOf,
  SHARED_HEADERS,
  sharedResponses,
} from './openapi/responses.ts';
import { bodySchema, outputSchema, type Components, type Json } from './openapi/schemas.ts';
import { tagOf, tagsOf } from './openapi/tags.ts';
import { buildWebhooks } from './openapi/webhooks.ts';
import { operationIdOf } from './operation-ids.ts';
import type { Route } from './route.ts';

/** Builds the OpenAPI 3.1 document from the route table. */
export function buildOpenApi(routes: readonly Route[]): Json {
  const components: Components = { schemas: { Error: ERROR_SCHEMA }, examples: {} };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[`/api/v1${route.path}`] ??= {});
    path[route.method.toLowerCase()] = buildOperation(route, components);
  }
  const webhooks = buildWebhooks(components);
  const responses = sharedResponses(components);
  return {
    openapi: '3.1.0',
    info: INTRODUCTION,
    servers: [{ url: '/', description: 'The address of the tenant.' }],
    tags: tagsOf(routes),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      examples: components.examples,
      parameters: sharedParameters(),
      headers: SHARED_HEADERS,
      responses,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function buildOperation(route: Route, components: Components): Json {
  const { summary, allow, action, resource, status, four_eyes } = route;
  const headers = headersOf(route);
  return {
    tags: [tagOf(route)],
    summary,
    description: describeOperation(route),
    // The docs page uses this to request examples only where its reader has permission.
    'x-permission': { allow, action, resource },
    operationId: operationIdOf(route),
    security: securityOf(route),
    parameters: parametersOf(route, components),
    ...(route.body && { requestBody: buildRequestBody(route, route.body, components) }),
    responses: {
      [status]: {
        description: describeAnswer(route),
        ...(headers && { headers }),
        ...buildAnswer(route, components),
      },
      ...(four_eyes && { 202: { $ref: '#/components/responses/PendingApproval' } }),
      ...refusalsOf(route),
    },
  };
}

function securityOf({ allow, method }: Route): Json[] {
  const changes = method !== 'GET';
  if (allow === 'provider') return [];
  if (allow === 'anyone') return changes ? [{ csrf: [] }] : [];
  return [{ session: [], ...(changes && { csrf: [] }) }];
}

function describeAnswer({ reply, list, status, method }: Route): string {
  if (!reply) return 'Done. The answer has no body.';
  if (list) return 'One page of the list.';
  if (status === 201) return 'The new record.';
  return method === 'PUT' ? 'The changed record.' : 'The answer.';
}

/** The schema of the answer and an example. Records of the same kind share both. */
function buildAnswer(route: Route, components: Components): Json {
  const { reply, list } = route;
  if (!reply) return {};
  const record = outputSchema(reply, components);
  const schema = list ? { type: 'array', items: record } : record;
  const name = typeof record['$ref'] === 'string' ? nameIn(record['$ref']) : null;
  if (name === null) {
    const example = responseExample('Answer', schema, components);
    return { content: { 'application/json': { schema, example } } };
  }
  const key = list ? `${name}List` : name;
  components.examples[key] ??= { value: responseExample(name, schema, components) };
  const examples = { usual: { $ref: `#/components/examples/${key}` } };
  return { content: { 'application/json': { schema, examples } } };
}

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** Adds an example that is valid as it is, except for the ids of the reader's own records. */
function buildRequestBody(
  route: Route,
  body: NonNullable<Route['body']>,
  components: Components,
): Json {
  const { reference, schema } = bodySchema(body, bodyNames(route), components);
  const needed = {
    ...(buildExample('body', schema, components.schemas) as object),
    ...route.example?.(today()),
  };
  const example =
    Object.keys(needed).length > 0
      ? needed
      : buildOptionalExample(schema, route.method === 'PUT', components.schemas);
  const sent = route.takes_file ? 'multipart/form-data' : 'application/json';
  const hasRequired = ((schema['required'] as string[] | undefined) ?? []).length > 0;
  return {
    required: hasRequired || route.method === 'PUT',
    description: describeLimits(route),
    content: { [sent]: { schema: reference, example } },
  };
}

/** The preferred name of a body's schema first: LoanCreate, LoanUpdate, ApproveLoanRequest. */
function bodyNames(route: Route): string[] {
  const id = operationIdOf(route);
  const own = `${id.charAt(0).toUpperCase()}${id.slice(1)}Request`;
  const record = route.reply?.meta()?.id;
  if (record === undefined) return [own];
  if (route.action === 'create') return [`${record}Create`, own];
  return route.action === 'edit' ? [`${record}Update`, own] : [own];
}

/** Describes the largest accepted body. A larger one is refused with 413. */
const describeLimits = ({ takes_file, allow }: Route) =>
  takes_file
    ? 'One file, as large as the setting documents.max_bytes allows.'
    : `At most ${bodyBytesMax(allow) / 1_024} kB, ${BODY_VALUES_MAX} values and ${DEPTH_MAX} levels.`;
