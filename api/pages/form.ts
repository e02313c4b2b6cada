import { createReadStream } from 'node:fs';
import type { Context } from 'koa';
import { checkStorable, parseBody } from '../http/bodies.ts';
import { HttpRefusal } from '../http/errors.ts';
import { withFileForm, type ArrivedFile } from '../http/file-forms.ts';
import { receiveBody, type Intake } from '../http/receive.ts';

export type SentFile = {
  name: string;
  type: string;
  size: number;
  content: () => AsyncIterable<Uint8Array>;
};

/** The submitted form. Each field has its last value, trimmed except for passwords. */
export type Form = { values: Readonly<Record<string, string>>; file: SentFile | null };

export const EMPTY_FORM: Form = { values: {}, file: null };

const FORM_BYTES_MAX = 65_536;

const PLAIN = 'application/x-www-form-urlencoded';

/** Reads the form of a page and continues with it. */
export async function withForm(
  ctx: Context,
  { intake, takesFile }: { intake: Intake; takesFile: boolean },
  steps: (form: Form) => Promise<void>,
): Promise<void> {
  if (ctx.method !== 'POST') return steps(EMPTY_FORM);
  const isPlain = ctx.is(PLAIN);
  const encoding = ctx.get('Content-Encoding');
  if (!(isPlain || (takesFile && ctx.is('multipart/form-data'))) || encoding)
    throw new HttpRefusal(415, 'unsupported_media_type', `Send ${PLAIN}.`);
  if (isPlain) {
    const bytes = await receiveBody(ctx, intake, FORM_BYTES_MAX);
    const body = await parseBody(ctx, bytes);
    return steps({ values: valuesOf(body as Fields), file: null });
  }
  await withFileForm(ctx, { intake }, ({ fields, files: [file] }) =>
    steps({ values: valuesOf(fields), file: file ? fileOf(file) : null }),
  );
}

type Fields = Readonly<Record<string, string | string[]>>;

function valuesOf(body: Fields): Form['values'] {
  checkStorable(body, []);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const given: unknown = [value].flat().at(-1);
      const last = typeof given === 'string' ? given : '';
      return [name, name.endsWith('password') ? last : last.trim()];
    }),
  );
}

const fileOf = ({ name, type, size, path }: ArrivedFile): SentFile => ({
  name,
  type,
  size,
  content: () => createReadStream(path),
});
