import type { Files } from './files.ts';

/**
 * The files of this process, for answers that name a link to one. Jobs have them from Outside; the
 * API is handed them once, when it starts.
 */
let files: Files | undefined;

export function useFiles(given: Files) {
  files = given;
}

export function filesInUse(): Files {
  if (!files) throw new Error('The process started without useFiles().');
  return files;
}
