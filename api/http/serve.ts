import { parse as parseQuery } from 'node:querystring';
import type { Context } from 'koa';
import { NotFound } from '../../jobs/errors.ts';
import type { Installation } from '../../jobs/installation.ts';
import { assertRecentProof } from '../../jobs/users/sign-in/recent-proof.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { createWithin, type Actor, type Within, type Work } from '../../jobs/work.ts';
import type { Rule } from '../../sql/users/permissions.ts';
import { assertProved, withRecentProof } from '../endpoints/recent-proof.ts';
import { parseList } from '../endpoints/lists.ts';
import { assertQueryKnown, namesOfQuery } from '../endpoints/unknown-parameters.ts';
import type { Call, OwnTransactionCall, Route } from '../endpoints/route.ts';
import { resolveAccess } from './access.ts';
import type { Access } from '../endpoints/route.ts';
import { buildAnswer, sendAnswer, type UnsentAnswer } from './answers.ts';
import { readBody } from './bodies.ts';
import { noteIgnoredFields, type SentBack } from './ignored-fields.ts';
import { parseInput } from './parse-input.ts';
import { HttpRefusal, notAuthenticated, roleTooLow, sessionExpired } from './errors.ts';
import { withFileBody } from './file-forms.ts';
import {
  restrictList,
  assertFactsVisible,
  assertFieldsWritable,
  omitHiddenFields,
  redactRefusal,
} from './denied-fields.ts';
import {
  readIdempotencyKey,
  runOnceInOwnTransactions,
  runOnce,
  type IdempotencyKey,
} from './idempotency.ts';
import type { User } from './permissions.ts';
import type { Intake } from './receive.ts';
import { chooseDatabase, type Databases } from './replica.ts';
import { securityEventOfAnswer, securityEventOfError, type SecurityLog } from './security-log.ts';
import { hasEndedSession, sessionFor } from './session.ts';
import { enforceRateLimits } from './throttle.ts';
import { checkMatch, parseIfMatch } from './versions.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const QUERY_KEYS_MAX = 2_000;
const LIST_TIMEOUT = '5s';

/** State shared by all requests of a process. */
export type ProcessContext = Databases & {
  installation: Installation;
  routes: readonly Route[];
  intake: Intake;
};

/**
 * Builds the handler of a route: check permission, parse, open one transaction, run, reply. A thrown
 * refusal rolls the transaction back. A returned refusal keeps its writes, such as the log row of a blocked
 * message.
 */
export function handlerFor(route: Route, process: ProcessContext, securityLog: SecurityLog) {
  const handle = buildHandler(route, process, securityLog);
  return async (ctx: Context) => {
    const actor = actorOf(ctx, (ctx.state.user ?? null) as User | null);
    try {
      await handle(ctx, actor);
    } catch (error) {
      const { body } = ctx.request;
      const event = securityEventOfError(route, { body, params: ctx.params }, error);
      if (event) await securityLog.refused({ tenantId: ctx.state.tenant.id, actor, event });
      throw error;
    }
  };
}

function buildHandler(declaredRoute: Route, process: ProcessContext, securityLog: SecurityLog) {
  const { pool, installation, routes, intake } = process;
  const route = withSecurityLog(declaredRoute, securityLog);
  return async (ctx: Context, actor: Actor) => {
    const user = (ctx.state.user ?? null) as User | null;
    const within = createWithin(pool, actor, installation);
    const { id: tenantId } = ctx.state.tenant as { id: string };
    await enforceRateLimits(ctx, route, user, within);
    const rules = (ctx.state.rules ?? []) as Rule[];
    const access = resolveAccess(user, rules, routes);
    const params = ctx.params as Record<string, string>;
    if (!access.mayCall(route, params)) throw await buildRefusal(route, user, ctx, within);
    // Refuses before the body is read if the declaration alone decides it.
    const { carries = [] } = route;
    if (typeof carries !== 'function' && carries !== 'judged') assertFactsVisible(access, carries);
    const answer = async () => {
      // Errors about the request itself are not redacted, because they reveal nothing about records.
      const call = { ...parseRequest(route, ctx, user, access), routes };
      const keyed = user && readIdempotencyKey(route, ctx, { user, body: call.body, installation });
      try {
        if (route.transaction === 'own') {
          const own = ownTransactionCall(ctx, call, within, installation);
          sendAnswer(ctx, route, call, await runInOwnTransactions(route, own, keyed));
        } else {
          const steps = withRecentProof(route);
          const from = chooseDatabase(process, ctx, route, (at) =>
            createWithin(at, actor, installation),
          );
          const transaction = { within: from, tenantId, keyed };
          sendAnswer(ctx, route, call, await runInOneTransaction(route, steps, call, transaction));
        }
      } catch (error) {
        throw redactRefusal(access, error, route.method);
      }
    };
    if (route.takes_file) {
      const bytes_max = await within(tenantId, maxFileBytes, { readOnly: true });
      return withFileBody(ctx, { intake, bytes_max }, answer);
    }
    await readBody(ctx, intake, route);
    return answer();
  };
}

const maxFileBytes = async ({ tx }: Work) => (await settingsOf(tx)).documents.max_bytes;

