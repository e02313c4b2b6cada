import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const subscriptions = table({
  name: 'webhook_subscriptions',
  rows: sql.fragment`
    select record.id, record.url, record.events, null::text as secret, record.secret_last_four,
           record.is_active, record.last_error, record.consecutive_failures, record.disabled_at,
           record.created_at, record.updated_at
    from webhook_subscriptions as record
    where not record.is_deleted
  `,
  gone: sql.fragment`record.is_deleted`,
});

const Health = z.object({ is_active: z.boolean(), consecutive_failures: z.number() });

/** Locks before the deliveries are touched, always in this order; null when it was deleted. */
export const lock = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Health)`
    select is_active, consecutive_failures from webhook_subscriptions
    where id = ${id} and not is_deleted
    for no key update
  `);

export const countFailure = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set consecutive_failures = consecutive_failures + 1
    where id = ${id}
  `);

/** Any success ends the row of failures; nothing is locked when there were none. */
export const countSuccess = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set consecutive_failures = 0
    where id = ${id} and consecutive_failures > 0
  `);

export const disable = (tx: Transaction, id: string, reason: string | null) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set is_active = false, disabled_at = now(), last_error = coalesce(${reason}, last_error)
    where id = ${id} and is_active
  `);

export const enable = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions
    set is_active = true, disabled_at = null, last_error = null, consecutive_failures = 0
    where id = ${id} and not is_active
  `);

/** Kept for the audit of what was sent; no query of the API shows it again. */
export const remove = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update webhook_subscriptions set is_deleted = true, is_active = false where id = ${id}
  `);
