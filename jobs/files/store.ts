import type { Files } from './files.ts';

/**
 * The files of this process, for answers that name a link to one, and the secret that its own links
 * are signed with. Jobs have files from Outside; the API is handed them once, when it starts.
 */
let store: { files: Files; secret: string } | undefined;

export function useFiles(files: Files, secret: string) {
  store = { files, secret };
}

export function filesInUse() {
  if (!store) throw new Error('The process started without useFiles().');
  return store;
}
