import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { StartupError } from '../../sql/database/startup-error.ts';

/** Makes a folder its owner's alone, also where it is there already: it holds personal data of borrowers. */
export function makePrivateFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    throw new StartupError(
      `${folder} is somebody else's, who may let others in. Choose a folder of your own, or below it.`,
      { cause: error },
    );
  }
}

/** What a backup writes, finished or not, and what a file system of its own begins with. */
const OURS =
  /^(base|files|label|log|manifest\.json(\.new)?|in-use\.lock|in-use-by\.json|lost\+found)$/;

/** A folder with other things in it is not closed to those who use them. */
export function assertBackupFolder(folder: string) {
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => !OURS.test(name)) : [];
  if (others.length > 0)
    throw new StartupError(
      `${folder} holds other things (${others[0]}). A backup wants a folder of its own: choose an empty one.`,
    );
}
