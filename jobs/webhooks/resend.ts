import type { Transaction } from '../../sql/database/db.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as deliveries from '../../sql/webhooks/deliveries.ts';
import * as events from '../../sql/webhooks/events.ts';
import * as subscriptions from '../../sql/webhooks/subscriptions.ts';
import { find } from '../../sql/table.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

export type RetryRequest = {
  delivery_id?: string | null | undefined;
  dead_letter_id?: string | null | undefined;
};

/**
 * Retries a dead letter with the same id and bytes and a full retry schedule. Throws Conflict if nothing
 * can be retried.
 */
export async function retryDelivery({ tx }: Work, id: string, request: RetryRequest) {
  await lockActive(tx, id);
  const field = request.delivery_id ? 'delivery_id' : 'dead_letter_id';
  const wanted = request[field] ?? null;
  const letter = await deadLetters.findToRetry(tx, id, wanted);
  if (!letter && wanted) throw new Invalid({ [field]: 'Is not a failed delivery.' });
  if (letter?.status !== 'dead') {
    throw nothingToRetry();
  }
  await resendEvents(tx, id, [letter.event_id]);
  return { delivery_id: letter.webhook_id, status: 'queued' as const };
}

/** Maximum deliveries per request, so that it finishes in time. */
const RESEND_MAX = 1_000;

export type ReplayRequest = {
  delivery_id?: string | null | undefined;
  since?: string | null | undefined;
};

/**
 * Replays one delivery, successful or not, or the oldest 1,000 that failed since a time. Pending deliveries
 * are not sent twice, so the call can be repeated.
 */
export async function replayDeliveries(
  { tx }: Work,
  id: string,
  { delivery_id, since }: ReplayRequest,
) {
  await lockActive(tx, id);
  if (delivery_id && since)
    throw new Invalid({ since: 'Set either delivery_id or since, not both.' });
  if (delivery_id) return { queued: await replayOne(tx, id, delivery_id), remaining: 0 };
  if (!since) throw new Invalid({ since: 'Is required unless delivery_id is set.' });
  const failed = await deadLetters.findEventsSince(tx, id, since, RESEND_MAX);
  await resendEvents(tx, id, failed);
  return { queued: failed.length, remaining: await deadLetters.countEventsSince(tx, id, since) };
}

async function replayOne(tx: Transaction, id: string, delivery_id: string) {
  const known = await deliveries.findDelivery(tx, id, delivery_id);
  if (!known) throw new Invalid({ delivery_id: 'Is not a delivery of this subscription.' });
  if (known.has_scheduled_round) throw deliveryUnderWay();
  await resendEvents(tx, id, [known.event_id]);
  return 1;
}

async function resendEvents(tx: Transaction, id: string, eventIds: readonly string[]) {
  const rounds = await deliveries.createRounds(tx, id, eventIds);
  await deadLetters.markRetried(tx, id, eventIds);
  await deliveries.enqueueDeliveries(tx, rounds);
}

/**
 * Sends a signed test event to this subscription only, even if it is disabled. It is tried once and does
 * not affect counters. Returns the delivery, which will show the response.
 */
export async function sendTest({ tx }: Work, id: string) {
  if (!(await subscriptions.lockSubscription(tx, id))) throw new NotFound();
  if (await deliveries.hasPendingTest(tx, id)) throw testUnderWay();
  const data = { subscription_id: id, message: 'This is a test. Nothing has happened.' };
  const testEvent = { event_type: events.TEST_EVENT, loan_id: null, data: JSON.stringify(data) };
  const event = await events.writeRelayed(tx, testEvent);
  const delivery = await deliveries.createDelivery(tx, id, event);
  await deliveries.enqueueDeliveries(tx, [delivery]);
  return find(tx, deliveries.webhookDeliveries, delivery);
}

async function lockActive(tx: Transaction, id: string) {
  const subscription = await subscriptions.lockSubscription(tx, id);
  if (!subscription) throw new NotFound();
  if (!subscription.is_active) throw subscriptionDisabled();
}

export const nothingToRetry = () =>
  new Conflict('There is no failed delivery to retry.', 'nothing_to_retry');

export const subscriptionDisabled = () =>
  new Conflict('The subscription is disabled. Enable it first.', 'subscription_disabled');

export const deliveryUnderWay = () =>
  new Conflict('The delivery is still pending.', 'delivery_under_way');

export const testUnderWay = () =>
  new Conflict('The previous test is still pending. Wait for its result.', 'test_under_way');
