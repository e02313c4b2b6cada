import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export type KeyScope = { user_id: string; method: string; path: string; key: string };

/** Without a status, the request is still being processed. */
const Stored = z.object({
  request_hash: z.string(),
  status: z.int().nullable(),
  body: z.unknown(),
});
export type StoredAnswer = z.output<typeof Stored>;

const find = (tx: Transaction, scope: KeyScope) =>
  tx.maybeOne(sql.type(Stored)`
    select encode(request_hash, 'hex') as request_hash, status, body from idempotency_keys
    where user_id = ${scope.user_id} and method = ${scope.method} and path = ${scope.path}
      and key = ${scope.key}
  `);

/**
 * Reserves the key for this transaction. A second request with the same key waits until the first ends. It
 * then finds nothing (the first failed) or the response to repeat.
 */
export async function reserveKey(tx: Transaction, scope: KeyScope, requestHash: string) {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into idempotency_keys (user_id, method, path, key, request_hash)
    values (${scope.user_id}, ${scope.method}, ${scope.path}, ${scope.key}, decode(${requestHash}, 'hex'))
    on conflict do nothing
  `);
  return rowCount === 1 ? null : find(tx, scope);
}

/** Claims the key for work that spans several transactions. A key whose holder has died is taken over. */
export async function claimKey(
  tx: Transaction,
  scope: KeyScope,
  requestHash: string,
  deadAfterSeconds: number,
) {
  const kept = await reserveKey(tx, scope, requestHash);
  if (kept === null || kept.status !== null) return kept;
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update idempotency_keys set created_at = now(), request_hash = decode(${requestHash}, 'hex')
    where user_id = ${scope.user_id} and method = ${scope.method} and path = ${scope.path}
      and key = ${scope.key} and status is null
      and created_at < now() - make_interval(secs => ${deadAfterSeconds})
  `);
  return rowCount === 1 ? null : kept;
}

/** Releases the key because the work failed. */
export const releaseKey = (tx: Transaction, scope: KeyScope) =>
  tx.query(sql.typeAlias('void')`
    delete from idempotency_keys
    where user_id = ${scope.user_id} and method = ${scope.method} and path = ${scope.path}
      and key = ${scope.key} and status is null
  `);

/** Stores the response under the key, in the same transaction as its effect. */
export const saveAnswer = (tx: Transaction, scope: KeyScope, status: number, body: unknown) =>
  tx.query(sql.typeAlias('void')`
    update idempotency_keys set status = ${status}, body = ${JSON.stringify(body ?? null)}::jsonb
    where user_id = ${scope.user_id} and method = ${scope.method} and path = ${scope.path}
      and key = ${scope.key}
  `);

export const deleteOld = (tx: Transaction, hours: number) =>
  tx.query(sql.typeAlias('void')`
    delete from idempotency_keys where created_at < now() - make_interval(hours => ${hours})
  `);
