import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import type { Log } from '../../jobs/log.ts';
import { openReplica, type Replica } from '../../sql/database/replica.ts';
import * as sessions from '../../sql/users/sessions.ts';
import type { Route } from '../endpoints/route.ts';
import type { Configuration } from './configuration.ts';
import { SAFE_METHODS } from './csrf.ts';
import { replicaReads } from './metrics.ts';
import type { User } from './permissions.ts';

/** The primary, and a replica where there is one. */
export type Databases = { pool: DatabasePool; replica?: Replica };

/** The replica that the configuration names; one that is away or lags is looked for again each second. */
export async function openConfiguredReplica(
  { DATABASE_REPLICA_URL: url, DATABASE_URL: primaryUrl, ...given }: Configuration,
  primary: DatabasePool,
  log: Log,
): Promise<Replica | undefined> {
  if (url === undefined) return undefined;
  return openReplica({
    url,
    primaryUrl,
    primary,
    size: given.DATABASE_POOL,
    environment: given.NODE_ENV,
    onRead: (outcome) => replicaReads.inc({ outcome }),
    onChange: (problem) => {
      if (problem === undefined) log.info('lists and reports are read from the replica');
      else log.warn({ err: problem }, 'lists and reports are read from the primary');
    },
  });
}

/**
 * What shows many records may be some seconds old; a single one may not, since its version is what a
 * change names. A route that tells the security log something writes, and is none of these.
 */
export const isReplicaReadable = ({ method, transaction, list, is_report }: Route) =>
  method === 'GET' && transaction === 'read' && (list !== undefined || is_report === true);

/**
 * Where the transaction of an endpoint runs. Whoever has just written, or is nobody whose writes are
 * known, reads from the primary.
 */
export const chooseDatabase =
  (
    { pool, replica }: Databases,
    ctx: Context,
    route: Route,
    at: (pool: DatabasePool) => Within,
  ): Within =>
  (tenantId, steps, mode) => {
    const run = (from: DatabasePool) =>
      at(from)(tenantId, steps, from === pool ? mode : { ...mode, isRepeated: false });
    if (!replica || !isReplicaReadable(route)) return run(pool);
    if (ctx.state.has_just_written === false) return replica.read(run);
    replicaReads.inc({ outcome: 'own_writes' });
    return run(pool);
  };

/** Notes at the end of a long request that its session has just written; of others it was noted before. */
export function noteLongWrites(
  { pool, replica }: Databases,
  longMs = sessions.LONG_REQUEST_MS,
): Middleware {
  return async (ctx: Context, next: Next) => {
    const began = performance.now();
    await next();
    const { user, tenant } = ctx.state as { user?: User | null; tenant: { id: string } };
    if (!replica || !user || SAFE_METHODS.has(ctx.method)) return;
    if (performance.now() - began < longMs) return;
    const id = user.session_id;
    const note = createWithin(pool, SYSTEM)(tenant.id, ({ tx }) => sessions.noteWrite(tx, id));
    // What was asked for is done, whether or not that can be noted.
    await note.catch(() => {});
  };
}
