import type { IncomingMessage } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import { isInNetworks } from '../../jobs/networks/networks.ts';
import * as tenants from '../../sql/tenants.ts';
import { tenantClosed, HttpRefusal } from './errors.ts';

const HOST =
  /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*)\.?(?::(\d{1,5}))?$/i;
const CACHED_MS = 5_000;

/**
 * Finds the tenant by the domain in the Host header. X-Forwarded-Host counts only from a configured proxy.
 * Its last value is used, because the client can set the earlier ones.
 */
export function tenantMiddleware(
  pool: DatabasePool,
  trustedProxies: readonly string[],
): Middleware {
  const cache = new Map<string, { found: tenants.FoundTenant | null; until: number }>();
  return async (ctx: Context, next: Next) => {
    const given = requestHost(ctx.req, trustedProxies);
    const [, name = '', port = ''] = (given.length <= 253 && HOST.exec(given)) || [];
    if (name === '')
      throw new HttpRefusal(400, 'invalid_host', 'The Host header is not a host name.');
    const host = name.toLowerCase();
    const found = await findCachedTenant(pool, cache, host);
    if (found && found.access !== 'open') throw tenantClosed();
    if (!found?.is_active)
      throw new HttpRefusal(404, 'tenant_not_found', 'No tenant uses this address.');
    ctx.state.tenant = found;
    ctx.state.host = port === '' ? host : `${host}:${port}`;
    await next();
  };
}

function requestHost(req: IncomingMessage, trustedProxies: readonly string[]): string {
  const forwarded = req.headers['x-forwarded-host'];
  if (typeof forwarded === 'string' && isTrusted(req, trustedProxies)) {
    return forwarded.split(',').at(-1)?.trim() ?? '';
  }
  // Node keeps the first of two Host headers, but a proxy may have used the second.
  const hosts = req.headersDistinct['host'] ?? [];
  return hosts.length === 1 ? (hosts[0] ?? '') : '';
}

export function isTrusted(req: IncomingMessage, trustedProxies: readonly string[]): boolean {
  return isTrustedPeer(req.socket.remoteAddress ?? '', trustedProxies);
}

export const isTrustedPeer = (address: string, trustedProxies: readonly string[]): boolean =>
  isInNetworks(address.replace(/^::ffff:/, ''), trustedProxies);

/** A deactivated tenant disappears within seconds. The cache contains no tenant data. */
async function findCachedTenant(
  pool: DatabasePool,
  cache: Map<string, { found: tenants.FoundTenant | null; until: number }>,
  host: string,
) {
  const kept = cache.get(host);
  if (kept && kept.until > Date.now()) return kept.found;
  const found = await tenants.findByHost(pool, host);
  if (cache.size > 1_000) cache.clear();
  cache.set(host, { found, until: Date.now() + CACHED_MS });
  return found;
}
