import { z } from 'zod';
import { integer, text, timestamps, uuid } from '../../sql/types.ts';

/** The fields of a file for a bank or a bureau, which is kept apart from the documents. */
export const madeFileFields = {
  status: z
    .enum(['pending', 'completed'])
    .readonly()
    .describe('`pending` until the file is written.'),
  filename: text.readonly(),
  file_size: integer.nullable().readonly(),
  sha256_hash: text.nullable().readonly(),
  created_by: uuid.nullable().readonly(),
  ...timestamps,
};
