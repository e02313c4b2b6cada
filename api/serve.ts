import { createHash } from 'node:crypto';
import { parse as parseQuery } from 'node:querystring';
import type { Context } from 'koa';
import type { DatabasePool } from 'slonik';
import type { z } from 'zod';
import { Conflict, Forbidden, Invalid, NotFound } from '../jobs/errors.ts';
import { workOf, type Actor, type Within, type Work } from '../jobs/work.ts';
import * as idempotency from '../sql/users/idempotency.ts';
import { readBody } from './bodies.ts';
import { fieldErrors, HttpRefusal } from './errors.ts';
import { parseList } from './lists.ts';
import { mayCall, type User } from './permissions.ts';
import type { Call, Page, Route } from './route.ts';
import { hasEnded, sessionOf } from './session.ts';
import { slowDown } from './throttle.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const QUERY_KEYS_MAX = 2_000;
const LIST_TIMEOUT = '5s';

/**
 * One route as a handler: permit, parse, one transaction, run, reply. A refusal that is thrown leaves
 * nothing behind; one that is returned keeps what was written, such as the record of a blocked send.
 */
export function serve(route: Route, pool: DatabasePool) {
  return async (ctx: Context) => {
    const user = (ctx.state.user ?? null) as User | null;
    const actor = actorOf(ctx, user);
    await slowDown(ctx, route, user, workOf(pool, actor));
    if (!mayCall(user, route.allow)) throw await refusalOf(route, user, ctx, workOf(pool, actor));
    await readBody(ctx);
    const call = parse(route, ctx, user);
    if (route.transaction === 'own') {
      const { tenant, ip, request_id, raw = '' } = ctx.state;
      const answer = await route.run({
        ...call,
        within: workOf(pool, actor),
        tenant_id: tenant.id,
        ip,
        request_id,
        raw,
        session: sessionOf(ctx),
        header: (name) => ctx.get(name),
      });
      return reply(ctx, route, call, answer);
    }
    const { run } = route;
    const key = route.method === 'POST' ? keyOf(ctx) : null;
    const within = workOf(pool, actor);
    if (key === null || user === null) {
      const mode = {
        readOnly: route.transaction === 'read',
        ...(route.list && { timeout: LIST_TIMEOUT }),
      };
      const answer = await within(ctx.state.tenant.id, (work) => run({ ...call, work }), mode);
      if (answer instanceof HttpRefusal) throw answer;
      return reply(ctx, route, call, answer);
    }
    const scope = { user_id: user.id, method: route.method, path: ctx.path, key };
    const { status, body, replayed } = await within(ctx.state.tenant.id, (work) =>
      onlyOnce(work, scope, call, async () => {
        const answer = await run({ ...call, work });
        if (answer instanceof HttpRefusal) return answer.answer;
        return { status: route.status, body: shaped(route, answer) };
      }),
    );
    if (replayed) ctx.set('Idempotent-Replayed', 'true');
    ctx.status = status;
    const { request_id } = ctx.state;
    if (status !== 204) ctx.body = status < 400 ? body : { ...(body as object), request_id };
  };
}

/** The answer and its key are written in the transaction of the effect, so a crash leaves neither. */
async function onlyOnce(
  work: Work,
  scope: idempotency.KeyScope,
  call: Omit<Call, 'work'>,
  steps: () => Promise<{ status: number; body: unknown }>,
) {
  const hash = createHash('sha256')
    .update(JSON.stringify(call.body ?? null))
    .digest('hex');
  const kept = await idempotency.take(work.tx, scope, hash);
  if (kept && kept.request_hash !== hash) {
    throw new Conflict('This Idempotency-Key was used with another body.', 'idempotency_key_reuse');
  }
  if (kept) return { status: kept.status, body: kept.body, replayed: true };
  const { status, body } = await steps();
  await idempotency.keep(work.tx, scope, status, body);
  return { status, body, replayed: false };
}

/** Whose session has ended is told so; the rest have none, or not the role. */
async function refusalOf({ allow }: Route, user: User | null, ctx: Context, within: Within) {
  if (user !== null) {
    const details = { required_role: allow };
    return new Forbidden('Your role does not allow this.', 'permission_denied', details);
  }
  return (await hasEnded(ctx, within))
    ? new HttpRefusal(401, 'session_expired', 'Your session is over. Sign in again.')
    : new HttpRefusal(401, 'not_authenticated', 'Sign in first.');
}

function parse(route: Route, ctx: Context, user: User | null): Omit<Call, 'work'> {
  const params = ctx.params as Record<string, string>;
  for (const [name, value] of Object.entries(params)) {
    if (/(^|_)id$/.test(name) && !UUID.test(value)) throw new NotFound();
  }
  // Koa's own reading takes a second for 16 kB of one repeated key, and loses __proto__.
  const query = { ...parseQuery(ctx.querystring, '&', '=', { maxKeys: QUERY_KEYS_MAX }) };
  const own = route.query ? checked(route.query, query) : {};
  const listQuery = Object.fromEntries(
    Object.entries(query).filter(([name]) => !Object.hasOwn(own as object, name)),
  );
  return {
    params,
    query: own as Record<string, unknown>,
    list: route.list ? parseList(route.list, listQuery) : null,
    body: route.body ? checked(route.body, ctx.request.body ?? {}) : null,
    user,
    origin: `${ctx.state.is_secure ? 'https' : 'http'}://${ctx.get('Host')}`,
  };
}

function checked(schema: z.ZodType, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Invalid({ body: 'Must be a JSON object.' });
  }
  const result = schema.safeParse(given, { reportInput: true });
  if (!result.success) throw new Invalid(fieldErrors(result.error));
  return result.data;
}

function actorOf(ctx: Context, user: User | null): Actor {
  return {
    type: user === null ? 'system' : user.borrower_id && !user.tenant_role ? 'borrower' : 'user',
    id: user?.id ?? null,
    email: user?.email ?? null,
    role: user?.tenant_role ?? null,
    request_id: ctx.state.request_id,
    ip: ctx.state.ip,
  };
}

/** Between 1 and 255 printable characters. */
function keyOf(ctx: Context): string | null {
  const key = ctx.get('Idempotency-Key');
  if (ctx.req.headers['idempotency-key'] === undefined) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Invalid({ 'Idempotency-Key': 'Must be 1 to 255 printable characters.' });
  }
  return key;
}

function reply(ctx: Context, route: Route, { list }: Omit<Call, 'work'>, answer: unknown) {
  ctx.status = route.status;
  if (route.status === 204) return;
  if (route.list && list) {
    const { rows, total } = answer as Page;
    const end = list.offset + rows.length - 1;
    const range = rows.length === 0 ? '*' : `${list.offset}-${end}`;
    ctx.set('Content-Range', `${route.list.name} ${range}/${total}`);
    ctx.body = rows.map((row) => shaped(route, row));
    return;
  }
  ctx.body = shaped(route, answer);
}

/** Only what the endpoint declares leaves the house; a row that lacks a field is our fault. */
function shaped(route: Route, answer: unknown): unknown {
  if (!route.reply) return answer;
  const result = route.reply.safeParse(answer);
  if (result.success) return result.data;
  throw new Error(
    `${route.method} ${route.path} answers otherwise than declared: ${result.error.message}`,
  );
}
