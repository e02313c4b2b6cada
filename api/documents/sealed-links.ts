import { signLink } from '../../jobs/files/links.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import type { Call } from '../endpoints/route.ts';
import { absoluteUrl } from './documents.ts';

type SealedFile = { storage_key: string; filename: string; content_type: string };

/**
 * A link to a file that is stored encrypted. It leads to this server, which decrypts the file, never to a bucket. It works
 * for as long as the tenant's settings allow (`documents.download_ttl_s`).
 */
export async function linkToSealedFile({ work, origin }: Call, file: SealedFile) {
  const { download_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + download_ttl_s * 1000);
  const { storage_key: key, filename, content_type } = file;
  const link = { key, method: 'GET', content_type, filename, expires_at, is_sealed: true } as const;
  const path = signLink(link, work.installation.link_secret);
  const download_url = absoluteUrl(origin, `/api/v1/storage/${path}`);
  return { download_url, expires_at: expires_at.toISOString(), filename };
}
