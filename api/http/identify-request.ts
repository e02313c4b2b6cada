import { randomUUID } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Context, Middleware, Next } from 'koa';
import { isTrusted } from './tenant.ts';

/**
 * A caller's request id reaches logs, jobs and the audit trail. It must contain a letter and no text that
 * looks like a social security number.
 */
const CLIENT_REQUEST_ID = /^(?=.*[A-Za-z])(?!.*\d{3}[-._]\d{2}[-._]\d{4})[A-Za-z0-9._-]{8,64}$/;

/** Sets the request's id, the caller's address, and whether the connection is encrypted. */
export function identifyRequest(trustedProxies: readonly string[], isSecure: boolean): Middleware {
  return async (ctx: Context, next: Next) => {
    const given = ctx.get('X-Request-Id');
    ctx.state.request_id = CLIENT_REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state.ip = callerAddress(ctx, trustedProxies);
    ctx.state.is_secure = isSecure;
    ctx.cookies.secure = isSecure;
    ctx.set('X-Request-Id', ctx.state.request_id);
    await next();
  };
}

/**
 * Uses the last address that a trusted proxy added, if it is valid, otherwise the peer's address. An IPv4
 * address in IPv6 notation is the same caller, not a network shared by all IPv4 callers.
 */
function callerAddress(ctx: Context, trustedProxies: readonly string[]): string {
  const peer = (ctx.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!isTrusted(ctx.req, trustedProxies)) return peer;
  const named = ctx.get('X-Forwarded-For').split(',').at(-1)?.trim() ?? '';
  return ipaddr.isValid(named) ? ipaddr.process(named).toString() : peer;
}
