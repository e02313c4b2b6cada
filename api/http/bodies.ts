import { unescape } from 'node:querystring';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { koaBody, HttpMethodEnum } from 'koa-body';
import { Invalid } from '../../jobs/errors.ts';
import { HttpRefusal } from './errors.ts';
import { measureJson } from './json-size.ts';
import { receiveBody, type Intake } from './receive.ts';

/** Maximum size of a body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576;
/** Maximum for endpoints that anyone may call, such as signing in. */
export const OPEN_BODY_BYTES_MAX = 65_536;
/**
 * Maximum number of values in a JSON body. Every number, string, boolean, null, list and object counts. One
 * body can name 10,000 loans.
 */
export const BODY_VALUES_MAX = 12_000;
export const DEPTH_MAX = 32;
/** Maximum number of form fields. Further fields are ignored. */
const FORM_FIELDS_MAX = 1_000;
const PARSED_METHODS = [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH];

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const TEXT = 'text/plain';
/** Twilio and Mailgun send forms. Amazon sends JSON as text/plain. */
const PROVIDER_TYPES = [FORM, TEXT] as const;

export const bodyBytesMax = (allow: string) =>
  allow === 'anyone' ? OPEN_BODY_BYTES_MAX : BODY_BYTES_MAX;

/**
 * Reads a JSON body. Message providers may also send a form or plain text. The body of a DELETE is not
 * read, because dashboards send it as text/plain.
 *
 * Compressed bodies are refused, because a small one can expand to gigabytes. The cheap checks run first:
 * length, number of values, depth, and then parsing.
 */
export async function readBody(ctx: Context, intake: Intake, { allow = '' } = {}) {
  if (!(PARSED_METHODS as string[]).includes(ctx.method)) return;
  const encoding = ctx.get('Content-Encoding');
  if (encoding && encoding !== 'identity') {
    throw new HttpRefusal(
      415,
      'unsupported_media_type',
      'Compressed bodies are not accepted. Send the body uncompressed.',
    );
  }
  const length = Number(ctx.get('Content-Length') || 0);
  if (ctx.get('Transfer-Encoding') === '' && length === 0) return;
  const isOfProvider = allow === 'provider';
  if (!ctx.is(JSON_TYPE) && !(isOfProvider && ctx.is(...PROVIDER_TYPES))) {
    throw notJson();
  }
  const bytes = await receiveBody(ctx, intake, bodyBytesMax(allow));
  if (!ctx.is(FORM)) assertJsonWithinLimits(bytes);
  const body = await parseBody(ctx, bytes);
  checkStorable(body, []);
  Object.assign(ctx.request, { body });
  ctx.state.raw = bytes.toString();
}

export const notJson = () =>
  new HttpRefusal(415, 'unsupported_media_type', 'Send the body as application/json.');

/**
 * Forms are flat: a field keeps its name, including dots and brackets. A broken escape becomes a
 * replacement character.
 */
const FLAT_FIELDS = {
  allowDots: false,
  depth: 0,
  parseArrays: false,
  plainObjects: true,
  parameterLimit: FORM_FIELDS_MAX,
  arrayLimit: FORM_FIELDS_MAX,
  decoder: (text: string) => unescape(text.replaceAll('+', ' ')),
};

const parser = koaBody({
  parsedMethods: PARSED_METHODS,
  multipart: false,
  jsonTypes: [JSON_TYPE],
  urlencodedTypes: [FORM],
  textTypes: [TEXT],
  jsonLimit: BODY_BYTES_MAX,
  formLimit: BODY_BYTES_MAX,
  textLimit: BODY_BYTES_MAX,
  queryString: FLAT_FIELDS,
  // The route's handler must not see the body before checkStorable.
  patchKoa: false,
  patchNode: true,
});

/**
 * Parses a complete, checked body by its media type. koa-body reads these bytes from a new stream, because
 * the request's own stream has ended.
 */
export async function parseBody(ctx: Context, bytes: Buffer): Promise<unknown> {
  const { headers } = ctx.req;
  const arrived: Readable & { body?: unknown } = Object.assign(Readable.from(bytes), { headers });
  const received = Object.create(ctx, { req: { value: arrived } }) as Context;
  try {
    await parser(received, async () => {});
  } catch (error) {
    // The parser's error carries the whole body, which must not reach a log.
    if ((error as { status?: unknown }).status === 400) throw malformed(error as Error);
    throw error;
  }
  return arrived.body;
}

/** Keeps only the place of the mistake, if the parser names it. */
function malformed({ message }: Error) {
  const [, place = ''] = /( at position \d+(?: \(line \d+ column \d+\))?)$/.exec(message) ?? [];
  return new HttpRefusal(
    400,
    'malformed_json',
    `The body is not valid JSON${place}. Check its quotation marks, commas and brackets.`,
  );
}

/** Refuses JSON that would take long to parse and check, before parsing starts. */
function assertJsonWithinLimits(bytes: Uint8Array) {
  const { values, depth } = measureJson(bytes, { values: BODY_VALUES_MAX, depth: DEPTH_MAX });
  if (depth > DEPTH_MAX) throw nestedTooDeeply();
  if (values > BODY_VALUES_MAX)
    throw new HttpRefusal(
      413,
      'payload_too_large',
      `The body has more than ${BODY_VALUES_MAX} values. Split it into several requests.`,
    );
}

const nestedTooDeeply = () =>
  new Invalid({ body: `Is nested more than ${DEPTH_MAX} levels deep.` });

/** Throws for text that no column can store and for nesting that would exhaust the stack later. */
export function checkStorable(value: unknown, path: string[]) {
  if (typeof value === 'string') return checkText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= DEPTH_MAX) throw nestedTooDeeply();
  if (Array.isArray(value)) {
    value.forEach((inner, index) => checkStorableAt(inner, String(index), path));
    return;
  }
  // This key would change the prototype when the value is copied.
  if (Object.hasOwn(value, '__proto__'))
    throw new SyntaxError('The body contains a key that is not allowed.');
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path);
    checkStorableAt(inner, key, path);
  }
}

function checkStorableAt(value: unknown, key: string, path: string[]) {
  path.push(key);
  checkStorable(value, path);
  path.pop();
}

function checkText(text: string, path: readonly string[]) {
  if (text.isWellFormed() && !text.includes('\0')) return;
  throw new Invalid({ [path.join('.') || 'body']: 'Contains a character that cannot be stored.' });
}
