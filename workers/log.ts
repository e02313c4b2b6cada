import { Logger } from 'graphile-worker';
import { pino, type Logger as Log } from 'pino';

export type { Log };

/** Ids and figures only: payloads, bodies and addresses have no place in a log. */
const REDACTED = ['payload', 'body', 'password', 'secret', 'email', 'phone', 'ssn', 'to', 'url'];

export const openLog = (level: string, pool: string): Log =>
  pino({
    level,
    base: { pool, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED.flatMap((name) => [name, `*.${name}`]), censor: '[kept back]' },
  });

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** The queue's own remarks. What it says of single jobs is left out: it would quote payloads. */
export const queueLogger = (log: Log) =>
  new Logger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    if (meta && ('failure' in meta || 'success' in meta)) return;
    const text = message.split('\n')[0] ?? '';
    log[LEVELS[level]]({ task: taskIdentifier, job_id: jobId }, text);
  });
