import type { Log } from '../../jobs/log.ts';
import { STOP_AFTER_MS, STOP_GRACE_MS } from '../queue/pools.ts';
import type { Worker } from '../queue/worker.ts';

/** Ends with this code when something is wrong that only a fresh process can put right. */
const FATAL = 70;

type Start = (control: {
  giveUp: AbortSignal;
  onFatal: (reason: unknown) => void;
}) => Promise<Worker>;

/**
 * The life of a worker process. A signal ends it well: nothing more is fetched, running jobs may
 * finish, after 25 seconds they are told to give up, and 3 seconds later the process ends whatever
 * they do. What nobody caught ends it at once with code 70, and a supervisor starts another.
 */
export async function runProcess(
  log: Log,
  start: Start,
  { stopAfterMs = STOP_AFTER_MS } = {},
): Promise<void> {
  const fatal = (reason: unknown) => {
    log.fatal({ err: reason }, 'the worker ends');
    process.exit(FATAL);
  };
  process.on('unhandledRejection', fatal);
  process.on('uncaughtException', fatal);

  let worker: Worker | undefined;
  const asked = new AbortController();
  const stop = async (signal: string) => {
    if (asked.signal.aborted) return;
    log.info({ signal }, 'stopping');
    asked.abort(new Error(`Stopped by ${signal}.`));
    if (!worker) process.exit(0);
    const aborting = setTimeout(() => worker?.abort(), stopAfterMs);
    setTimeout(() => {
      log.error('a job did not end in time; the process ends without it');
      process.exit(FATAL);
    }, stopAfterMs + STOP_GRACE_MS).unref();
    await worker.stop();
    clearTimeout(aborting);
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void stop(signal).catch(fatal));
  }
  worker = await start({ giveUp: asked.signal, onFatal: fatal });
}
