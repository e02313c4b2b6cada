import type { PostResponse } from '../external-systems.ts';

/** The retry promises to subscribers: the tenant's `webhooks` settings. */
export type RetryPolicy = {
  /** Seconds before each retry. */
  retry_delays: readonly number[];
  max_retries: number;
  /** Consecutive dead deliveries that disable the subscription. */
  disable_after: number;
};

export type AttemptVerdict =
  | { outcome: 'delivered' }
  | { outcome: 'retry'; delay_seconds: number }
  /** The delivery failed permanently. With a reason, the subscription is also disabled. */
  | { outcome: 'dead'; disable_reason: string | null };

/**
 * Decides what follows from a response. `failures` is the number of consecutive deliveries that failed
 * permanently before this one. Deliveries count, not attempts, so that a receiver that is down during a
 * deployment keeps its promised retries.
 */
export function decideNextAttempt(
  answer: Pick<PostResponse, 'ok' | 'status' | 'error' | 'retry_after_seconds'>,
  attempt: number,
  failures: number,
  { retry_delays, max_retries, disable_after }: RetryPolicy,
): AttemptVerdict {
  if (answer.ok) return { outcome: 'delivered' };
  if (answer.status === 410) {
    return { outcome: 'dead', disable_reason: 'The receiver answered 410 (Gone).' };
  }
  const delay = retry_delays.slice(0, max_retries)[attempt - 1];
  if (delay !== undefined) {
    return {
      outcome: 'retry',
      delay_seconds: Math.max(delay, answer.retry_after_seconds ?? 0),
    };
  }
  if (failures + 1 < disable_after) return { outcome: 'dead', disable_reason: null };
  return {
    outcome: 'dead',
    disable_reason: `${failures + 1} consecutive deliveries failed. ${describeFailure(answer)}`,
  };
}

/** Describes the failure for the owner of the receiver. */
export function describeFailure({ status, error }: Pick<PostResponse, 'status' | 'error'>): string {
  if (status === undefined) return error ?? 'The receiver did not answer.';
  return `The receiver answered ${status}.`;
}
