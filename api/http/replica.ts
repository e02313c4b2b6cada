import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import type { Log } from '../../jobs/monitoring/log.ts';
import { openReplica, type Replica } from '../../sql/database/replica.ts';
import * as sessions from '../../sql/users/sessions.ts';
import type { Route } from '../endpoints/route.ts';
import type { Configuration } from './configuration.ts';
import { SAFE_METHODS } from './csrf.ts';
import { replicaReads } from './metrics.ts';
import type { User } from './permissions.ts';

/** The primary database and an optional replica. */
export type Databases = { pool: DatabasePool; replica?: Replica };

/** Opens the configured replica. An unavailable or lagging replica is checked again every second. */
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
 * Lists and reports may be a few seconds old. Single records may not, because a change refers to their
 * version. A route with a security event writes and therefore never qualifies.
 */
export const isReplicaReadable = ({ method, transaction, list, is_report }: Route) =>
  method === 'GET' && transaction === 'read' && (list !== undefined || is_report === true);

/**
 * Chooses the database for an endpoint's transaction. Sessions that have just written, and callers without
 * a session, read from the primary.
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

/**
 * At the end of a long request, records again that its session has just written. Short requests record it
 * only at the start.
 */
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
    // The request succeeded whether or not this note can be written.
    await note.catch(() => {});
  };
}
