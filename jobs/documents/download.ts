import type { Row } from '../../sql/table.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/** A temporary download link, or null if the document has no file or is archived. */
export async function createDownloadLink(work: Work, document: Row) {
  const { status, storage_key, content_type, filename, is_archived } = document as Row & {
    status: string;
    storage_key: string;
    content_type: string;
    filename: string;
    is_archived: boolean;
  };
  if (is_archived || !['uploaded', 'verified'].includes(status)) return null;
  const { download_ttl_s } = (await settingsOf(work.tx)).documents;
  const expires_at = new Date(Date.now() + download_ttl_s * 1000);
  const link = { key: storage_key, method: 'GET', expires_at, content_type, filename } as const;
  const download_url = await work.installation.files.presign(link);
  return { download_url, expires_at: expires_at.toISOString() };
}
