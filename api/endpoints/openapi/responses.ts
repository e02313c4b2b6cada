import type { Conflict } from '../../../jobs/errors.ts';
import { errorAnswer, type ErrorAnswer } from '../../http/errors.ts';
import { pendingApproval } from '../approval-gate.ts';
import type { Route } from '../route.ts';
import { takesIdempotencyKey } from './parameters.ts';
import { responseExample } from './response-examples.ts';
import { outputSchema, type Components, type Json } from './schemas.ts';
import { sharedRefusals, type RefusalResponse } from './shared-refusals.ts';

type SharedName = keyof ReturnType<typeof sharedRefusals>;

/** The refusals of an operation by status. Each refers to a shared response, unless the operation has its own. */
export function refusalsOf(route: Route): Record<string, Json> {
  const names = Object.entries(refusalNames(route)).filter(([, name]) => name !== null);
  const shared = names.map(([status, name]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]);
  const own = route.conflicts?.() ?? [];
  return {
    ...Object.fromEntries(shared),
    ...(own.length > 0 && { 409: conflictResponse(route, own) }),
  };
}

/** The shared response to a conflict, with the operation's own refusals as the first examples. */
function conflictResponse(route: Route, own: readonly Conflict[]): Json {
  const shared: RefusalResponse = sharedRefusals()[conflictName(route)];
  const ofAny = route.method === 'GET' ? [] : shared.refusals;
  return toResponse({ ...shared, refusals: [...own, ...ofAny] });
}

function refusalNames(route: Route): Record<number, SharedName | null> {
  const { method, allow, path, query, body, list, ifMatch, takes_file } = route;
  const changes = method !== 'GET';
  const isOpen = allow === 'anyone' || allow === 'provider';
  return {
    400: malformedName(route),
    401: isOpen ? openRefusalName(route) : 'NotAuthenticated',
    403: forbiddenName(route),
    404: path.includes('{') ? 'NotFound' : null,
    409: changes ? conflictName(route) : null,
    412: ifMatch ? 'PreconditionFailed' : null,
    413: body ? (takes_file ? 'FileTooLarge' : 'BodyTooLarge') : null,
    415: body ? (takes_file ? 'NotForm' : 'NotJson') : null,
    422: body ? 'ValidationFailed' : list || query ? 'InvalidQuery' : null,
    429: 'TooManyRequests',
    503: 'Unavailable',
  };
}

function malformedName({ body, list, ifMatch }: Route): SharedName | null {
  if (body) return ifMatch ? 'MalformedChange' : 'MalformedBody';
  if (list) return 'MalformedQuery';
  return ifMatch ? 'MalformedHeader' : null;
}

function openRefusalName({ allow, method, resource }: Route): SharedName | null {
  if (allow === 'provider') return 'ProviderRefused';
  return method === 'POST' && resource === 'auth' ? 'SignInRefused' : null;
}

function forbiddenName({ allow, method, needs_proof }: Route): SharedName | null {
  if (allow === 'provider') return null;
  if (method === 'GET') return allow === 'anyone' ? null : 'Forbidden';
  if (allow === 'anyone') return 'CsrfFailed';
  return needs_proof === undefined ? 'ForbiddenChange' : 'ForbiddenWithoutProof';
}

function conflictName(route: Route): SharedName {
  if (takesIdempotencyKey(route)) return 'ConflictOrRepeat';
  return route.method === 'DELETE' ? 'ConflictOrInUse' : 'Conflict';
}

const REQUEST_ID = '01943b7a-5c00-7f21-9a4e-3d6c81b7e052';

/** The shared responses: refusals, and the answer to a request that waits for approval. */
export function sharedResponses(components: Components): Record<string, Json> {
  const pending = outputSchema(pendingApproval, components);
  const refusals = Object.entries(sharedRefusals()).map(([name, shared]) => [
    name,
    toResponse(shared),
  ]);
  return {
    ...Object.fromEntries(refusals),
    PendingApproval: {
      description:
        "Nothing has been done yet: the request waits for a second person's approval. `approval_id` identifies it in /approvals.",
      content: {
        'application/json': {
          schema: pending,
          example: responseExample('PendingApproval', pending, components),
        },
      },
    },
  };
}

function toResponse({ description, refusals, retryAfter }: RefusalResponse): Json {
  const answers = refusals.map((refusal) =>
    refusal instanceof Error ? errorAnswer(refusal) : (refusal as ErrorAnswer),
  );
  const bodies = answers.map((answer) => answer?.body ?? { code: 'internal_error' });
  // The first refusal with a code is the example of it.
  const examples = bodies
    .filter(({ code }, at) => bodies.findIndex((body) => body.code === code) === at)
    .map((body) => [body.code, { value: { ...body, request_id: REQUEST_ID } }]);
  return {
    description,
    ...(retryAfter && { headers: { 'Retry-After': header('RetryAfter') } }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an operation's successful answer. */
export const headersOf = (route: Route): Json | null => {
  const headers = {
    ...(route.list && { 'Content-Range': header('ContentRange') }),
    ...(route.etag && { ETag: header('ETag') }),
    ...(takesIdempotencyKey(route) && { 'Idempotent-Replayed': header('IdempotentReplayed') }),
    ...(route.body && !route.takes_file && { 'X-Ignored-Fields': header('IgnoredFields') }),
  };
  return Object.keys(headers).length > 0 ? headers : null;
};

export const SHARED_HEADERS: Json = {
  ContentRange: {
    description: 'The returned rows and the total count.',
    schema: { type: 'string' },
    example: 'loans 0-24/319',
  },
  ETag: {
    description:
      'The version of the record. It changes when another user changes the record. Send it in If-Match.',
    schema: { type: 'string' },
    example: '"b1MlH3d0ZmF0JXNvbWV0aGluZw0"',
  },
  IdempotentReplayed: {
    description: '`true` if this is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  IgnoredFields: {
    description:
      'The fields of the body that the operation has ignored because it does not know them or cannot change them, separated by commas. Missing if there are none.',
    schema: { type: 'string' },
    example: 'favourite_color, lines.0.note',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
};

export const ERROR_SCHEMA: Json = {
  type: 'object',
  description: 'The answer to a request that was refused.',
  required: ['message', 'code', 'request_id'],
  properties: {
    message: { type: 'string', description: 'A sentence for the user.' },
    code: {
      type: 'string',
      description: 'The reason, for programs. It does not change with the message.',
    },
    errors: {
      type: 'object',
      description: 'A message for each invalid field. Nested fields are dotted: lines.0.amount.',
      additionalProperties: { type: 'string' },
    },
    details: {
      type: 'object',
      description: 'Facts about the refusal, such as the current status or the required role.',
      additionalProperties: true,
    },
    request_id: {
      type: 'string',
      description: 'Identifies the request in the logs. Name it when you ask for support.',
    },
  },
};
