import type { Context, Middleware } from 'koa';
import { inSpan, SpanKind, SpanStatusCode } from '../../jobs/monitoring/traces.ts';

/**
 * Traces a request as a span named after the route's pattern, because the path contains ids and client
 * text.
 */
export const traceRequest: Middleware = (ctx: Context, next) => {
  const { request_id } = ctx.state as { request_id: string };
  return inSpan({ name: ctx.method, kind: SpanKind.SERVER, request_id }, async (span) => {
    await next();
    const { route } = ctx.state as { route?: { path: string } };
    span.setAttributes({
      'http.request.method': ctx.method,
      'http.response.status_code': ctx.status,
      'app.request_id': request_id,
    });
    // Only our own faults mark the span as an error; refusals do not.
    if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    if (route === undefined) return;
    span.updateName(`${ctx.method} ${route.path}`);
    span.setAttribute('http.route', route.path);
  });
};
