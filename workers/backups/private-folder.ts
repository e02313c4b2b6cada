import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { StartupError } from '../../sql/database/startup-error.ts';

/**
 * Creates the folder, or restricts an existing one, so that only its owner can read it: it holds borrowers'
 * data.
 */
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

/** The names that a backup creates, finished or not, and the folder that a new file system starts with. */
const OURS =
  /^(base|files|label|log|manifest\.json(\.new)?|in-use\.lock|in-use-by\.json|lost\+found)$/;

/** Refuses a folder with other contents, because making it private would lock out their users. */
export function assertBackupFolder(folder: string) {
  const others = existsSync(folder) ? readdirSync(folder).filter((name) => !OURS.test(name)) : [];
  if (others.length > 0)
    throw new StartupError(
      `${folder} holds other things (${others[0]}). A backup wants a folder of its own: choose an empty one.`,
    );
}
