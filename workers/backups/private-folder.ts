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
      `${folder} belongs to another user. Choose a folder of your own, or a new folder inside it.`,
      { cause: error },
    );
  }
}

/** The names that a backup creates, finished or not, and the folder that a new file system starts with. */
const BACKUP_NAMES =
  /^(base|files|label|log|manifest\.json(\.new)?|in-use\.lock|in-use-by\.json|lost\+found)$/;

/** Refuses a folder with other contents, because making it private would lock out their users. */
export function assertBackupFolder(folder: string) {
  const others = existsSync(folder)
    ? readdirSync(folder).filter((name) => !BACKUP_NAMES.test(name))
    : [];
  if (others.length > 0)
    throw new StartupError(
      `${folder} contains other files (${others[0]}). Choose an empty folder for the backup.`,
    );
}
