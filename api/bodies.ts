import type { Context, Middleware, Next } from 'koa';
import { koaBody } from 'koa-body';
import { HttpRefusal } from './errors.ts';

const JSON_LIMIT = '1mb';
const UNPARSED = Symbol.for('unparsedBody');

/**
 * Bodies are JSON of at most 1 MB, or multipart where a file is uploaded. What a DELETE carries is
 * not read: dashboards send it as text/plain. Compressed bodies are not accepted, because a small
 * one may be gigabytes.
 */
export function bodies(): Middleware {
  const parser = koaBody({
    json: true,
    jsonLimit: JSON_LIMIT,
    jsonStrict: true,
    includeUnparsed: true,
    text: false,
    urlencoded: false,
    multipart: false,
    parsedMethods: ['POST', 'PUT', 'PATCH'] as never,
  });
  return async (ctx: Context, next: Next) => {
    if (!['POST', 'PUT', 'PATCH'].includes(ctx.method)) return next();
    const encoding = ctx.get('Content-Encoding');
    if (encoding && encoding !== 'identity') {
      throw new HttpRefusal(415, 'unsupported_media_type', 'Compressed bodies are not accepted.');
    }
    const hasBody =
      ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length') || 0) > 0;
    if (hasBody && !ctx.is('application/json', 'application/*+json')) {
      throw new HttpRefusal(415, 'unsupported_media_type', 'Send application/json.');
    }
    if (Number(ctx.get('Content-Length') || 0) > 1_048_576) {
      throw new HttpRefusal(413, 'payload_too_large', 'The body is larger than 1 MB.');
    }
    if (!hasBody) return next();
    await parser(ctx as never, async () => {});
    ctx.state.raw =
      (ctx.request as unknown as { body: Record<symbol, string> }).body?.[UNPARSED] ?? '';
    return next();
  };
}
