import type { ServerResponse } from 'node:http';
import type { Log } from '../../jobs/monitoring/log.ts';
import type { ErrorAnswer } from './errors.ts';
import { bodiesRefused, requestsAborted } from './metrics.ts';
import { ClientGone, BodyNotReceived } from './not-received.ts';

/**
 * Logs our own faults as errors. Errors caused by clients, such as closed connections, are only counted.
 */
export function logError(
  error: unknown,
  answer: ErrorAnswer | null,
  { log, request_id }: { log: Log; request_id: string },
) {
  if (error instanceof ClientGone) {
    requestsAborted.inc({ during: 'request' });
    log.debug({ request_id }, 'the client went away before its request was complete');
  } else if (error instanceof BodyNotReceived) {
    bodiesRefused.inc({ code: error.answer.body.code });
  } else if (answer === null) {
    log.error({ err: error, request_id }, 'failed');
  } else if (answer.status === 503) {
    log.warn({ err: error, request_id }, 'unavailable');
  }
}

/** Error codes of node:http and streams when the client disconnects or sends invalid HTTP. */
const CLIENT_ERROR_CODES =
  /^(EPIPE|ECONNRESET|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED|WRITE_AFTER_END)|HPE_\w+)$/;

/** Logs an error that occurred while an answer was being sent. */
export function logBrokenAnswer(error: NodeJS.ErrnoException, log: Log) {
  const { code = '' } = error;
  if (CLIENT_ERROR_CODES.test(code)) log.debug({ code }, 'broken off');
  else log.error({ err: error }, 'unexpected');
}

/** Counts answers whose client disconnected early. The change made by the request stays in effect. */
export function countAbort(response: ServerResponse) {
  response.once('close', () => {
    const wasSent = response.writableFinished || !response.req.complete;
    if (!wasSent) requestsAborted.inc({ during: 'answer' });
  });
}
