import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Says why the file cannot be written, or returns null. Call it before the work begins. Missing folders are
 * not a problem, because `makeParentFolder` creates them when the file is written.
 */
export function outputFileProblem(option: string, file: string): string | null {
  const whole = path.resolve(file);
  if (statSync(whole, NO_THROW)?.isDirectory()) return `${option}: ${whole} is a folder.`;
  let folder = path.dirname(whole);
  while (!doesExist(folder)) folder = path.dirname(folder);
  if (!statSync(folder).isDirectory()) return `${option}: ${folder} is not a folder.`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch {
    return `${option}: this user may not write in ${folder}.`;
  }
}

export const makeParentFolder = (file: string) =>
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });

const NO_THROW = { throwIfNoEntry: false } as const;

/** ENOTDIR means that a file is in a folder's place. The loop then checks the folders above. */
function doesExist(name: string): boolean {
  try {
    return statSync(name, NO_THROW) !== undefined;
  } catch {
    return false;
  }
}