/** Runs an endpoint that manages its own transactions. */
async function runInOwnTransactions(
  route: Route & { transaction: 'own' },
  own: OwnTransactionCall,
  keyed: IdempotencyKey | null,
): Promise<UnsentAnswer> {
  if (route.needs_proof === true) {
    const sessionId = own.user?.session_id;
    await own.within(own.tenant_id, (work) => assertRecentProof(work, sessionId));
  }
  const steps = async () => buildAnswer(route, await route.run(own));
  return keyed ? runOnceInOwnTransactions(own, keyed, steps) : steps();
}

/** Runs the endpoint and stores its idempotency key, if any, in one transaction. */
async function runInOneTransaction(
  route: Route,
  run: (call: Call) => Promise<unknown>,
  call: Omit<Call, 'work' | 'endsTransaction'>,
  { within, tenantId, keyed }: { within: Within; tenantId: string; keyed: IdempotencyKey | null },
): Promise<UnsentAnswer> {
  if (keyed)
    return within(tenantId, async (work) => {
      const own = { ...call, work, endsTransaction: false };
      // The stored answer may contain a secret, so a repeated request needs the same proof.
      await assertProved(route, own);
      return runOnce(work, keyed, async () => buildAnswer(route, await run(own)));
    });
  const mode = {
    readOnly: route.transaction === 'read',
    isUndated: route.is_undated ?? false,
    ...(route.list && { timeout: LIST_TIMEOUT }),
  };
  const endsTransaction = mode.readOnly;
  const answer = await within(tenantId, (work) => run({ ...call, work, endsTransaction }), mode);
  if (answer instanceof HttpRefusal) throw answer;
  return buildAnswer(route, answer);
}

/**
 * Adds security logging to a route. An endpoint that writes logs in its own transaction; others use a
 * separate one.
 */
function withSecurityLog(route: Route, securityLog: SecurityLog): Route {
  if (route.security_event === undefined) return route;
  if (route.transaction === 'own') {
    const run = async (call: OwnTransactionCall) => {
      const answer = await route.run(call);
      const event = securityEventOfAnswer(route, call, answer);
      const isNobody = route.action === 'logout' && call.user === null;
      if (event && !isNobody) {
        const logEvent = (work: Work) => securityLog.done(work, event);
        await call.within(call.tenant_id, logEvent, { isUndated: true });
      }
      return answer;
    };
    return { ...route, run };
  }
  const run = async (call: Call) => {
    const answer = await route.run(call);
    const event = answer instanceof HttpRefusal ? null : securityEventOfAnswer(route, call, answer);
    if (event) await securityLog.done(call.work, event);
    return answer;
  };
  return { ...route, transaction: 'write', run };
}

function ownTransactionCall(
  ctx: Context,
  call: Omit<Call, 'work' | 'endsTransaction'>,
  within: Within,
  installation: Installation,
): OwnTransactionCall {
  const { tenant, ip, request_id, raw = '' } = ctx.state;
  const session = sessionFor(ctx, installation.keys);
  const header = (name: string) => ctx.get(name);
  // As the client sent it: a provider signs the whole URL.
  const url = call.origin + ctx.originalUrl;
  const request = { tenant_id: tenant.id, ip, request_id, raw, url, session, header };
  return { ...call, within, installation, ...request };
}

/** Distinguishes an expired session from a missing session and a missing role. */
async function buildRefusal({ allow }: Route, user: User | null, ctx: Context, within: Within) {
  if (user !== null) return roleTooLow(allow);
  return (await hasEndedSession(ctx, within)) ? sessionExpired() : notAuthenticated();
}

function parseRequest(
  route: Route,
  ctx: Context,
  user: User | null,
  access: Access,
): Omit<Call, 'work' | 'endsTransaction' | 'routes'> & { sentBack: SentBack } {
  const params = ctx.params as Record<string, string>;
  for (const [name, value] of Object.entries(params)) {
    if (/(^|_)id$/.test(name) && !UUID.test(value)) throw notAnId();
  }
  // Koa's own parser takes a second for 16 kB of one repeated key and drops __proto__.
  const query = { ...parseQuery(ctx.querystring, '&', '=', { maxKeys: QUERY_KEYS_MAX }) };
  const own = route.query ? parseInput(route.query, query) : {};
  const named = namesOfQuery(route);
  const listQuery = Object.fromEntries(
    Object.entries(query).filter(([name]) => !named.includes(name)),
  );
  const declared = restrictList(access, route);
  if (!declared) assertQueryKnown(route, Object.keys(listQuery));
  if (route.body) assertFieldsWritable(access, route, ctx.request.body);
  const sentBack = noteIgnoredFields(ctx, route, ctx.request.body);
  const wanted = route.ifMatch ? parseIfMatch(ctx.req.headers['if-match']) : null;
  return {
    params,
    expectedVersions: wanted,
    checkMatch: (row) =>
      checkMatch(wanted, route.ifMatch, row, (answer) => omitHiddenFields(access, route, answer)),
    query: own as Record<string, unknown>,
    list: declared ? parseList(declared, listQuery, named) : null,
    body: route.body ? parseInput(route.body, ctx.request.body ?? {}) : null,
    user,
    access,
    sentBack,
    origin: `${ctx.state.is_secure ? 'https' : 'http'}://${ctx.state.host}`,
  };
}

const notAnId = () =>
  new NotFound(
    'Not found. The path names a record by its id, a UUID. Filter the list to find it by another field.',
  );

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
