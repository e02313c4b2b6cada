import { z } from 'zod';
import { uuid } from '../../sql/types.ts';
import * as attempts from '../../sql/webhooks/attempts.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as deliveries from '../../sql/webhooks/deliveries.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { job } from '../job.ts';
import type { ExternalServices, PostResponse } from '../external-systems.ts';
import { batchByTenant } from '../batch-by-tenant.ts';
import { readSettings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { toResponseRecord } from './response-record.ts';
import { decideNextAttempt, describeFailure, type RetryPolicy } from './retry-policy.ts';
import { signatureHeaders } from './signature.ts';
import { disableSubscription } from './disable-subscription.ts';
import { createReceiverSlots } from './receiver-slots.ts';

const Payload = z.object({
  tenant_id: uuid,
  /** Missing in jobs created by releases without throttled receivers. */
  subscription_id: uuid.optional(),
  delivery_id: uuid,
  attempt: z.int().min(1),
  is_throttled: z.boolean().default(false),
});
type Payload = z.output<typeof Payload>;

const slots = createReceiverSlots();
/** Starts and reports deliveries of one tenant in shared transactions, each in its own row. */
const beginBatched = batchByTenant(({ tx }, ordered: readonly attempts.RequestedAttempt[]) =>
  attempts.beginAttempts(tx, ordered),
);
const recordDeliveredBatched = batchByTenant(
  ({ tx }, done: readonly deliveries.DeliveredAttempt[]) => deliveries.recordDelivered(tx, done),
);

const throttleBatched = batchByTenant(({ tx }, ordered: readonly attempts.RequestedAttempt[]) =>
  deliveries.throttleDeliveries(tx, ordered),
);
/** Releases deliveries that were throttled only because their receiver's speed was not yet known. */
const releaseThrottledBatched = batchByTenant(async ({ tx }, receivers: readonly string[]) => {
  for (const receiver of new Set(receivers)) await deliveries.releaseThrottled(tx, receiver);
  return receivers.map(() => undefined);
});

/**
 * Makes one attempt to deliver one event to one subscription.
 *
 * Subscribers are promised a retry schedule, so retries are rows of ours and not retries of the queue. A
 * failed attempt and the next job are recorded in one transaction, and this job succeeds. The queue repeats
 * an attempt only after a crash; the repeat has the same X-Webhook-Id and the same bytes.
 * `app.delivery_job` in the database creates these jobs.
 */
export const deliverWebhook = job({
  name: 'deliver-webhook',
  pool: 'outbound',
  egress: {
    to: 'a receiver of the tenant',
    controls: {
      tenancy: 'row-level security',
      'field denials': 'who sets it up, changes or repeats it may see every field of its events',
      'step-up': 'to set it up where fields are denied',
      sealing: 'signed; the secret is sealed at rest',
    },
  },
  payload: Payload,
  attempts: 5,

  async run(payload, outside) {
    const { tenant_id, delivery_id, attempt, subscription_id, is_throttled } = payload;
    const throttle = () => throttleBatched(outside.within, tenant_id, { delivery_id, attempt });
    // Throttled jobs are already limited by their own queue.
    const receiver = is_throttled ? undefined : subscription_id;
    const slot = receiver === undefined ? NO_SLOT : await slots.take(receiver);
    if (slot === null) {
      await throttle();
      // The receiver may have answered another request in the meantime.
      if (receiver && slots.isAnswering(receiver))
        await releaseThrottledBatched(outside.within, tenant_id, receiver);
      return;
    }
    let answer: AttemptResult;
    let isFast: boolean | null = null;
    let canReleaseThrottled = false;
    try {
      const begun = await beginBatched(outside.within, tenant_id, { delivery_id, attempt });
      if (!begun) return; // delivered, disabled, deleted, or already recorded
      const { attempt_id } = begun;
      if (attempt_id === null) return await throttle();
      slot.start();
      answer = await sendRequest({ ...payload, ...begun, attempt_id }, outside);
      isFast = !answer.kept.is_slow;
    } finally {
      canReleaseThrottled = slot.release(isFast);
    }
    // The slot is already free, so the next request can start while this result is recorded.
    await reportResult(answer, outside);
    if (canReleaseThrottled && receiver)
      await releaseThrottledBatched(outside.within, tenant_id, receiver);
  },

  // The failure is ours, so it does not count against the receiver. Its dead letter can be retried.
  failed: ({ tx }, unsent, reason) => deadLetters.createForUnsent(tx, unsent, reason),
});

const NO_SLOT = { start: () => {}, release: () => false };

type StartedAttempt = NonNullable<Awaited<ReturnType<typeof attempts.beginAttempts>>[number]> & {
  attempt_id: string;
};

type AttemptToSend = Payload & StartedAttempt;
type StoredResponse = ReturnType<typeof toResponseRecord>;
type AttemptResult = {
  made: AttemptToSend;
  answer: PostResponse;
  kept: StoredResponse;
  policy: RetryPolicy;
};

/** Sends the request between transactions, so that no row stays locked while the receiver answers. */
async function sendRequest(made: AttemptToSend, outside: ExternalServices): Promise<AttemptResult> {
  const { webhooks: policy } = readSettings(made.settings);
  const body = Buffer.from(made.body, 'utf8');
  const secrets = [made.secret_sealed, made.previous_secret_sealed]
    .filter((sealed) => sealed !== null)
    .map((sealed) => outside.keys.unseal(made.tenant_id, sealed));
  const [current = '', previous = null] = secrets;
  const answer = await outside.post({
    url: made.url,
    body,
    headers: signatureHeaders({ ...made, body }, { current, previous }),
    timeout_ms: policy.timeout_ms,
    allow_private_hosts: policy.allow_private_hosts,
  });
  return { made, answer, kept: toResponseRecord(answer, secrets), policy };
}

async function reportResult(
  { made, answer, kept, policy }: AttemptResult,
  { within }: ExternalServices,
) {
  if (answer.ok)
    return recordDeliveredBatched(within, made.tenant_id, toDeliveredAttempt(made, kept));
  return within(made.tenant_id, (work) =>
    recordRefusal(work, made, { ...answer, ...kept }, policy),
  );
}

/** The recorded result, without the request. */
const toDeliveredAttempt = (
  { attempt_id, delivery_id, subscription_id, is_test }: AttemptToSend,
  kept: StoredResponse,
): deliveries.DeliveredAttempt => ({ attempt_id, delivery_id, subscription_id, is_test, ...kept });

type Refusal = PostResponse & StoredResponse;

/** Records a failed attempt and everything that follows from it in one transaction. */
async function recordRefusal(
  { tx, ...work }: Work,
  made: AttemptToSend,
  answer: Refusal,
  policy: RetryPolicy,
) {
  const { delivery_id, attempt, attempt_id, subscription_id } = made;
  const { is_slow } = answer;
  const problem = describeFailure(answer);
  const subscription = await subscriptions.lockSubscription(tx, subscription_id);
  await attempts.recordResult(tx, { ...answer, attempt_id });
  if (!subscription || !(await deliveries.isCurrentAttempt(tx, delivery_id, attempt))) return;
  if (made.is_test) {
    // A test is watched by the user who sent it and says nothing about regular deliveries.
    await subscriptions.recordSpeed(tx, subscription_id, is_slow);
    await deadLetters.createDeadLetter(tx, delivery_id);
    return;
  }
  const verdict = decideNextAttempt(answer, attempt, subscription.consecutive_failures, policy);
  const is_final = verdict.outcome === 'dead';
  await subscriptions.recordReceiverFailure(tx, subscription_id, { problem, is_slow, is_final });
  if (verdict.outcome === 'retry') {
    const { delay_seconds } = verdict;
    await deliveries.scheduleNext(tx, { id: delivery_id, attempt, delay_seconds });
  }
  if (verdict.outcome === 'dead') {
    await deadLetters.createDeadLetter(tx, delivery_id);
    if (verdict.disable_reason === null) return;
    await disableSubscription({ tx, ...work }, subscription_id, verdict.disable_reason);
  }
}
