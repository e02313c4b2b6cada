import { parse as parseQuery } from 'node:querystring';
import type { Context } from 'koa';
import type { DatabasePool } from 'slonik';
import type { z } from 'zod';
import { Forbidden, Invalid, NotFound } from '../../jobs/errors.ts';
import type { Installation } from '../../jobs/installation.ts';
import { workOf, type Actor, type Within } from '../../jobs/work.ts';
import { Accepted, runOf } from '../endpoints/four-eyes.ts';
import { parseList } from '../endpoints/lists.ts';
import type { Call, OwnCall, Page, Route } from '../endpoints/route.ts';
import { readBody } from './bodies.ts';
import { fieldErrors, HttpRefusal } from './errors.ts';
import { keyedBy, onceAfterwards, onlyOnce, type Once } from './idempotency.ts';
import { mayCall, type User } from './permissions.ts';
import { doneBy, refusedBy, type SecurityLog } from './security.ts';
import { hasEnded, sessionOf } from './session.ts';
import { slowDown } from './throttle.ts';
import { checkMatch, etagOf, parseIfMatch } from './versions.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const QUERY_KEYS_MAX = 2_000;
const LIST_TIMEOUT = '5s';

/** What is the same for all requests to a process. */
type Process = { pool: DatabasePool; installation: Installation; routes: readonly Route[] };

/**
 * One route as a handler: permit, parse, one transaction, run, reply. A refusal that is thrown leaves
 * nothing behind; one that is returned keeps what was written, such as the record of a blocked send.
 */
export function serve(route: Route, process: Process, securityLog: SecurityLog) {
  const answered = answering(route, process, securityLog);
  return async (ctx: Context) => {
    const actor = actorOf(ctx, (ctx.state.user ?? null) as User | null);
    try {
      await answered(ctx, actor);
    } catch (error) {
      const { body } = ctx.request;
      const event = refusedBy(route, { body, params: ctx.params }, error);
      if (event) await securityLog.refused({ tenantId: ctx.state.tenant.id, actor, event });
      throw error;
    }
  };
}

function answering(declared: Route, process: Process, securityLog: SecurityLog) {
  const { pool, installation, routes } = process;
  const route = watched(declared, securityLog);
  return async (ctx: Context, actor: Actor) => {
    const user = (ctx.state.user ?? null) as User | null;
    const within = workOf(pool, actor, installation);
    await slowDown(ctx, route, user, within);
    if (!mayCall(user, route.allow)) throw await refusalOf(route, user, ctx, within);
    await readBody(ctx, { mayBeForm: route.allow === 'provider' });
    const call = { ...parse(route, ctx, user), routes };
    const { id: tenantId } = ctx.state.tenant as { id: string };
    const keyed = user && keyedBy(route, ctx, user, call.body);
    if (route.transaction === 'own') {
      const own = ownCall(ctx, call, within, installation);
      const answer = () => route.run(own);
      if (!keyed) return reply(ctx, route, call, await answer());
      const steps = async () => ({ status: route.status, body: shaped(route, await answer()) });
      return finish(ctx, route, await onceAfterwards(own, keyed, steps));
    }
    const run = runOf(route);
    if (!keyed) {
      const mode = {
        readOnly: route.transaction === 'read',
        ...(route.list && { timeout: LIST_TIMEOUT }),
      };
      const answer = await within(tenantId, (work) => run({ ...call, work }), mode);
      if (answer instanceof HttpRefusal) throw answer;
      if (answer instanceof Accepted)
        return finish(ctx, route, { ...answer.answer, replayed: false });
      return reply(ctx, route, call, answer);
    }
    const kept = await within(tenantId, (work) =>
      onlyOnce(work, keyed, async () => {
        const answer = await run({ ...call, work });
        if (answer instanceof HttpRefusal || answer instanceof Accepted) return answer.answer;
        return { status: route.status, body: shaped(route, answer) };
      }),
    );
    finish(ctx, route, kept);
  };
}

/**
 * The same route, which tells the security log what it has done: where it writes, in the transaction of
 * that; else in one of its own.
 */
function watched(route: Route, securityLog: SecurityLog): Route {
  if (route.security_event === undefined) return route;
  if (route.transaction === 'own') {
    const run = async (call: OwnCall) => {
      const answer = await route.run(call);
      const event = doneBy(route, call, answer);
      const isNobody = route.action === 'logout' && call.user === null;
      if (event && !isNobody)
        await call.within(call.tenant_id, (work) => securityLog.done(work, event));
      return answer;
    };
    return { ...route, run };
  }
  const run = async (call: Call) => {
    const answer = await route.run(call);
    const event = answer instanceof HttpRefusal ? null : doneBy(route, call, answer);
    if (event) await securityLog.done(call.work, event);
    return answer;
  };
  return { ...route, transaction: 'write', run };
}

function ownCall(
  ctx: Context,
  call: Omit<Call, 'work'>,
  within: Within,
  installation: Installation,
): OwnCall {
  const { tenant, ip, request_id, raw = '' } = ctx.state;
  const session = sessionOf(ctx, installation.keys);
  const header = (name: string) => ctx.get(name);
  const url = call.origin + ctx.url;
  const whose = { tenant_id: tenant.id, ip, request_id, raw, url, session, header };
  return { ...call, within, installation, ...whose };
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

function parse(route: Route, ctx: Context, user: User | null): Omit<Call, 'work' | 'routes'> {
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
  const wanted = route.ifMatch ? parseIfMatch(ctx.req.headers['if-match']) : null;
  return {
    params,
    wanted,
    checkMatch: (row) => checkMatch(wanted, route.ifMatch, row),
    query: own as Record<string, unknown>,
    list: route.list ? parseList(route.list, listQuery) : null,
    body: route.body ? checked(route.body, ctx.request.body ?? {}) : null,
    user,
    origin: `${ctx.state.is_secure ? 'https' : 'http'}://${ctx.state.host}`,
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

function finish(ctx: Context, { etag }: Route, { status, body, replayed }: Once) {
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  ctx.status = status;
  const { request_id } = ctx.state;
  if (etag && status < 300 && status !== 202) ctx.set('ETag', etagOf(etag, body));
  if (status !== 204) ctx.body = status < 400 ? body : { ...(body as object), request_id };
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
  const body = shaped(route, answer);
  if (route.etag) ctx.set('ETag', etagOf(route.etag, body));
  ctx.body = body;
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
