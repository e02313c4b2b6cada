import { z } from 'zod';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { text, timestamp } from '../../sql/types.ts';
import { absoluteUrl } from '../documents/documents.ts';
import type { Call } from '../endpoints/route.ts';

/** The fields of a temporary link to a file for the bureaus. */
export const bureauFileLink = z.object({
  download_url: z.string(),
  expires_at: timestamp.describe('When the link stops working.'),
  filename: text,
});

type StoredFile = { storage_key: string; filename: string; content_type: string };

/** Creates a link that works for as long as the tenant's settings allow (`documents.download_ttl_s`). */
export async function linkToBureauFile({ work, origin }: Call, file: StoredFile) {
  const { download_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + download_ttl_s * 1000);
  const { storage_key: key, filename, content_type } = file;
  const link = { key, method: 'GET', content_type, filename, expires_at } as const;
  const download_url = absoluteUrl(origin, await work.installation.files.presign(link));
  return { download_url, expires_at: expires_at.toISOString(), filename };
}
