import { settingsOf } from '../../jobs/users/settings/settings.ts';
import type { Call } from '../endpoints/route.ts';
import { absoluteUrl } from './documents.ts';

type StoredFile = { storage_key: string; filename: string; content_type: string };

/** Creates a link that works for as long as the tenant's settings allow (`documents.download_ttl_s`). */
export async function linkToStoredFile(
  { work, origin }: Pick<Call, 'work' | 'origin'>,
  file: StoredFile,
) {
  const { download_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + download_ttl_s * 1000);
  const { storage_key: key, filename, content_type } = file;
  const link = { key, method: 'GET', content_type, filename, expires_at } as const;
  const download_url = absoluteUrl(origin, await work.installation.files.presign(link));
  return { download_url, expires_at: expires_at.toISOString(), filename };
}
