import { createServer, type Server, type ServerOptions } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Installation } from '../../jobs/installation.ts';
import type { Log } from '../../jobs/monitoring/log.ts';
import { storageMiddleware } from '../documents/storage.ts';
import { docsMiddleware } from '../docs/docs.ts';
import type { Route } from '../endpoints/route.ts';
import { health, type Health } from '../operations/health.ts';
import { portalPages } from '../pages/pages.ts';
import { identifyRequest } from './identify-request.ts';
import type { Configuration } from './configuration.ts';
import { serializePerConnection } from './connections.ts';
import { cors } from './cors.ts';
import { requestSeconds } from './metrics.ts';
import { csrf, setCsrfCookie } from './csrf.ts';
import { answerBroken, HEAD_BYTES_MAX } from './broken-requests.ts';
import { discardAnsweredBodies } from './early-answers.ts';
import { errorAnswer, HttpRefusal } from './errors.ts';
import { enforceTimeLimits } from './limits.ts';
import { logBrokenAnswer, logError, countAbort } from './log-error.ts';
import { openIntake, type Intake } from './receive.ts';
import { noteLongWrites, type Databases } from './replica.ts';
import { openSecurityLog, type SecurityLog } from './security-log.ts';
import { handlerFor, type ProcessContext } from './serve.ts';
import { sessionMiddleware } from './session.ts';
import { tenantMiddleware } from './tenant.ts';
import { traceRequest } from './trace-request.ts';
import { unknownPath } from './unknown-paths.ts';

export type AppParts = Databases & {
  configuration: Pick<Configuration, 'NODE_ENV' | 'TRUSTED_PROXIES'>;
  log: Log;
  routes: readonly Route[];
  health: Health;
  /** The configuration of the process. */
  installation: Installation;
  /** The security log of this process. On shutdown, the caller flushes its counted refusals. */
  securityLog?: SecurityLog;
  /** The intake of this process, if the caller also reads its metrics. */
  intake?: Intake;
};

/** Builds the middleware chain that every request passes, in order. */
export function createApp(parts: AppParts): Koa {
  const { pool, replica, configuration, log, routes, installation, health: state } = parts;
  const { intake = openIntake(), securityLog = openSecurityLog(pool, installation, log) } = parts;
  const process = { pool, ...(replica && { replica }), installation, routes, intake };
  const app = new Koa();
  const isSecure = configuration.NODE_ENV === 'production';
  const portal = portalPages({ ...process, log }, (route) =>
    handlerFor(route, process, securityLog),
  );
  const steps: Middleware[] = [
    enforceTimeLimits(intake.limits),
    identifyRequest(configuration.TRUSTED_PROXIES, isSecure),
    traceRequest,
    logRequests(log),
    setSecurityHeaders(isSecure),
    answerErrors(log),
    requireOriginForm,
    acceptTrailingSlash,
    portal.refusals,
    health(state, pool),
    intake.admission.middleware,
    tenantMiddleware(pool, configuration.TRUSTED_PROXIES),
    intake.admission.ofTenant,
    cors(pool),
    storageMiddleware({ pool, intake, installation }),
    sessionMiddleware(app, process, isSecure),
    noteLongWrites(process),
    portal.sections,
    csrf(routes),
    docsMiddleware(routes),
    routeRequests(process, securityLog),
  ];
  for (const step of steps) app.use(step);
  app.on('error', (error: NodeJS.ErrnoException) => logBrokenAnswer(error, log));
  return app;
}

/** Wraps the app in an HTTP server that also answers malformed requests. */
export function createHttpServer(app: Koa, options: ServerOptions = {}): Server {
  const answer = app.callback();
  const handle = serializePerConnection((request, response) => void answer(request, response));
  const serverOptions = { maxHeaderSize: HEAD_BYTES_MAX, ...options };
  const server = createServer(serverOptions, handle);
  // A client may end its side when it has sent its request, and still reads the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  return discardAnsweredBodies(answerBroken(server));
}

/**
 * Pages, health checks, files and unknown paths share one label, because client-supplied paths must not
 * become metric labels.
 */
const UNKNOWN_ROUTE = { method: '', route: '' };

/** Logs ids, the route's pattern and the duration. Never logs queries, bodies or cookies. */
function logRequests(log: Log): Middleware {
  return async (ctx: Context, next: Next) => {
    const started = performance.now();
    countAbort(ctx.res);
    await next();
    const { request_id, tenant, user, route } = ctx.state as Record<
      string,
      { id?: string; path?: string } | undefined
    >;
    const ms = Math.round(performance.now() - started);
    const known = route?.path ? { method: ctx.method, route: route.path } : UNKNOWN_ROUTE;
    requestSeconds.observe({ ...known, status: ctx.status }, ms / 1_000);
    log.info(
      {
        request_id,
        tenant: tenant?.id,
        user: user?.id,
        method: ctx.method,
        route: route?.path,
        status: ctx.status,
        ms,
      },
      'request',
    );
  };
}

