import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const subscriptions = table({
  name: 'webhook_subscriptions',
  rows: sql.fragment`
    select record.id, record.url, record.events, null::text as secret, record.secret_last_four,
           record.is_active, record.last_error, record.consecutive_failures, record.disabled_at,
           record.failing_since, record.last_failure, record.is_slow,
           case when record.previous_secret_until > now() then record.previous_secret_until end
             as rotation_ends_at,
           record.created_at, record.updated_at
    from webhook_subscriptions as record
    where not record.is_deleted
  `,
  gone: sql.fragment`record.is_deleted`,
});

const Health = z.object({
  is_active: z.boolean(),
  consecutive_failures: z.number(),
  /** Whether the previous secret still signs. */
  is_rotating: z.boolean(),
});

/** Locks the subscription, always before its deliveries; null if it was deleted. */
export const lockSubscription = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Health)`
    select is_active, consecutive_failures,
           coalesce(previous_secret_until > now(), false) as is_rotating
    from webhook_subscriptions
    where id = ${id} and not is_deleted
    for no key update
  `);

type Failure = { problem: string; is_slow: boolean; is_final: boolean };

/** Records a failed attempt. It counts as a failure only when its delivery has permanently failed. */
export const recordReceiverFailure = (
  tx: Transaction,
  id: string,
  { problem, is_slow, is_final }: Failure,
) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set failing_since = coalesce(failing_since, now()), last_failure = ${problem},
        is_slow = ${is_slow},
        consecutive_failures = consecutive_failures + ${is_final ? 1 : 0}::integer
    where id = ${id}
  `);

/** Records the receiver's speed, as measured by a test. */
export const recordSpeed = (tx: Transaction, id: string, isSlow: boolean) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set is_slow = ${isSlow} where id = ${id} and is_slow <> ${isSlow}
  `);

/** Disables the subscription. Returns whether it was active. */
export const disableSubscription = async (tx: Transaction, id: string, reason: string | null) => {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set is_active = false, disabled_at = now(), last_error = coalesce(${reason}, last_error)
    where id = ${id} and is_active
  `);
  return rowCount === 1;
};

export const enableSubscription = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set is_active = true, disabled_at = null, last_error = null, consecutive_failures = 0,
        failing_since = null, last_failure = null
    where id = ${id} and not is_active
  `);

type Rotated = { sealed: string; last_four: string; overlap_hours: number };

/** Replaces the secret. The previous one also signs for these hours. */
export const replaceSecret = (
  tx: Transaction,
  id: string,
  { sealed, last_four, overlap_hours }: Rotated,
) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set previous_secret_sealed = case when ${overlap_hours} > 0 then secret_sealed end,
        previous_secret_until =
          case when ${overlap_hours} > 0 then now() + make_interval(hours => ${overlap_hours}) end,
        secret_sealed = ${sealed}, secret_last_four = ${last_four}
    where id = ${id}
  `);

export const retireSecret = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set previous_secret_sealed = null, previous_secret_until = null
    where id = ${id} and previous_secret_until is not null
  `);

export const deleteExpiredSecrets = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set previous_secret_sealed = null, previous_secret_until = null
    where previous_secret_until <= now()
  `);

const DisabledSubscription = z.object({ url: z.string(), last_error: z.string().nullable() });

/** The data for notifying about a disabled subscription; null if it is active again. */
export const findDisabled = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(DisabledSubscription)`
    select url, last_error from webhook_subscriptions
    where id = ${id} and not is_active and not is_deleted
  `);

/** Marks the subscription as deleted. The row is kept for the audit trail; the API never shows it again. */
export const removeSubscription = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set is_deleted = true, is_active = false where id = ${id}
  `);
