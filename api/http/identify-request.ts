import { randomUUID } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Context, Middleware, Next } from 'koa';
import { isTrusted } from './tenant.ts';

/**
 * An id that a caller gave a request goes on into logs, jobs and the audit trail. So it has a letter, and
 * nothing in it is written like a social security number.
 */
const GIVEN_ID = /^(?=.*[A-Za-z])(?!.*\d{3}[-._]\d{2}[-._]\d{4})[A-Za-z0-9._-]{8,64}$/;

/** What is known of a request as it comes in: its id, its caller, and whether its way here is encrypted. */
export function identifyRequest(trustedProxies: readonly string[], isSecure: boolean): Middleware {
  return async (ctx: Context, next: Next) => {
    const given = ctx.get('X-Request-Id');
    ctx.state.request_id = GIVEN_ID.test(given) ? given : randomUUID();
    ctx.state.ip = callerOf(ctx, trustedProxies);
    ctx.state.is_secure = isSecure;
    ctx.cookies.secure = isSecure;
    ctx.set('X-Request-Id', ctx.state.request_id);
    await next();
  };
}

/**
 * A proxy's last word counts where it is an address, and the other end of the wire where it is not. An
 * IPv4 address that is written as one of IPv6 is the same caller's, and no neighbour of all the others.
 */
function callerOf(ctx: Context, trustedProxies: readonly string[]): string {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!isTrusted(ctx.req, trustedProxies)) return peer;
  const named = ctx.get('X-Forwarded-For').split(',').at(-1)?.trim() ?? '';
  return ipaddr.isValid(named) ? ipaddr.process(named).toString() : peer;
}
