import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import type { AttemptResult, RequestedAttempt } from './attempts.ts';
import { TEST_EVENT } from './events.ts';

/** A delivery with its newest attempt, if that is still stored. */
export const webhookDeliveries = table({
  name: 'webhook_deliveries',
  own: ['id', 'subscription_id', 'event_id', 'round', 'status', 'created_at', 'delivered_at'],
  rows: sql.fragment`
    select record.id, record.subscription_id, first_round.id as webhook_id, record.event_id,
           event.event_type, event.request_id, event.body::jsonb as payload, record.round, record.status,
           record.attempt, record.next_attempt_at, record.delivered_at, last.started_at as attempted_at,
           last.response_status, last.error, last.ms, record.created_at, record.updated_at
    from webhook_deliveries as record
    join events as event on event.id = record.event_id
    join webhook_deliveries as first_round
      on first_round.subscription_id = record.subscription_id
      and first_round.event_id = record.event_id and first_round.round = 0
    left join lateral (
      select attempt.started_at, attempt.response_status, attempt.error, attempt.ms
      from webhook_attempts as attempt
      where attempt.delivery_id = record.id
      order by attempt.attempt desc, attempt.id desc limit 1
    ) as last on true
  `,
});

/**
 * Enqueues each delivery's next attempt at its time and in its queue; at the end of the queue if
 * `is_last_in_queue`.
 */
export const enqueueDeliveries = (
  tx: Transaction,
  ids: readonly string[],
  { is_last_in_queue = false } = {},
) =>
  tx.query(sql.prepared('send_deliveries', z.unknown())`
    select app.send_deliveries(${sql.array([...ids], 'uuid')}, ${is_last_in_queue})
  `);

/** Moves attempts to the queue of their throttled receiver. They hold no slot while they wait. */
export async function throttleDeliveries(tx: Transaction, ordered: readonly RequestedAttempt[]) {
  const waiting = await tx.anyFirst(sql.typeAlias('id')`
    update webhook_deliveries as delivery set is_throttled = true, next_attempt_at = now()
    from jsonb_to_recordset(${JSON.stringify(ordered)}::jsonb)
      as ordered (delivery_id uuid, attempt integer)
    where delivery.id = ordered.delivery_id and delivery.status = 'scheduled'
      and delivery.attempt = ordered.attempt
    returning delivery.id
  `);
  await enqueueDeliveries(tx, waiting, { is_last_in_queue: true });
  return ordered.map(() => undefined);
}

/** Releases the waiting deliveries of this receiver's queue, unless the receiver is still slow. */
export const releaseThrottled = (tx: Transaction, subscriptionId: string) =>
  tx.query(sql.typeAlias('void')`select app.release_throttled(${subscriptionId})`);

export type DeliveredAttempt = AttemptResult & {
  delivery_id: string;
  subscription_id: string;
  is_slow: boolean;
  is_test: boolean;
};

/**
 * Records successful attempts and all their effects in one statement; any success ends the receiver's
 * series of failures. Subscriptions are locked only if they change, in the order of their ids and before
 * their deliveries. The last answer decides whether the receiver is slow. A test changes nothing else.
 */
export async function recordDelivered(tx: Transaction, done: readonly DeliveredAttempt[]) {
  await tx.query(deferred(updateDelivered(done)));
  return done.map(() => undefined);
}

/** A truncated response may end in an unpaired surrogate, which JSON cannot hold. */
const jsonOf = (done: readonly DeliveredAttempt[]) =>
  JSON.stringify(
    done.map(({ response_body, ...one }) => ({
      ...one,
      response_body: response_body?.toWellFormed() ?? null,
    })),
  );

