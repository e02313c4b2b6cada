import { Logger } from 'graphile-worker';
import type { Log } from '../../jobs/log.ts';
import { stripQuotedValues } from '../../jobs/serialize-error.ts';

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** The queue's own remarks. What it says of single jobs is left out: it would quote payloads. */
export const queueLogger = (log: Log) =>
  new Logger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    if (meta && ('failure' in meta || 'success' in meta)) return;
    // We lend the queue few connections on purpose.
    if (meta && 'max' in meta && 'concurrency' in meta) return;
    // What stands before a colon would hide the rest.
    const remark = stripQuotedValues(message.replace(/^WARNING: /, ''));
    log[LEVELS[level]]({ task: taskIdentifier, job_id: jobId }, remark);
  });
