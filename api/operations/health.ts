import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import * as migrations from '../../sql/database/readiness.ts';

/** Whether this process accepts traffic. A shutdown first sets `isReady` to false. */
export type Health = {
  isReady: boolean;
  /** Every answer closes its connection. */
  isLeaving?: boolean;
};

/** A database that does not answer within this time counts as unavailable. */
const READY_WITHIN_MS = 2_000;

/**
 * `/healthz` answers if the process runs. `/readyz` answers if it can serve and its schema is the newest it
 * knows. During shutdown, every answer also tells its client that the connection closes.
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
