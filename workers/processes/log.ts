import { Logger } from 'graphile-worker';
import type { Log } from '../../jobs/monitoring/log.ts';
import { stripQuotedValues } from '../../jobs/monitoring/serialize-error.ts';

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

/** Logs the queue library's messages, except those about single jobs, which quote payloads. */
export const queueLogger = (log: Log) =>
  new Logger(({ taskIdentifier, jobId }) => (level, message, meta) => {
    if (meta && ('failure' in meta || 'success' in meta)) return;
    // The library warns that it has few connections. That is intended.
    if (meta && 'max' in meta && 'concurrency' in meta) return;
    // `stripQuotedValues` would cut the message after this colon.
    const remark = stripQuotedValues(message.replace(/^WARNING: /, ''));
    log[LEVELS[level]]({ task: taskIdentifier, job_id: jobId }, remark);
  });
