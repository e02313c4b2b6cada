import type { Log } from '../../jobs/monitoring/log.ts';
import { STOP_AFTER_MS, STOP_GRACE_MS } from '../queue/pools.ts';
import type { Worker } from '../queue/worker.ts';

/** The exit code for problems that only a new process can fix. */
const FATAL = 70;

type StartWorker = (control: {
  giveUp: AbortSignal;
  onFatal: (reason: unknown) => void;
}) => Promise<Worker>;

/**
 * Runs a worker process. After a signal it starts no more jobs and lets running jobs finish. After 25
 * seconds it aborts them, and 3 seconds later it exits. An uncaught error ends the process immediately with
 * code 70; a supervisor restarts it.
 */
export async function runProcess(
  log: Log,
  start: StartWorker,
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
