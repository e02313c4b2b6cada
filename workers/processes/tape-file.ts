import { accessSync, constants, statSync } from 'node:fs';

/** Says why the tape cannot be read, or returns null. */
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
