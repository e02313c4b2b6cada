import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import * as migrations from '../../sql/database/readiness.ts';

/** Whether this process wants traffic; a shutdown sets it to false first. */
export type Health = {
  isReady: boolean;
  /** Each answer is the last one on its connection. */
  isLeaving?: boolean;
};

/** A database that has not answered by then does not serve. */
const READY_WITHIN_MS = 2_000;

/**
 * `/healthz`: the process lives. `/readyz`: it can serve, and its schema is the newest it knows. A
 * process that stops tells each client with its answer that it takes no more on this connection.
 */
export function health(state: Health, pool: DatabasePool): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      if (ctx.path === '/healthz') {
        ctx.body = { status: 'ok' };
      } else if (ctx.path === '/readyz') {
        const ready = state.isReady && (await isCurrent(pool));
        ctx.status = ready ? 200 : 503;
        ctx.body = { status: ready ? 'ok' : 'unavailable' };
      } else {
        await next();
      }
    } finally {
      if (state.isLeaving) ctx.set('Connection', 'close');
    }
  };
}

async function isCurrent(pool: DatabasePool): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), READY_WITHIN_MS);
  const found = migrations.isSchemaCurrent(pool).catch(() => false);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}
