import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

/**
 * Counts this request against a sliding window and answers how many seconds to wait, or null when it
 * may pass. Exact over all processes: counting holds a lock of the tenant, scope and subject.
 */
export async function hit(
  tx: Transaction,
  scope: string,
  subject: string,
  { limit, seconds }: { limit: number; seconds: number },
): Promise<number | null> {
  await tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended(
      app.current_tenant() || ${scope} || ' ' || ${subject}, 0))
  `);
  await tx.query(sql.typeAlias('void')`
    delete from throttle_hits
    where scope = ${scope} and subject = ${subject}
      and at <= clock_timestamp() - make_interval(secs => ${seconds})
  `);
  const { hits, wait } = await tx.one(sql.type(
    z.object({ hits: z.string(), wait: z.string().nullable() }),
  )`
    select count(*) as hits,
           ceil(extract(epoch from min(at) + make_interval(secs => ${seconds}) - clock_timestamp()))::bigint as wait
    from throttle_hits where scope = ${scope} and subject = ${subject}
  `);
  if (Number(hits) >= limit) return Math.max(1, Number(wait ?? seconds));
  await tx.query(sql.typeAlias('void')`
    insert into throttle_hits (scope, subject) values (${scope}, ${subject})
  `);
  return null;
}

export const forgetOld = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`delete from throttle_hits where at < now() - interval '1 hour'`);
