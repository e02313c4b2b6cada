import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';

const CACHED_MS = 5_000;
const HEADERS = {
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Expose-Headers':
    'Content-Range, ETag, X-Request-Id, X-Ignored-Fields, Idempotent-Replayed, Retry-After',
};

/** Allows dashboards of other origins to call with credentials if the tenant lists their exact origin. */
export function cors(pool: DatabasePool): Middleware {
  const cache = new Map<
    string,
    { settings: Awaited<ReturnType<typeof settingsOf>>; until: number }
  >();
  return async (ctx: Context, next: Next) => {
    const { id } = ctx.state.tenant as { id: string };
    const kept = cache.get(id);
    const settings =
      kept && kept.until > Date.now()
        ? kept.settings
        : await createWithin(pool, SYSTEM)(id, ({ tx }) => settingsOf(tx), { readOnly: true });
    if (settings !== kept?.settings) cache.set(id, { settings, until: Date.now() + CACHED_MS });
    ctx.state.trusted_origins = settings.auth.trusted_origins;
    ctx.state.limits = settings.auth;
    ctx.state.rates = settings.throttle;
    ctx.state.is_portal_home_page = settings.portal.is_home_page;
    // Answers depend on the caller's origin: they carry a CSRF token, and most belong to one user.
    ctx.vary('Origin');
    ctx.vary('Cookie');
    const origin = ctx.get('Origin');
    if (origin && settings.auth.trusted_origins.includes(origin)) {
      ctx.set({ ...HEADERS, 'Access-Control-Allow-Origin': origin });
      if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method'))
        return preflight(ctx);
    }
    await next();
  };
}

function preflight(ctx: Context) {
  ctx.set({
    'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
    'Access-Control-Allow-Headers':
      'Content-Type, X-CSRFToken, Idempotency-Key, If-Match, X-Request-Id, Range',
    'Access-Control-Max-Age': '600',
  });
  ctx.status = 204;
}
