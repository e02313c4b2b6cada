import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

const Pending = z.object({
  subscription_id: z.string(),
  /** The same for every attempt of one event at one subscription, manual retries included. */
  webhook_id: z.string(),
  url: z.string(),
  secret_sealed: z.string(),
  event_type: z.string(),
  body: z.string(),
});

/** What an attempt needs, as long as it is still to be made. */
export const pending = (tx: Transaction, id: string, attempt: number) =>
  tx.maybeOne(sql.type(Pending)`
    select delivery.subscription_id, first_round.id as webhook_id, subscription.url,
           subscription.secret_sealed, event.event_type, event.body
    from webhook_deliveries as delivery
    join webhook_subscriptions as subscription
      on subscription.id = delivery.subscription_id
      and subscription.is_active and not subscription.is_deleted
    join events as event on event.id = delivery.event_id
    join webhook_deliveries as first_round
      on first_round.subscription_id = delivery.subscription_id
      and first_round.event_id = delivery.event_id and first_round.round = 0
    where delivery.id = ${id} and delivery.status = 'scheduled' and delivery.attempt = ${attempt}
  `);

/** An attempt is written before it is made: one that was never answered shows a crash. */
export const begin = (tx: Transaction, deliveryId: string, attempt: number) =>
  tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into webhook_attempts (delivery_id, attempt, started_at)
    values (${deliveryId}, ${attempt}, clock_timestamp()) returning id
  `);

export type Answered = {
  status?: number | undefined;
  body?: string | undefined;
  error: string | null;
  ms: number;
};

export const answered = (tx: Transaction, attemptId: string, answer: Answered) =>
  tx.query(sql.typeAlias('void')`
    update webhook_attempts
    set answered_at = clock_timestamp(), response_status = ${answer.status ?? null},
        response_body = ${answer.body ?? null}, error = ${answer.error}, ms = ${answer.ms}
    where id = ${attemptId}
  `);

export const delivered = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_deliveries
    set status = 'delivered', delivered_at = now(), next_attempt_at = null
    where id = ${id} and status <> 'delivered'
  `);

/**
 * Schedules the next attempt by the clock of the queue, never early: the whole delay counts from
 * here, and the moment is rounded up to the millisecond that a date can hold. Null when this
 * attempt was judged before.
 */
export const scheduleNext = (tx: Transaction, id: string, attempt: number, delaySeconds: number) =>
  tx.maybeOneFirst(sql.type(z.object({ next_attempt_at: z.string() }))`
    update webhook_deliveries
    set attempt = ${attempt + 1},
        next_attempt_at = date_trunc('milliseconds', clock_timestamp())
          + make_interval(secs => ${delaySeconds}) + interval '1 millisecond'
    where id = ${id} and status = 'scheduled' and attempt = ${attempt}
    returning next_attempt_at
  `);

/** Whether this attempt was the one that ended the delivery. */
export const isAt = (tx: Transaction, id: string, attempt: number) =>
  tx.exists(sql.typeAlias('void')`
    select from webhook_deliveries
    where id = ${id} and status = 'scheduled' and attempt = ${attempt}
  `);

/** Nothing more is sent to a subscription that was deleted. */
export const cancel = (tx: Transaction, subscriptionId: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_deliveries set status = 'canceled', next_attempt_at = null
    where subscription_id = ${subscriptionId} and status = 'scheduled'
  `);

/** A new round of the same event, beside the one that failed. */
export const repeat = (tx: Transaction, deliveryId: string) =>
  tx.oneFirst(sql.type(z.object({ id: z.string() }))`
    insert into webhook_deliveries (subscription_id, event_id, round, next_attempt_at)
    select subscription_id, event_id, max(round) + 1, now()
    from webhook_deliveries
    where (subscription_id, event_id) = (
      select subscription_id, event_id from webhook_deliveries where id = ${deliveryId}
    )
    group by subscription_id, event_id
    returning id
  `);
