import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** An answer that is the same for every user of every tenant. */
export type PreparedAnswer = { type: string; bytes: Buffer; etag: string };

/**
 * Encodes the answer once. Koa would encode a string for each request, and encoding a megabyte blocks all
 * other requests.
 */
export function prepareAnswer(type: string, content: string | Buffer): PreparedAnswer {
  const bytes = Buffer.from(content as string);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { type, bytes, etag: `"${hash}"` };
}

/**
 * Sends the answer, or 304 if the client has it. A shared cache must not keep it, because it comes with the
 * client's CSRF cookie.
 */
export function sendPrepared(ctx: Context, { type, bytes, etag }: PreparedAnswer) {
  ctx.status = 200;
  ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  ctx.body = bytes;
}
