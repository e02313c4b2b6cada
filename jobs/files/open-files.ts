import type { Files } from './files.ts';
import { localFiles, type LocalFilesOptions } from './local-files.ts';
import type { ObjectStore } from './storage-url.ts';

/** The store that the installation names; AWS' library is loaded only where it is needed. */
export async function openFiles(
  store: ObjectStore | undefined,
  local: LocalFilesOptions,
): Promise<Files> {
  if (store === undefined) return localFiles(local);
  const { objectFiles } = await import('./object-files.ts');
  return objectFiles(store);
}
