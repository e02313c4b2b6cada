import type { Files } from './files.ts';
import { localFiles, type LocalFilesOptions } from './local-files.ts';
import type { ObjectStore } from './storage-url.ts';

/** Opens the configured store. Loads the AWS SDK only if a bucket is configured. */
export async function openFiles(
  store: ObjectStore | undefined,
  local: LocalFilesOptions,
): Promise<Files> {
  if (store === undefined) return localFiles(local);
  const { objectFiles } = await import('./object-files.ts');
  return objectFiles(store);
}
