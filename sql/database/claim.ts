import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from './startup-error.ts';

export type Claim = { isHeld(): boolean; release(): void };

const LOCK = 'in-use.lock';
const NOTE = 'in-use-by.json';

/**
 * Claims the folder for this process, or throws and names the owner. The claim is an operating system lock
 * on a file, which Node can only take through SQLite. The system releases it when the process ends for any
 * reason. The note next to it is informative only.
 */
export async function claimFolder(folder: string): Promise<Claim> {
  const place = path.resolve(folder);
  assertWritable(place);
  const lock = openLock(path.join(place, LOCK), place);
  try {
    // A journal on disk would be left behind by a killed process.
    lock.exec('pragma journal_mode = memory');
    lock.exec('begin immediate');
  } catch {
    lock.close();
    throw new StartupError(
      `${place} is in use by ${await holderOf(place)}. Stop that process first.`,
    );
  }
  const note = path.join(place, NOTE);
  const command = ['node', ...process.argv.slice(1).map((word) => short(word))].join(' ');
  writeFileSync(note, JSON.stringify({ pid: process.pid, command }));
  let isHeld = true;
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    rmSync(note, { force: true });
    lock.close();
  };
  process.once('exit', release);
  return {
    isHeld: () => isHeld,
    release,
  };
}

const short = (word: string) =>
  path.isAbsolute(word) ? path.relative(process.cwd(), word) || '.' : word;

function openLock(file: string, place: string): DatabaseSync {
  try {
    return new DatabaseSync(file);
  } catch {
    throw new StartupError(`Cannot write to the folder ${place}. Choose another folder.`);
  }
}

/** Creates the folder if needed. Throws if it is not a folder or not writable. */
export function assertWritable(folder: string) {
  const place = path.resolve(folder);
  try {
    makeFolder(place);
    const probe = path.join(place, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const isFile = statSync(place, { throwIfNoEntry: false })?.isFile();
    const why = isFile ? 'is a file, not a folder' : 'cannot be written to';
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(`${place} ${why} (${code}). Choose another folder.`, { cause: error });
  }
}

/** Creates one level at a time, because a recursive mkdir never returns in some places. */
function makeFolder(place: string) {
  if (existsSync(place)) return;
  makeFolder(path.dirname(place));
  try {
    mkdirSync(place);
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(place)) throw error;
  }
}

const HOLDER_WAIT_MS = 1_000;

/** The owner writes its note shortly after taking the lock. */
async function holderOf(place: string): Promise<string> {
  for (let waited = 0; waited < HOLDER_WAIT_MS; waited += 20) {
    try {
      const note = JSON.parse(readFileSync(path.join(place, NOTE), 'utf8')) as Note;
      if (isRunning(note.pid)) return `process ${note.pid} (${note.command})`;
    } catch {
      // The note is being written.
    }
    await pause(20);
  }
  return 'another process';
}

type Note = { pid: number; command: string };

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
