import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '../../sql/database/transient-errors.ts';

const PATIENCE_MS = 120_000;

/**
 * Repeats steps while the database is away. They may have taken effect although their answer was
 * lost, so they must be such that a repeat changes nothing.
 */
export async function retryWhileUnavailable<Result>(steps: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await steps();
    } catch (error) {
      if (!isTransient(error) || Date.now() > deadline) throw error;
      await pause(250);
    }
  }
}

const LONG_MS = 300_000;
const LOOK_MS = 10;

/** Looks again and again, less often the longer it takes; five minutes are too long for anything. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>) {
  const started = Date.now();
  for (let wait = LOOK_MS; !(await isSo()); wait = Math.min(wait * 1.2, 250)) {
    if (Date.now() - started > LONG_MS) throw new Error(`Waited five minutes for ${what}.`);
    await pause(wait);
  }
}
