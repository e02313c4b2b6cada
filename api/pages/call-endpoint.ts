import type { Context } from 'koa';
import { dictionary } from '../../sql/dictionary.ts';
import { endpointKey } from '../endpoints/approval-gate.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';

export type CallOptions = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The idempotency key. */
  key?: string;
};

/**
 * Calls an endpoint by method and path. The endpoint's schema has checked the answer, so the caller states
 * its type.
 */
export type CallEndpoint = <Answer = Record<string, unknown>>(
  endpoint: string,
  asked?: CallOptions,
) => Promise<Answer>;

type Handler = (ctx: Context) => Promise<void>;

/** Builds the handler of every endpoint, by method and path. */
export const handlersByEndpoint = (routes: readonly Route[], serve: (route: Route) => Handler) =>
  dictionary(Object.fromEntries(routes.map((route) => [endpointKey(route), serve(route)])));

/**
 * Calls the platform's own endpoints for the visitor of a page, with the same session, role, rate limits,
 * schemas, transaction and history as over HTTP. Throws the endpoint's refusals. The CSRF token has been
 * checked with the form.
 */
export const endpointCaller =
  (ctx: Context, handlers: Readonly<Record<string, Handler>>): CallEndpoint =>
  async <Answer>(endpoint: string, asked: CallOptions = {}) => {
    const handler = handlers[endpoint];
    if (handler === undefined) throw new Error(`There is no endpoint ${endpoint}.`);
    const inner = deriveContext(ctx, endpoint, asked);
    await handler(inner);
    const { status, body } = inner;
    if (status < 400) return body as Answer;
    const { code, message, details } = body as { code: string; message: string; details?: object };
    throw new HttpRefusal(status, code, message, details && { details: { ...details } });
  };

const ownProperty = (value: unknown) => ({ value, writable: true });

/** Derives a request with another target and body from the page's request. Its answer stays separate. */
function deriveContext(ctx: Context, endpoint: string, asked: CallOptions): Context {
  const { params = {}, query = {}, body = {}, key } = asked;
  const [method = '', pattern = ''] = endpoint.split(' ');
  const path = `/api/v1${pattern.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')}`;
  const querystring = new URLSearchParams(query).toString();
  const headers: Record<string, string> = {
    'user-agent': ctx.get('User-Agent'),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  return Object.create(ctx, {
    method: ownProperty(method),
    path: ownProperty(path),
    params: ownProperty(params),
    querystring: ownProperty(querystring),
    url: ownProperty(`${path}?${querystring}`),
    req: ownProperty({ headers }),
    request: ownProperty({ body }),
    get: ownProperty((name: string) => headers[name.toLowerCase()] ?? ''),
    status: ownProperty(404),
    body: ownProperty(undefined),
    set: ownProperty(() => {}),
  });
}
