import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from './startup-error.ts';

export type Claim = { isHeld(): boolean; release(): void };

const LOCK = 'in-use.lock';
const NOTE = 'in-use-by.json';

/**
 * Makes the folder this process's own, or says who has it. What keeps others out is a lock of the
 * operating system on a file, which Node takes only by way of SQLite: of two processes that ask at the
 * same moment one gets it, and it is gone with its process, however that ends. The note beside it
 * is for people, and decides nothing.
 */
export async function claimFolder(folder: string): Promise<Claim> {
  const place = path.resolve(folder);
  assertWritable(place);
  const lock = openLock(path.join(place, LOCK), place);
  try {
    // Without a journal on disk nothing is left behind that the next one would have to look at.
    lock.exec('pragma journal_mode = memory');
    lock.exec('begin immediate');
  } catch {
    lock.close();
    throw new StartupError(`${place} is in use by ${await holderOf(place)}. End that one first.`);
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
    throw new StartupError(`Nothing can be written into the folder ${place}.`);
  }
}

/** Creates the folder where there is none; refuses what is no folder or is not ours to write to. */
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

/** One level after the other: asked for all of them at once, Node never ends in some places. */
function makeFolder(place: string) {
  if (existsSync(place)) return;
  makeFolder(path.dirname(place));
  try {
    mkdirSync(place);
  } catch (error) {
    // Somebody else may have been quicker.
    if (!existsSync(place)) throw error;
  }
}

const KNOWN_WITHIN_MS = 1_000;

/** Whoever has the lock writes its note a moment later. */
async function holderOf(place: string): Promise<string> {
  for (let waited = 0; waited < KNOWN_WITHIN_MS; waited += 20) {
    try {
      const note = JSON.parse(readFileSync(path.join(place, NOTE), 'utf8')) as Note;
      if (isRunning(note.pid)) return `process ${note.pid} (${note.command})`;
    } catch {
      // It is being written.
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
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
