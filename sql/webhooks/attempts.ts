import { z } from 'zod';
import { andCommit, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { TEST_EVENT } from './events.ts';

export const attempts = table({
  name: 'webhook_attempts',
  rows: sql.fragment`
    select record.id, record.delivery_id, record.attempt, record.started_at, record.answered_at,
           record.response_status, record.response_body, record.error, record.ms
    from webhook_attempts as record
  `,
});

const BegunAttempt = z.object({
  subscription_id: z.string(),
  /** The same for every attempt of one event to one subscription, including manual retries. */
  webhook_id: z.string(),
  url: z.string(),
  secret_sealed: z.string(),
  /** The previous secret, while it also signs. */
  previous_secret_sealed: z.string().nullable(),
  event_type: z.string(),
  is_test: z.boolean(),
  body: z.string(),
  settings: z.record(z.string(), z.unknown()),
  /** Null if the delivery has to wait in a throttled receiver's queue first. */
  attempt_id: z.string().nullable(),
});

export type RequestedAttempt = { delivery_id: string; attempt: number };

/**
 * The data of each attempt that is still to be made; null for others. Attempts are committed before they
 * are sent, so one without an answer reveals a crash. A disabled subscription only receives tests.
 */
export async function beginAttempts(tx: Transaction, ordered: readonly RequestedAttempt[]) {
  const begun = await tx.any(insertAttempts(ordered));
  const byPlace = new Map(begun.map(({ place, ...one }) => [place, one]));
  return ordered.map((_, index) => byPlace.get(index + 1) ?? null);
}

/**
 * The lateral join looks each delivery up by its key, whatever row count the planner expects. The status is
 * checked afterwards, because otherwise Postgres would search all scheduled deliveries.
 */
const insertAttempts = (ordered: readonly RequestedAttempt[]) =>
  andCommit(sql.type(BegunAttempt.extend({ place: z.int() }))`
    with due as materialized (
      select ordered.place::integer as place, ordered.attempt, uuidv7() as attempt_id, found.*
      from rows from (
        jsonb_to_recordset(${JSON.stringify(ordered)}::jsonb) as (delivery_id uuid, attempt integer)
      ) with ordinality as ordered (delivery_id, attempt, place)
      cross join lateral (
        select delivery.id, delivery.status, delivery.subscription_id, first_round.id as webhook_id,
               subscription.url, subscription.secret_sealed,
               case when subscription.previous_secret_until > now()
                 then subscription.previous_secret_sealed
               end as previous_secret_sealed,
               event.event_type, event.event_type = ${TEST_EVENT} as is_test, event.body,
               subscription.is_slow and not delivery.is_throttled as has_to_wait
        from webhook_deliveries as delivery
        join webhook_subscriptions as subscription
          on subscription.id = delivery.subscription_id and not subscription.is_deleted
        join events as event on event.id = delivery.event_id
        join webhook_deliveries as first_round
          on first_round.subscription_id = delivery.subscription_id
          and first_round.event_id = delivery.event_id and first_round.round = 0
        where delivery.id = ordered.delivery_id and delivery.attempt = ordered.attempt
          and (subscription.is_active or event.event_type = ${TEST_EVENT})
        limit 1
      ) as found
      where found.status = 'scheduled'
    ),
    begun as (
      insert into webhook_attempts (id, delivery_id, attempt, started_at)
      select attempt_id, id, attempt, clock_timestamp() from due where not has_to_wait
    )
    select due.place, due.subscription_id, due.webhook_id, due.url, due.secret_sealed,
           due.previous_secret_sealed, due.event_type, due.is_test, due.body,
           (select settings from tenants where id = app.current_tenant()) as settings,
           case when not due.has_to_wait then due.attempt_id end as attempt_id
    from due
  `);

export type AttemptResult = {
  attempt_id: string;
  response_status: number | null;
  response_body: string | null;
  problem: string | null;
  ms: number;
};

export const recordResult = (tx: Transaction, answer: AttemptResult) =>
  tx.query(sql.typeAlias('void')`
    update webhook_attempts
    set answered_at = clock_timestamp(), response_status = ${answer.response_status},
        response_body = ${answer.response_body}, error = ${answer.problem}, ms = ${answer.ms}
    where id = ${answer.attempt_id}
  `);

/** Maximum rows per statement, in case the clean-up did not run for a long time. */
const DELETED_MAX = 20_000;

/** Deletes the attempts of deliveries that ended long ago. The deliveries and their times are kept. */
export const deleteOldAttempts = (tx: Transaction, days: number) =>
  tx.query(sql.typeAlias('void')`
    delete from webhook_attempts where id in (
      select attempt.id
      from webhook_attempts as attempt
      join webhook_deliveries as delivery on delivery.id = attempt.delivery_id
      where attempt.started_at < now() - make_interval(days => ${days})
        and delivery.status <> 'scheduled'
      order by attempt.started_at limit ${DELETED_MAX}
    )
  `);
