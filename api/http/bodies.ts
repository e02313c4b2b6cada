import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { Invalid } from '../../jobs/errors.ts';
import { HttpRefusal } from './errors.ts';

const LIMIT_BYTES = 1_048_576;
const DEPTH_MAX = 32;
const BODILY = ['POST', 'PUT', 'PATCH'];

/** A form of Twilio's or Mailgun's; JSON that Amazon calls text. */
const OF_PROVIDERS = ['application/x-www-form-urlencoded', 'text/plain'] as const;

const parser = koaBody({
  json: true,
  jsonLimit: LIMIT_BYTES,
  jsonStrict: true,
  includeUnparsed: true,
  text: true,
  textLimit: LIMIT_BYTES,
  urlencoded: true,
  formLimit: LIMIT_BYTES,
  multipart: false,
  parsedMethods: BODILY as never,
});

/**
 * Reads the body: JSON of at most 1 MB, from providers of messages also a form or plain text. What a DELETE carries
 * is not read: dashboards send it as text/plain. Compressed bodies are not accepted, because a
 * small one may be gigabytes.
 */
export async function readBody(ctx: Context, { isOfProvider = false } = {}) {
  if (!BODILY.includes(ctx.method)) return;
  const encoding = ctx.get('Content-Encoding');
  if (encoding && encoding !== 'identity') {
    throw new HttpRefusal(415, 'unsupported_media_type', 'Compressed bodies are not accepted.');
  }
  const length = Number(ctx.get('Content-Length') || 0);
  if (ctx.get('Transfer-Encoding') === '' && length === 0) return;
  if (!ctx.is('application/json') && !(isOfProvider && ctx.is(...OF_PROVIDERS))) {
    throw new HttpRefusal(415, 'unsupported_media_type', 'Send application/json.');
  }
  if (length > LIMIT_BYTES) throw Object.assign(new Error('too large'), { status: 413 });
  await parser(ctx, async () => {});
  const { body, rawBody } = ctx.request as unknown as { body?: unknown; rawBody?: string };
  checkStorable(body, []);
  ctx.state.raw = rawBody ?? '';
}

/** What no text column can hold, and what would exhaust the stack further on, ends here. */
export function checkStorable(value: unknown, path: string[]) {
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= DEPTH_MAX) throw new Invalid({ body: 'Is nested too deeply.' });
  if (Array.isArray(value)) {
    // Hundreds of thousands of numbers fit into a body: nothing is made for each of them.
    for (let index = 0; index < value.length; index += 1)
      if (holdsText(value[index])) checkWithin(value[index], String(index), path);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path);
    checkWithin(inner, key, path);
  }
}

const holdsText = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

function checkWithin(value: unknown, key: string, path: string[]) {
  path.push(key);
  checkStorable(value, path);
  path.pop();
}

function checkText(text: string, path: readonly string[]) {
  if (text.isWellFormed() && !text.includes('\0')) return;
  throw new Invalid({ [path.join('.') || 'body']: 'Has a character that cannot be stored.' });
}
