import type { PostResponse } from '../external-systems.ts';

/** The promises to subscribers, as settings: see webhooks in a tenant's settings. */
export type RetryPolicy = {
  /** Seconds before each retry. */
  retry_delays: readonly number[];
  max_retries: number;
  /** This many deliveries in a row that failed for good switch the subscription off. */
  disable_after: number;
};

export type AttemptVerdict =
  | { outcome: 'delivered' }
  | { outcome: 'retry'; delay_seconds: number }
  /** The delivery failed for good; with a reason, its subscription is switched off besides. */
  | { outcome: 'dead'; disable_reason: string | null };

/**
 * What follows from one answer. Deliveries are counted and not attempts, so that a receiver which
 * is down for one deployment keeps its promised retries: `failures` is how many deliveries in a row
 * failed for good before this one.
 */
export function decideNextAttempt(
  answer: Pick<PostResponse, 'ok' | 'status' | 'error' | 'retry_after_seconds'>,
  attempt: number,
  failures: number,
  { retry_delays, max_retries, disable_after }: RetryPolicy,
): AttemptVerdict {
  if (answer.ok) return { outcome: 'delivered' };
  if (answer.status === 410) {
    return { outcome: 'dead', disable_reason: 'The receiver answered 410: it is gone for good.' };
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
    disable_reason: `${failures + 1} deliveries in a row failed. ${describeFailure(answer)}`,
  };
}

/** Why an attempt failed, as a sentence for the owner of the receiver. */
export function describeFailure({ status, error }: Pick<PostResponse, 'status' | 'error'>): string {
  if (status === undefined) return error ?? 'No answer came.';
  return `The receiver answered ${status}.`;
}
