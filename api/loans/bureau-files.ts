import { z } from 'zod';
import { text, timestamp } from '../../sql/types.ts';

/** The fields of a temporary link to a file for the bureaus. */
export const bureauFileLink = z.object({
  download_url: z.string(),
  expires_at: timestamp.describe('When the link stops working.'),
  filename: text,
});
