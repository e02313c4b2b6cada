import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Context } from 'koa';

/** An answer that is the same for every user of every tenant. */
export type PreparedAnswer = Encoded & { type: string; gzipped: Encoded };
type Encoded = { bytes: Buffer; etag: string };

/**
 * Encodes and compresses the answer once. Koa would encode a string for each request, and encoding a
 * megabyte blocks all other requests.
 */
export function prepareAnswer(type: string, content: string | Buffer): PreparedAnswer {
  const bytes = Buffer.from(content as string);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    type,
    bytes,
    etag: `"${hash}"`,
    // A strong tag names one sequence of bytes, so each encoding has its own (RFC 9110, 8.8.3).
    gzipped: { bytes: gzipSync(bytes), etag: `"${hash}-gzip"` },
  };
}

/**
 * Sends the answer, compressed if the client accepts it, or 304 if the client has it. A shared cache must
 * not keep it, because it comes with the client's CSRF cookie. The bytes contain no secret, so compression
 * reveals none.
 */
export function sendPrepared(ctx: Context, { type, gzipped, ...plain }: PreparedAnswer) {
  const isCompressed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  const { bytes, etag } = isCompressed ? gzipped : plain;
  ctx.vary('Accept-Encoding');
  ctx.status = 200;
  ctx.set({ 'Cache-Control': 'private, no-cache', ETag: etag });
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (isCompressed) ctx.set('Content-Encoding', 'gzip');
  ctx.type = type;
  ctx.body = bytes;
}
