import { z } from 'zod';
import * as uploads from '../../sql/documents/uploads.ts';
import { isLiable } from '../../sql/loans/co-borrowers.ts';
import { flag, requiredFreeText, jsonObject, uuid } from '../../sql/types.ts';
import { Conflict, Invalid } from '../errors.ts';
import { FILE_BYTES_MAX, type Files } from '../files/files.ts';
import type { Within } from '../work.ts';
import { documentType, type ContentType } from './types.ts';
import { announceUpload, confirmUpload } from './upload.ts';

/** A file from a multipart form. Its content can be read more than once. */
export type SentFile = {
  name: string;
  /** The content type that the sender declared. */
  type: string;
  size: number;
  sha256_hash: string;
  /** The first and last bytes. */
  ends: () => { head: Uint8Array; tail: Uint8Array };
  content: () => AsyncIterable<Uint8Array>;
};

/** The file of a form. */
export const sentFile = z
  .custom<SentFile>((given) => given !== undefined, 'Is required.')
  .refine((given) => typeof given !== 'string', 'Must be sent as a file, with its Content-Type.')
  .refine(({ size }) => size !== 0, 'Must not be empty.')
  .meta({
    type: 'string',
    format: 'binary',
    maxLength: FILE_BYTES_MAX,
    description: 'The file, with its Content-Type.',
  });

/** Form fields are text, so this one contains JSON. */
const metadata = z
  .string()
  .max(16_384, 'Must be at most 16 kB of JSON.')
  .transform((given, context) => {
    const read = jsonObject.safeParse(parseJsonField(given));
    if (read.success) return read.data;
    context.addIssue(read.error.issues[0]?.message ?? 'Must be a JSON object.');
    return z.NEVER;
  })
  .describe('Your own data: a JSON object as text, up to 16 kB. Returned as `metadata`.');

export const DirectUpload = z.object({
  file: sentFile,
  document_type: documentType,
  loan_id: uuid.describe('The id of the loan to which the document belongs.'),
  borrower_id: uuid
    .optional()
    .describe("The id of the person to whom it belongs. Default: the loan's borrower."),
  filename: requiredFreeText.optional().describe('Replaces the name of the uploaded file.'),
  metadata: metadata.optional(),
  is_visible_to_borrower: z
    .enum(['true', 'false'])
    .default('false')
    .transform((given) => flag.parse(given === 'true'))
    .describe('Whether the portal shows it.'),
});
export type DirectUpload = z.output<typeof DirectUpload>;

function parseJsonField(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return null;
  }
}

type Store = { within: Within; files: Files; tenantId: string };

type Owner =
  { loan_id: string; borrower_id?: string | undefined } | { loan_id: null; borrower_id: string };

/**
 * Stores a file from a form with the same three steps as any upload: announce, put, confirm. If one fails,
 * the document stays pending and is cleaned up later. Returns the document's id.
 */
export async function uploadDirectly(
  { within, files, tenantId }: Store,
  { file: sent, filename, metadata: about, ...input }: Omit<DirectUpload, keyof Owner> & Owner,
  content_type: ContentType,
): Promise<string> {
  const name = filename ?? nameOf(sent);
  const { id, key } = await within(tenantId, async (work) => {
    const { loan_id, borrower_id } = input;
    if (loan_id && borrower_id && !(await isLiable(work.tx, loan_id, borrower_id)))
      throw new Invalid({ borrower_id: 'Must be a person who owes this loan.' });
    const document = {
      ...input,
      content_type,
      filename: name,
      metadata: about ?? {},
    };
    return announceUpload(work, document, 'direct');
  });
  await files.put(key, sent.content(), {
    when: (_file, place) =>
      within(tenantId, async ({ tx }) => {
        if (!(await uploads.lockAcceptingUpload(tx, id)))
          throw new Conflict(
            'The document was archived during the upload. Unarchive it and upload again.',
            'invalid_transition',
          );
        await place();
      }),
  });
  const { size: file_size, sha256_hash } = sent;
  await confirmUpload(within, files, tenantId, id, { file_size, sha256_hash });
  return id;
}

function nameOf({ name }: SentFile): string {
  const read = requiredFreeText.safeParse(name);
  if (read.success) return read.data;
  throw new Invalid({ filename: read.error.issues[0]?.message ?? 'Must be a valid file name.' });
}