function setSecurityHeaders(isSecure: boolean): Middleware {
  return async (ctx: Context, next: Next) => {
    ctx.set({
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
    });
    if (isSecure) {
      ctx.set({
        'Strict-Transport-Security': 'max-age=31536000',
        'Cross-Origin-Opener-Policy': 'same-origin',
      });
    }
    await next();
  };
}

/**
 * Turns every thrown error into the error format. Koa's own error handler would drop the Set-Cookie
 * headers.
 */
function answerErrors(log: Log): Middleware {
  return async (ctx: Context, next: Next) => {
    try {
      await next();
    } catch (error) {
      const answer = errorAnswer(error, ctx.method);
      const { request_id } = ctx.state;
      logError(error, answer, { log, request_id });
      const { status, body, headers = {} } = answer ?? INTERNAL;
      ctx.status = status;
      ctx.set(headers);
      if (ctx.state.tenant) setCsrfCookie(ctx);
      ctx.body = { ...body, request_id };
    }
  };
}

const INTERNAL = {
  status: 500,
  headers: {},
  body: { message: 'Something went wrong on our side.', code: 'internal_error' },
};

/**
 * Accepts only a path as request target, as browsers send it. Absolute URLs and `*` are for proxies. A
 * target with two leading slashes would be parsed as a host name.
 */
const requireOriginForm: Middleware = async (ctx: Context, next: Next) => {
  const target = ctx.req.url ?? '';
  if (target.startsWith('//'))
    throw new HttpRefusal(404, 'not_found', 'This endpoint does not exist.');
  if (!target.startsWith('/'))
    throw new HttpRefusal(400, 'invalid_target', 'The request target must be a path.');
  await next();
};

/**
 * Serves /api/v1/loans/ as /api/v1/loans. All later steps see the path without the slash. The documentation decides
 * about its own paths, because relative links depend on the slash.
 */
const acceptTrailingSlash: Middleware = (ctx: Context, next: Next) => {
  if (/^\/api\/v1\/(?!docs\/).*[^/]\/$/.test(ctx.path)) ctx.path = ctx.path.slice(0, -1);
  return next();
};

/**
 * Mounts the route table: fixed paths before paths with parameters, and 405 with Allow for other methods. A
 * router tries its patterns one after the other, so each combination of first word and number of words gets
 * its own router.
 */
function routeRequests(process: ProcessContext, securityLog: SecurityLog): Middleware {
  const routers = new Map<string, ReturnType<typeof createRouter>>();
  for (const [kind, routes] of Map.groupBy(process.routes, ({ path }) =>
    routerKey(`${ROOT}${path}`),
  ))
    routers.set(kind, createRouter(routes, process, securityLog));
  return async (ctx: Context, next: Next) => {
    const found = routers.get(routerKey(ctx.path));
    await found?.dispatch(ctx, next);
    if (ctx.state.route) return;
    const allowed = new Set(
      found?.router.match(ctx.path, ctx.method).path.flatMap(({ methods: known }) => known),
    );
    if (allowed.size === 0) throw unknownPath(process.routes, ctx.path);
    const named = [...allowed].filter((method) => method !== 'HEAD').join(', ');
    throw new HttpRefusal(
      405,
      'method_not_allowed',
      `This endpoint does not support ${ctx.method}. Use ${named}.`,
      { headers: { Allow: [...allowed].join(', ') } },
    );
  };
}

const ROOT = '/api/v1';

/** No pattern starts with a parameter, and a parameter matches exactly one word. */
function routerKey(path: string): string {
  const words = path.split('/');
  return `${words.length} ${words.slice(0, 4).join('/')}`;
}

function createRouter(routes: readonly Route[], process: ProcessContext, securityLog: SecurityLog) {
  const router = new Router({ prefix: ROOT, sensitive: true, strict: true });
  const fixedFirst = routes.toSorted(
    (one, other) => countParameters(one.path) - countParameters(other.path),
  );
  for (const route of fixedFirst) {
    const pattern = route.path.replace(/\{(\w+)\}/g, ':$1');
    const handler = handlerFor(route, process, securityLog);
    router.register(pattern, [route.method.toLowerCase()], async (ctx) => {
      ctx.state.route = route;
      await handler(ctx);
    });
  }
  return { router, dispatch: router.routes() as unknown as Middleware };
}

const countParameters = (path: string) => (path.match(/\{/g) ?? []).length;
