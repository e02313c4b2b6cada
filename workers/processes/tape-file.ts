import { accessSync, constants, statSync } from 'node:fs';

/** Why there is no tape to be read there, in a sentence; null where there is one. */
export function tapeFileProblem(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return `There is no tape ${file}.`;
  if (!found.isFile()) return `The tape ${file} is not a file.`;
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch {
    return `The tape ${file} cannot be read.`;
  }
}
