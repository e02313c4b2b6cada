import { z } from 'zod';
import { uuid } from '../../sql/types.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as deliveries from '../../sql/webhooks/deliveries.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { enqueue, job } from '../job.ts';
import type { PostAnswer } from '../outside.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { judge, problemOf, type Policy } from './health.ts';
import { sign } from './signature.ts';

const Payload = z.object({ tenant_id: uuid, delivery_id: uuid, attempt: z.int().min(1) });
type Attempt = z.output<typeof Payload> & { subscription_id: string; attempt_id: string };

/**
 * One attempt to deliver one event to one subscription.
 *
 * The retry schedule is promised to subscribers, so it is data of ours and not of the queue: a
 * refused attempt is recorded and the next one enqueued in one transaction, and the job succeeds.
 * The queue repeats an attempt only after a crash; receivers tell such a repeat by X-Webhook-Id,
 * and its bytes are the same.
 */
export const deliverWebhook = job({
  name: 'deliver-webhook',
  pool: 'outbound',
  payload: Payload,
  attempts: 5,
  // The relay (app.relay_events) enqueues first attempts under the same key.
  key: ({ delivery_id, attempt }) => `deliver-webhook:${delivery_id}:${attempt}`,

  async run(payload, outside) {
    const { tenant_id, delivery_id, attempt } = payload;
    const begun = await outside.within(tenant_id, async ({ tx }) => {
      const pending = await deliveries.pending(tx, delivery_id, attempt);
      if (!pending) return null; // delivered, switched off, deleted, or recorded already
      const attempt_id = await deliveries.begin(tx, delivery_id, attempt);
      return { ...pending, attempt_id, settings: (await settingsOf(tx)).webhooks };
    });
    if (!begun) return;

    // Between transactions, so that no row stays locked while a stranger answers.
    const body = Buffer.from(begun.body, 'utf8');
    const secret = outside.keys.unseal(tenant_id, begun.secret_sealed);
    const answer = await outside.post({
      url: begun.url,
      body,
      headers: headersOf(begun, attempt, sign(secret, body)),
      timeout_ms: begun.settings.timeout_ms,
      allow_private_hosts: begun.settings.allow_private_hosts,
    });

    await outside.within(tenant_id, (work) =>
      record(work, { ...payload, ...begun }, answer, begun.settings),
    );
  },

  // A dead letter is asked for again where it lies; the receiver is not to blame.
  failed: ({ tx }, { delivery_id, attempt }, reason) =>
    deadLetters.buryUnsent(tx, delivery_id, attempt, reason),
});

/** Every attempt has the same id and the same signature; only when and which attempt differ. */
function headersOf(
  { webhook_id, event_type }: { webhook_id: string; event_type: string },
  attempt: number,
  signature: string,
) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'LoanServicing-Webhooks/1',
    'X-Webhook-Id': webhook_id,
    'X-Webhook-Event': event_type,
    'X-Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
    'X-Webhook-Attempt': String(attempt),
    'X-Webhook-Signature': signature,
    'X-Hub-Signature-256': signature,
  };
}

/** The attempt and all that follows from it are recorded together or not at all. */
async function record({ tx }: Work, made: Attempt, answer: PostAnswer, policy: Policy) {
  const { tenant_id, delivery_id, attempt, subscription_id } = made;
  const error = answer.ok ? null : problemOf(answer);
  await deliveries.answered(tx, made.attempt_id, { ...answer, error });
  if (answer.ok) {
    await subscriptions.countSuccess(tx, subscription_id);
    await deliveries.delivered(tx, delivery_id);
    await deadLetters.resolve(tx, delivery_id);
    return;
  }
  const subscription = await subscriptions.lock(tx, subscription_id);
  if (!subscription || !(await deliveries.isAt(tx, delivery_id, attempt))) return;
  const verdict = judge(answer, attempt, subscription.consecutive_failures, policy);
  if (verdict.outcome === 'retry') {
    const next = await deliveries.scheduleNext(tx, delivery_id, attempt, verdict.delay_seconds);
    if (next === null) return;
    const payload = { tenant_id, delivery_id, attempt: attempt + 1 };
    await enqueue(tx, deliverWebhook, payload, new Date(next));
  }
  if (verdict.outcome === 'dead') {
    await deadLetters.buryOne(tx, delivery_id);
    await subscriptions.countFailure(tx, subscription_id);
    if (verdict.disable_reason === null) return;
    await subscriptions.disable(tx, subscription_id, verdict.disable_reason);
    await deadLetters.buryScheduled(tx, subscription_id);
  }
}
