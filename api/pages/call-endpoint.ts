import type { Context } from 'koa';
import { dictionary } from '../../sql/dictionary.ts';
import { endpointKey } from '../endpoints/approval-gate.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';

export type CallOptions = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Under which what is asked for is done once, however often it is asked. */
  key?: string;
};

/** What an endpoint answers, which its own schema has checked; whoever asks knows its shape. */
export type CallEndpoint = <Answer = Record<string, unknown>>(
  endpoint: string,
  asked?: CallOptions,
) => Promise<Answer>;

type Handler = (ctx: Context) => Promise<void>;

/** Every endpoint by its method and path, as `serve` makes it. */
export const handlersByEndpoint = (routes: readonly Route[], serve: (route: Route) => Handler) =>
  dictionary(Object.fromEntries(routes.map((route) => [endpointKey(route), serve(route)])));

/**
 * Asks the platform's own endpoints on behalf of whoever asks for the page: the same session, role,
 * throttle, schemas, transaction and history as over HTTP. A refusal is thrown as the endpoint throws
 * it. The CSRF token was checked with the form.
 */
export const endpointCaller =
  (ctx: Context, handlers: Readonly<Record<string, Handler>>): CallEndpoint =>
  async <Answer>(endpoint: string, asked: CallOptions = {}) => {
    const handler = handlers[endpoint];
    if (handler === undefined) throw new Error(`There is no endpoint ${endpoint}.`);
    const inner = within(ctx, endpoint, asked);
    await handler(inner);
    const { status, body } = inner;
    if (status < 400) return body as Answer;
    const { code, message, details } = body as { code: string; message: string; details?: object };
    throw new HttpRefusal(status, code, message, details && { details: { ...details } });
  };

const own = (value: unknown) => ({ value, writable: true });

/** The request of the page with another target and body; what is answered stays in it. */
function within(ctx: Context, endpoint: string, asked: CallOptions): Context {
  const { params = {}, query = {}, body = {}, key } = asked;
  const [method = '', pattern = ''] = endpoint.split(' ');
  const path = `/api/v1${pattern.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')}`;
  const querystring = new URLSearchParams(query).toString();
  const headers: Record<string, string> = {
    'user-agent': ctx.get('User-Agent'),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  return Object.create(ctx, {
    method: own(method),
    path: own(path),
    params: own(params),
    querystring: own(querystring),
    url: own(`${path}?${querystring}`),
    req: own({ headers }),
    request: own({ body }),
    get: own((name: string) => headers[name.toLowerCase()] ?? ''),
    status: own(404),
    body: own(undefined),
    set: own(() => {}),
  });
}
