import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import * as migrations from '../../sql/readiness.ts';

/** Whether this process wants traffic; a shutdown sets it to false first. */
export type Health = { isReady: boolean };

/** `/healthz`: the process lives. `/readyz`: it can serve, and its schema is the newest it knows. */
export function health(state: Health, pool: DatabasePool): Middleware {
  return async (ctx: Context, next: Next) => {
    if (ctx.path === '/healthz') {
      ctx.body = { status: 'ok' };
    } else if (ctx.path === '/readyz') {
      const ready = state.isReady && (await migrations.isCurrent(pool).catch(() => false));
      ctx.status = ready ? 200 : 503;
      ctx.body = { status: ready ? 'ok' : 'unavailable' };
    } else {
      await next();
    }
  };
}
