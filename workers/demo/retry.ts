import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '../../sql/database/transient-errors.ts';

const RETRY_FOR_MS = 120_000;

/**
 * Repeats the steps while the database is unavailable. They may have taken effect although the answer was
 * lost, so a repeat must not change anything.
 */
export async function retryWhileUnavailable<Result>(steps: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + RETRY_FOR_MS;
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
const POLL_MS = 10;

/** Polls the condition at growing intervals. Throws after five minutes. */
export async function waitUntil(what: string, isSo: () => Promise<boolean>) {
  const started = Date.now();
  for (let wait = POLL_MS; !(await isSo()); wait = Math.min(wait * 1.2, 250)) {
    if (Date.now() - started > LONG_MS) throw new Error(`Waited five minutes for ${what}.`);
    await pause(wait);
  }
}
