import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { Invalid } from '../../jobs/errors.ts';
import { describeFile } from '../../jobs/files/file-bytes.ts';
import { FILE_BYTES_MAX, StoreUnavailable } from '../../jobs/files/files.ts';
import { checkStorable } from './bodies.ts';
import { HttpRefusal } from './errors.ts';
import { receiveUpload, type Intake } from './receive.ts';

const FIELDS_BYTES_MAX = 65_536;
const FIELDS_MAX = 100;

/** A file of a form: what its sender calls it, and where its bytes lie for as long as the request. */
export type ArrivedFile = { field: string; name: string; type: string; size: number; path: string };
export type FileForm = { fields: Record<string, string | string[]>; files: ArrivedFile[] };
/** Without a limit of the tenant's: what any of them can allow, who looks at its own afterwards. */
export type FormLimits = { intake: Intake; bytes_max?: number };

/**
 * Reads a form with a file and goes on with it. The file comes into a folder of its own, which nobody
 * else may read and which goes with the request: nothing of it is kept before the whole form is here.
 */
export async function withFileForm<Result>(
  ctx: Context,
  { intake, bytes_max = FILE_BYTES_MAX }: FormLimits,
  steps: (form: FileForm) => Promise<Result>,
): Promise<Result> {
  // Whoever is refused in the middle of a file has more to send, and no next request.
  ctx.set('Connection', 'close');
  if (Number(ctx.get('Content-Length') || 0) > bytes_max + 2 * FIELDS_BYTES_MAX) throw tooLarge();
  const folder = await mkdtemp(path.join(tmpdir(), 'form-'));
  try {
    await receiveUpload(ctx, intake, undefined, async (content) => {
      const parser = parserInto(folder, bytes_max);
      await parser(fedBy(ctx, content), async () => {}).catch(asRefusal);
    });
    const fields = (ctx.request.body ?? {}) as FileForm['fields'];
    const files = filesOf(ctx);
    checkStorable(fields, []);
    for (const { name } of files) checkStorable({ file: name }, []);
    return await steps({ fields, files });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same request, whose body is what has been received of it in time. */
function fedBy(ctx: Context, content: AsyncIterable<Uint8Array>): Context {
  const { headers } = ctx.req;
  const body = Object.assign(Readable.from(content, { objectMode: false }), { headers });
  return Object.create(ctx, { req: { value: body } }) as Context;
}

const parserInto = (uploadDir: string, bytes_max: number) =>
  koaBody({
    ...{ json: false, text: false, urlencoded: false, multipart: true },
    formidable: {
      ...{ uploadDir, maxFiles: 1, allowEmptyFiles: true, minFileSize: 0 },
      ...{ maxFileSize: bytes_max, maxFields: FIELDS_MAX, maxFieldsSize: FIELDS_BYTES_MAX },
    },
  });

/** What formidable calls its refusals (its FormidableError has no names for them). */
const FIELDS_TOO_LARGE = 1006;
const FILES_TOO_MANY = 1015;

/** Whatever formidable refuses is the sender's fault; what the system refuses is the disk's. */
function asRefusal(error: unknown): never {
  const { code, httpCode } = error as { code?: unknown; httpCode?: number };
  if (code === FILES_TOO_MANY) throw new Invalid({ file: 'Send exactly one file.' });
  if (code === FIELDS_TOO_LARGE)
    throw new HttpRefusal(413, 'payload_too_large', 'The form fields exceed the size limit.');
  if (httpCode === 413) throw tooLarge();
  if (typeof code === 'number')
    throw new HttpRefusal(
      400,
      'malformed_form',
      'The form is malformed or incomplete. Send it again.',
    );
  if (typeof code === 'string')
    throw new StoreUnavailable('The file cannot be accepted right now. Try again shortly.', {
      cause: error,
    });
  throw error;
}

const tooLarge = () =>
  new HttpRefusal(413, 'payload_too_large', 'The file exceeds the size limit.');

type Parsed = {
  originalFilename: string | null;
  mimetype: string | null;
  size: number;
  filepath: string;
};

/** A field for a file that was left empty sends a file without a name. */
function filesOf(ctx: Context): ArrivedFile[] {
  const { files = {} } = ctx.request as { files?: Record<string, Parsed | Parsed[]> };
  return Object.entries(files).flatMap(([field, arrived]) =>
    [arrived]
      .flat()
      .flatMap(({ originalFilename: name, mimetype, size, filepath }) =>
        name ? [{ field, name, type: mimetype ?? '', size, path: filepath }] : [],
      ),
  );
}

/**
 * The same as the body of an endpoint, which takes one file, in the field that is called so, and each
 * other field once. Two requests with the same file and fields have the same body.
 */
export async function withFileBody(ctx: Context, limits: FormLimits, steps: () => Promise<void>) {
  if (!ctx.is('multipart/form-data') || ctx.get('Content-Encoding') !== '')
    throw new HttpRefusal(415, 'unsupported_media_type', 'Send the form as multipart/form-data.');
  await withFileForm(ctx, limits, async ({ fields, files: [file] }) => {
    for (const [name, value] of Object.entries(fields))
      if (Array.isArray(value))
        throw new Invalid({ [name.slice(0, 100)]: 'Is given more than once.' });
    if (file && file.field !== 'file')
      throw new Invalid({ file: 'Send the file in the field named file.' });
    if (file) Object.assign(ctx.request, { body: { ...fields, file: await sent(file) } });
    await steps();
  });
}

async function sent({ name, type, path: place }: ArrivedFile) {
  const { described, head, tail } = await describeFile(name, await open(place));
  const { size, sha256_hash } = described;
  return {
    ...{ name, type, size, sha256_hash },
    ends: () => ({ head, tail }),
    content: () => createReadStream(place),
  };
}