const updateDelivered = (done: readonly DeliveredAttempt[]) =>
  sql.type(z.unknown())`
    with given as (
      select * from rows from (jsonb_to_recordset(${jsonOf(done)}::jsonb) as (
        attempt_id uuid, delivery_id uuid, subscription_id uuid, is_slow boolean, is_test boolean,
        response_status integer, response_body text, problem text, ms integer
      )) with ordinality as done (
        attempt_id, delivery_id, subscription_id, is_slow, is_test,
        response_status, response_body, problem, ms, place
      )
      limit ${done.length}
    ),
    -- Postgres expects a tenth of the rows for each unknown limit. With two limits it expects few and uses the keys.
    done as materialized (select * from given limit ${done.length}),
    answered as (
      update webhook_attempts as attempt
      set answered_at = clock_timestamp(), response_status = done.response_status,
          response_body = done.response_body, error = done.problem, ms = done.ms
      from done where attempt.id = done.attempt_id
    ),
    receiver as (
      select subscription_id as id, bool_and(is_test) as is_test,
             (array_agg(is_slow order by place desc))[1] as is_slow
      from done group by subscription_id
    ),
    changing as materialized (
      select receiver.*
      from receiver join webhook_subscriptions as subscription on subscription.id = receiver.id
      where subscription.is_slow <> receiver.is_slow
        or (not receiver.is_test
          and (subscription.consecutive_failures > 0 or subscription.failing_since is not null))
      order by receiver.id for no key update of subscription
    ),
    counted as (
      update webhook_subscriptions as subscription
      set is_slow = changing.is_slow,
          consecutive_failures =
            case when changing.is_test then subscription.consecutive_failures else 0 end,
          failing_since = case when changing.is_test then subscription.failing_since end,
          last_failure = case when changing.is_test then subscription.last_failure end
      from changing where subscription.id = changing.id
      returning subscription.id
    ),
    delivered as (
      update webhook_deliveries as delivery
      set status = 'delivered', delivered_at = now(), next_attempt_at = null
      from done
      where delivery.id = done.delivery_id and delivery.status <> 'delivered'
        and (select count(*) from counted) >= 0
      returning delivery.subscription_id, delivery.event_id
    )
    -- In any round.
    update dead_letters as letter set status = 'resolved'
    from delivered
    where letter.subscription_id = delivered.subscription_id
      and letter.event_id = delivered.event_id and letter.status <> 'resolved'
  `;

/**
 * Schedules the next attempt by the queue's clock, never early: the full delay starts now, and the time is
 * rounded up to the millisecond precision of a JavaScript date.
 */
export async function scheduleNext(
  tx: Transaction,
  { id, attempt, delay_seconds }: { id: string; attempt: number; delay_seconds: number },
) {
  const scheduled = await tx.anyFirst(sql.typeAlias('id')`
    update webhook_deliveries as delivery
    set attempt = ${attempt + 1}, is_throttled = subscription.is_slow,
        next_attempt_at = date_trunc('milliseconds', clock_timestamp())
          + make_interval(secs => ${delay_seconds}) + interval '1 millisecond'
    from webhook_subscriptions as subscription
    where delivery.id = ${id} and delivery.status = 'scheduled' and delivery.attempt = ${attempt}
      and subscription.id = delivery.subscription_id
    returning delivery.id
  `);
  await enqueueDeliveries(tx, scheduled);
}

export const isCurrentAttempt = (tx: Transaction, id: string, attempt: number) =>
  tx.exists(sql.typeAlias('void')`
    select from webhook_deliveries
    where id = ${id} and status = 'scheduled' and attempt = ${attempt}
  `);

/** Cancels scheduled deliveries of a deleted subscription. */
export const cancelScheduledDeliveries = (tx: Transaction, subscriptionId: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_deliveries set status = 'canceled', next_attempt_at = null
    where subscription_id = ${subscriptionId} and status = 'scheduled'
  `);

export const createRounds = (
  tx: Transaction,
  subscriptionId: string,
  eventIds: readonly string[],
) =>
  tx.anyFirst(sql.typeAlias('id')`
    insert into webhook_deliveries (subscription_id, event_id, round, next_attempt_at, is_throttled)
    select delivery.subscription_id, delivery.event_id, max(delivery.round) + 1, now(),
           bool_or(subscription.is_slow)
    from webhook_deliveries as delivery
    join webhook_subscriptions as subscription on subscription.id = delivery.subscription_id
    where delivery.subscription_id = ${subscriptionId}
      and delivery.event_id = any(${sql.array([...eventIds], 'uuid')})
    group by delivery.subscription_id, delivery.event_id
    returning id
  `);

const Known = z.object({ event_id: z.string(), has_scheduled_round: z.boolean() });

/** The event of the subscription's delivery, and whether any round of it is still scheduled. */
export const findDelivery = (tx: Transaction, subscriptionId: string, id: string) =>
  tx.maybeOne(sql.type(Known)`
    select delivery.event_id, exists (
             select from webhook_deliveries as round
             where round.subscription_id = delivery.subscription_id
               and round.event_id = delivery.event_id and round.status = 'scheduled'
           ) as has_scheduled_round
    from webhook_deliveries as delivery
    where delivery.id = ${id} and delivery.subscription_id = ${subscriptionId}
  `);

export const createDelivery = (tx: Transaction, subscriptionId: string, eventId: string) =>
  tx.oneFirst(sql.typeAlias('id')`
    insert into webhook_deliveries (subscription_id, event_id, next_attempt_at, is_throttled)
    select id, ${eventId}::uuid, now(), is_slow from webhook_subscriptions where id = ${subscriptionId}
    returning id
  `);

export const hasPendingTest = (tx: Transaction, subscriptionId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from webhook_deliveries as delivery
    join events as event on event.id = delivery.event_id
    where delivery.subscription_id = ${subscriptionId} and delivery.status = 'scheduled'
      and event.event_type = ${TEST_EVENT}
  `);
