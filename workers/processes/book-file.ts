import { accessSync, constants, statSync } from 'node:fs';

/** Says why the book cannot be read, or returns null. */
export function bookFileProblem(place: string): string | null {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found) return `There is no file or folder ${place}.`;
  if (!found.isFile() && !found.isDirectory()) return `${place} is neither a file nor a folder.`;
  try {
    accessSync(place, constants.R_OK);
    return null;
  } catch {
    return `${place} cannot be read.`;
  }
}
