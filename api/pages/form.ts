import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { checkStorable } from '../http/bodies.ts';
import { HttpRefusal } from '../http/errors.ts';
import { unhurried, type Limits } from '../http/limits.ts';

export type SentFile = {
  name: string;
  type: string;
  size: number;
  content: () => AsyncIterable<Uint8Array>;
};

/** What a form has sent: of each field its last value, trimmed; passwords as they are. */
export type Form = { values: Readonly<Record<string, string>>; file: SentFile | null };

export const EMPTY: Form = { values: {}, file: null };

const FORM_BYTES_MAX = 65_536;
const FIELDS_MAX = 100;
/** The most that a tenant can allow; its own limit is looked at when the file is put in its place. */
const FILE_BYTES_MAX = 104_857_600;

const PLAIN = 'application/x-www-form-urlencoded';

/**
 * Reads the form of a page and goes on with it. A file is kept in a folder that nobody else may read,
 * for as long as that takes.
 */
export async function withForm(
  ctx: Context,
  { limits, takesFile }: { limits: Limits; takesFile: boolean },
  steps: (form: Form) => Promise<void>,
): Promise<void> {
  if (ctx.method !== 'POST') return steps(EMPTY);
  const isPlain = ctx.is(PLAIN);
  const encoding = ctx.get('Content-Encoding');
  if (!(isPlain || (takesFile && ctx.is('multipart/form-data'))) || encoding)
    throw new HttpRefusal(415, 'unsupported_media_type', `Send ${PLAIN}.`);
  if (isPlain) {
    await PARSER(ctx, async () => {});
    return steps({ values: valuesOf(ctx), file: null });
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'form-'));
  try {
    unhurried(ctx.req, limits);
    ctx.set('Connection', 'close');
    await parserInto(folder)(ctx, async () => {}).catch(asRefusal);
    await steps({ values: valuesOf(ctx), file: fileOf(ctx) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const PARSER = koaBody({
  ...{ json: false, text: false, multipart: false, urlencoded: true },
  formLimit: FORM_BYTES_MAX,
});

const parserInto = (uploadDir: string) =>
  koaBody({
    ...{ json: false, text: false, urlencoded: false, multipart: true },
    formidable: {
      ...{ uploadDir, maxFiles: 1, allowEmptyFiles: true, minFileSize: 0 },
      ...{ maxFileSize: FILE_BYTES_MAX, maxFields: FIELDS_MAX, maxFieldsSize: FORM_BYTES_MAX },
    },
  });

function asRefusal(error: unknown): never {
  const { httpCode } = error as { httpCode?: number };
  if (httpCode === 413)
    throw new HttpRefusal(413, 'payload_too_large', 'The file is larger than is allowed.');
  if (httpCode !== undefined && httpCode < 500)
    throw new HttpRefusal(400, 'malformed_form', 'The form is broken.');
  throw error;
}

function valuesOf(ctx: Context): Form['values'] {
  const body = (ctx.request.body ?? {}) as Record<string, string | string[]>;
  checkStorable(body, []);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const given: unknown = [value].flat().at(-1);
      const last = typeof given === 'string' ? given : '';
      return [name, name.endsWith('password') ? last : last.trim()];
    }),
  );
}

type Arrived = {
  originalFilename: string | null;
  mimetype: string | null;
  size: number;
  filepath: string;
};

/** A field for a file that was left empty sends a file without a name. */
function fileOf(ctx: Context): SentFile | null {
  const { files = {} } = ctx.request as { files?: Record<string, Arrived | Arrived[]> };
  const [arrived] = Object.values(files).flat();
  if (!arrived?.originalFilename) return null;
  const { originalFilename: name, mimetype, size, filepath } = arrived;
  checkStorable({ file: name }, []);
  return { name, type: mimetype ?? '', size, content: () => createReadStream(filepath) };
}
