import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { TEST_EVENT } from './events.ts';

/** A dead letter shows the delivery's id of the first round, which receivers know. */
export const deadLetters = table({
  name: 'dead_letters',
  own: [
    'id',
    'subscription_id',
    'event_id',
    'response_status',
    'status',
    'attempted_at',
    'retry_count',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.subscription_id, delivery.id as delivery_id, record.event_id,
           event.event_type, event.body::jsonb as payload, record.response_status,
           record.response_body, record.error, record.attempted_at, record.retry_count,
           record.status, record.created_at, record.updated_at
    from dead_letters as record
    join events as event on event.id = record.event_id
    join webhook_deliveries as delivery
      on delivery.subscription_id = record.subscription_id
      and delivery.event_id = record.event_id and delivery.round = 0
  `,
});

/** Creates the dead letter of a failed delivery, with its last answer. */
export const createDeadLetter = (tx: Transaction, deliveryId: string) =>
  tx.query(sql.typeAlias('void')`
    with dead as (
      update webhook_deliveries set status = 'dead', next_attempt_at = null
      where id = ${deliveryId} and status = 'scheduled'
      returning id, subscription_id, event_id, attempt - 1 as retry_count
    )
    ${letters(SWITCHED_OFF)}
  `);

/** Maximum rows per statement, in case the clean-up did not run for a long time. */
const DELETED_MAX = 20_000;

/** Clears response bodies. The letter keeps its status and error, and can still be retried. */
export const clearOldAnswers = (tx: Transaction, days: number) =>
  tx.query(sql.typeAlias('void')`
    update dead_letters set response_body = null where id in (
      select id from dead_letters
      where response_body is not null and attempted_at < now() - make_interval(days => ${days})
      order by attempted_at limit ${DELETED_MAX}
    )
  `);

/** Creates dead letters for everything scheduled when the subscription was disabled. */
export const createForScheduled = (tx: Transaction, subscriptionId: string) =>
  tx.query(sql.typeAlias('void')`
    with dead as (
      update webhook_deliveries set status = 'dead', next_attempt_at = null
      where subscription_id = ${subscriptionId} and status = 'scheduled'
      returning id, subscription_id, event_id, greatest(attempt - 2, 0) as retry_count
    )
    ${letters(SWITCHED_OFF)}
  `);

type Unsent = { delivery_id: string; attempt: number; is_throttled: boolean };

/**
 * Creates the dead letter of a delivery whose job failed permanently (an internal error). Not if the
 * delivery was moved to a throttled receiver's queue while the job ran, because another job sends it.
 */
export const createForUnsent = (tx: Transaction, unsent: Unsent, reason: string) =>
  tx.query(sql.typeAlias('void')`
    with dead as (
      update webhook_deliveries set status = 'dead', next_attempt_at = null
      where id = ${unsent.delivery_id} and status = 'scheduled' and attempt = ${unsent.attempt}
        and is_throttled = ${unsent.is_throttled}
      returning id, subscription_id, event_id, attempt - 1 as retry_count
    )
    ${letters(reason)}
  `);

const SWITCHED_OFF = 'The subscription was switched off before it was sent.';

/** The last answer, or why there is none. A failed test creates no dead letter. */
const letters = (unsent: string) => sql.fragment`
  insert into dead_letters (
    subscription_id, delivery_id, event_id, response_status, response_body, error, attempted_at,
    retry_count
  )
  select dead.subscription_id, dead.id, dead.event_id, last.response_status, last.response_body,
         coalesce(last.error, ${unsent}),
         coalesce(last.started_at, now()), dead.retry_count
  from dead
  join events as event on event.id = dead.event_id and event.event_type <> ${TEST_EVENT}
  left join lateral (
    select attempt.response_status, attempt.response_body, attempt.error, attempt.started_at
    from webhook_attempts as attempt
    where attempt.delivery_id = dead.id and attempt.answered_at is not null
    order by attempt.attempt desc, attempt.id desc limit 1
  ) as last on true
`;

const Letter = z.object({
  event_id: z.string(),
  webhook_id: z.string(),
  status: z.string(),
});

/** The letter with an id (its own or its delivery's), or the newest that was not retried. */
export const findToRetry = (tx: Transaction, subscriptionId: string, id: string | null) =>
  tx.maybeOne(sql.type(Letter)`
    select letter.event_id, first_round.id as webhook_id, letter.status
    from dead_letters as letter
    join webhook_deliveries as first_round
      on first_round.subscription_id = letter.subscription_id
      and first_round.event_id = letter.event_id and first_round.round = 0
    where letter.subscription_id = ${subscriptionId}
      and case
        when ${id}::uuid is null then letter.status = 'dead'
        else ${id}::uuid in (letter.id, letter.delivery_id, first_round.id)
      end
    order by letter.created_at desc, letter.id desc limit 1
  `);

const fromDeadLetters = (subscriptionId: string, since: string) => sql.fragment`
  from dead_letters
  where subscription_id = ${subscriptionId} and status = 'dead' and attempted_at >= ${since}
`;

/** Events that failed since then and were not retried, oldest first. */
export const findEventsSince = (
  tx: Transaction,
  subscriptionId: string,
  since: string,
  max: number,
) =>
  tx.anyFirst(sql.type(z.object({ event_id: z.string() }))`
    select event_id from (
      select event_id, min(attempted_at) as first_at ${fromDeadLetters(subscriptionId, since)} group by event_id
    ) as failed
    order by first_at, event_id limit ${max}
  `);

export const countEventsSince = (tx: Transaction, subscriptionId: string, since: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(distinct event_id)::integer as count ${fromDeadLetters(subscriptionId, since)}
  `);

export const markRetried = (tx: Transaction, subscriptionId: string, eventIds: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update dead_letters set status = 'retried'
    where subscription_id = ${subscriptionId} and status = 'dead'
      and event_id = any(${sql.array([...eventIds], 'uuid')})
  `);
