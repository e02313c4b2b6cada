import { z } from 'zod';
import { andCommit, prepared, sql, deferred, type Transaction } from '../database/db.ts';

/**
 * Counts this request in a sliding window. Returns its id if it may pass, otherwise the seconds to wait.
 * Exact across all processes, because it locks the tenant, scope and subject. With `isLast`, the commit is
 * sent with the last statement.
 */
export async function countHit(
  tx: Transaction,
  scope: string,
  subject: string,
  { limit, seconds }: { limit: number; seconds: number },
  isLast = false,
): Promise<{ id: string } | { wait: number }> {
  await tx.query(
    deferred(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended(
      app.current_tenant() || ${scope} || ' ' || ${subject}, 0))
  `),
  );
  await tx.query(
    deferred(sql.typeAlias('void')`
    delete from throttle_hits
    where scope = ${scope} and subject = ${subject}
      and at <= clock_timestamp() - make_interval(secs => ${seconds})
  `),
  );
  // The lock ensures that no other transaction counts between the two parts of this statement.
  const counting = sql.type(z.object({ id: z.string().nullable(), wait: z.string().nullable() }))`
    with before as materialized (
      select count(*) as hits,
             ceil(extract(epoch from min(at) + make_interval(secs => ${seconds}) - clock_timestamp()))::bigint as wait
      from throttle_hits where scope = ${scope} and subject = ${subject}
    ),
    counted as (
      insert into throttle_hits (scope, subject)
      select ${scope}, ${subject} from before where hits < ${limit}
      returning id
    )
    select (select id from counted) as id, wait from before
  `;
  const { id, wait } = await tx.one(isLast ? andCommit(counting) : prepared(counting));
  return id === null ? { wait: Math.max(1, Number(wait ?? seconds)) } : { id };
}

export const deleteHit = (tx: Transaction, scope: string, subject: string, id: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    delete from throttle_hits where scope = ${scope} and subject = ${subject} and id = ${id}
  `),
  );

export const deleteOldHits = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`delete from throttle_hits where at < now() - interval '1 hour'`);
