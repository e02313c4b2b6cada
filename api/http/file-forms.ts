import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { Invalid } from '../../jobs/errors.ts';
import { describeFile } from '../../jobs/files/file-bytes.ts';
import { FILE_BYTES_MAX, StoreUnavailable } from '../../jobs/files/files.ts';
import { checkStorable } from './bodies.ts';
import { HttpRefusal } from './errors.ts';
import { MalformedForm, readParts, type FormPart } from './multipart.ts';
import { receiveUpload, type Intake } from './receive.ts';

const FIELDS_BYTES_MAX = 65_536;
const PARTS_MAX = 100;

/**
 * An uploaded file: the name given by the sender, and the temporary path, which exists only during the
 * request.
 */
export type ArrivedFile = { field: string; name: string; type: string; size: number; path: string };
export type FileForm = { fields: Record<string, string | string[]>; files: ArrivedFile[] };
/**
 * Without `bytes_max`, the limit is the highest that any tenant can allow, and the caller checks the
 * tenant's own limit.
 */
export type FormLimits = { intake: Intake; bytes_max?: number };

/**
 * Reads a form with a file into a private temporary folder and continues with it. The folder is deleted
 * with the request. Nothing is stored permanently before the whole form has arrived.
 */
export async function withFileForm<Result>(
  ctx: Context,
  { intake, bytes_max = FILE_BYTES_MAX }: FormLimits,
  steps: (form: FileForm) => Promise<Result>,
): Promise<Result> {
  // A client refused in the middle of a file is still sending, so the connection cannot be reused.
  ctx.set('Connection', 'close');
  if (Number(ctx.get('Content-Length') || 0) > bytes_max + 2 * FIELDS_BYTES_MAX)
    throw formTooLarge();
  const folder = await mkdtemp(path.join(tmpdir(), 'form-'));
  try {
    const form = await receiveUpload(ctx, intake, undefined, (content) =>
      readForm(readParts(ctx.get('Content-Type'), content), folder, bytes_max).catch(
        throwAsRefusal,
      ),
    );
    checkStorable(form.fields, []);
    for (const { name } of form.files) checkStorable({ file: name }, []);
    return await steps(form);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads all parts. An empty file field arrives as a file without a name and is ignored. */
async function readForm(
  parts: AsyncIterable<FormPart>,
  folder: string,
  bytes_max: number,
): Promise<FileForm> {
  const fields = new Map<string, string | string[]>();
  const files: ArrivedFile[] = [];
  let count = 0;
  let bytesLeft = FIELDS_BYTES_MAX;
  for await (const { name, filename, type, content } of parts) {
    count += 1;
    if (count > PARTS_MAX) throw tooManyFormParts();
    if (filename) {
      if (files.length > 0) throw new Invalid({ file: 'Send exactly one file.' });
      const place = path.join(folder, 'file');
      const size = await writeFile(place, content, bytes_max);
      files.push({ field: name, name: filename, type, size, path: place });
    } else {
      const value = await readText(content, bytesLeft);
      bytesLeft -= Buffer.byteLength(value);
      if (filename === null) fields.set(name, appendValue(fields.get(name), value));
    }
  }
  return { fields: Object.fromEntries(fields), files };
}

const appendValue = (before: string | string[] | undefined, value: string) =>
  before === undefined ? value : [before, value].flat();

async function writeFile(place: string, content: AsyncIterable<Uint8Array>, bytes_max: number) {
  let size = 0;
  async function* counted() {
    for await (const piece of content) {
      size += piece.length;
      if (size > bytes_max) throw formTooLarge();
      yield piece;
    }
  }
  await pipeline(counted(), createWriteStream(place, { flags: 'wx', mode: 0o600 }));
  return size;
}

async function readText(content: AsyncIterable<Uint8Array>, bytes_max: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > bytes_max)
      throw new HttpRefusal(413, 'payload_too_large', 'The form fields exceed the size limit.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** A malformed form is the sender's error. Errors with a system code come from the disk. */
function throwAsRefusal(error: unknown): never {
  if (error instanceof MalformedForm)
    throw new HttpRefusal(
      400,
      'malformed_form',
      'The form is malformed or incomplete. Send it again.',
    );
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && typeof syscall === 'string')
    throw new StoreUnavailable('The file cannot be accepted right now. Try again shortly.', {
      cause: error,
    });
  throw error;
}

const tooManyFormParts = () =>
  new HttpRefusal(413, 'payload_too_large', `The form has more than ${PARTS_MAX} fields.`);

export const formTooLarge = () =>
  new HttpRefusal(413, 'payload_too_large', 'The file exceeds the size limit.');

export const notForm = () =>
  new HttpRefusal(
    415,
    'unsupported_media_type',
    'Send a form as multipart/form-data, with the file in the field "file".',
  );

/**
 * Reads the form as an endpoint's body: one file in the field `file`, and every other field at most once.
 * Two requests with the same file and fields have equal bodies.
 */
export async function withFileBody(ctx: Context, limits: FormLimits, steps: () => Promise<void>) {
  if (!ctx.is('multipart/form-data') || ctx.get('Content-Encoding') !== '') throw notForm();
  await withFileForm(ctx, limits, async ({ fields, files: [file] }) => {
    for (const [name, value] of Object.entries(fields))
      if (Array.isArray(value))
        throw new Invalid({ [name.slice(0, 100)]: 'Is given more than once.' });
    if (file && file.field !== 'file')
      throw new Invalid({ file: 'Send the file in the field named file.' });
    const body = { ...fields, ...(file && { file: await describeArrivedFile(file) }) };
    Object.assign(ctx.request, { body });
    await steps();
  });
}

async function describeArrivedFile({ name, type, path: place }: ArrivedFile) {
  const { described, head, tail } = await describeFile(name, await open(place));
  const { size, sha256_hash } = described;
  return {
    name,
    type,
    size,
    sha256_hash,
    ends: () => ({
      head,
      tail,
    }),
    content: () => createReadStream(place),
  };
}
