import type { Context, Middleware, Next } from 'koa';
import type { DatabasePool } from 'slonik';
import type { Installation } from '../../jobs/installation.ts';
import type { Log } from '../../jobs/monitoring/log.ts';
import { tenantStylesheet } from '../../templates/portal/stylesheet.ts';
import type { Route } from '../endpoints/route.ts';
import { withCsrfCheck, setCsrfCookie } from '../http/csrf.ts';
import { errorAnswer, HttpRefusal, type ErrorAnswer } from '../http/errors.ts';
import { logError } from '../http/log-error.ts';
import type { Intake } from '../http/receive.ts';
import type { PortalConfig } from '../portal/config.ts';
import { sendOpsAsset } from './send-ops-page.ts';
import { sendPage } from './send-page.ts';
import type { PageContext } from './page-context.ts';
import { endpointCaller, handlersByEndpoint, type CallEndpoint } from './call-endpoint.ts';
import { EMPTY_FORM, withForm, type Form } from './form.ts';
import { isLanguageUnset, languageOf, rememberLanguage } from './language.ts';
import { pageNotFound } from './page-not-found.ts';
import { parseQuery } from './query.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { resolvePage, ROOT, sectionOf, type Section } from './page-routing.ts';

type Parts = {
  pool: DatabasePool;
  installation: Installation;
  routes: readonly Route[];
  log: Log;
  intake: Intake;
};

/**
 * The server-rendered pages, mostly for borrowers below /portal. They call the platform's own endpoints.
 * Errors on the way are shown as pages too.
 */
export function portalPages(
  parts: Parts,
  serve: (route: Route) => (ctx: Context) => Promise<void>,
) {
  const handlers = handlersByEndpoint(parts.routes, serve);
  const refusals: Middleware = async (ctx: Context, next: Next) => {
    const section = sectionOf(ctx.path) ?? (isBrowserOutsideApi(ctx) ? ROOT : undefined);
    if (section === undefined) return next();
    ctx.state.section = section;
    try {
      await next();
    } catch (error) {
      const { log } = parts;
      const refusal = errorAnswer(error, ctx.method);
      const { request_id } = ctx.state;
      logError(error, refusal, { log, request_id });
      await showRefusal(ctx, endpointCaller(ctx, handlers), refusal ?? INTERNAL);
    }
  };
  const sections: Middleware = async (ctx: Context, next: Next) => {
    const { section } = ctx.state as { section?: Section };
    if (section === undefined) return next();
    Object.assign(ctx.state, {
      ...(section.sign_in && { cookiePath: section.at }),
      isInside: true,
    });
    await buildVisit(ctx, { parts, section, ask: endpointCaller(ctx, handlers) });
  };
  return { refusals, sections };
}

/** API clients, and all requests below /api, get errors as JSON. */
const isBrowserOutsideApi = (ctx: Context) =>
  (ctx.method === 'GET' || ctx.method === 'HEAD') &&
  !ctx.path.startsWith('/api/') &&
  ctx.accepts('json', 'html') === 'html';

const INTERNAL: ErrorAnswer = { status: 500, body: { message: '', code: 'internal_error' } };

type VisitContext = { parts: Parts; section: Section; ask: CallEndpoint };

async function buildVisit(ctx: Context, { parts, section, ask }: VisitContext) {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (isRead && ctx.path.startsWith('/portal/style-')) return stylesheet(ctx, ask);
  if (isRead && /^\/ops\/(style|live)-/.test(ctx.path)) return sendOpsAsset(ctx);
  const { page, params } = resolvePage(section, ctx.path);
  ctx.state.route = { path: `${section.at}${page.path}` };
  if (page.cookiePath !== undefined) ctx.state.cookiePath = page.cookiePath;
  if (!isRead && !(ctx.method === 'POST' && page.submit)) throw otherMethod(page);
  const takesFile = page.takesFile === true && !isRead;
  if (takesFile && !ctx.state.user) {
    // Visitors without a session cannot upload.
    ctx.set('Connection', 'close');
    await ask('GET /portal/me');
  }
  const opened = (form: Form, token: (() => string) | null) =>
    withCsrfCheck(ctx, token, () => openPage(ctx, { page, params, form, ask, parts }));
  if (page.isOneClick) return opened(EMPTY_FORM, null);
  await withForm(ctx, { intake: parts.intake, takesFile }, (form) =>
    opened(form, () => form.values['csrf_token'] ?? ''),
  );
}

type OpenedPage = {
  page: Page;
  params: Record<string, string>;
  form: Form;
  ask: CallEndpoint;
  parts: Parts;
};

async function openPage(ctx: Context, { page, params, form, ask, parts }: OpenedPage) {
  // The endpoint's error distinguishes a missing session from an expired one.
  if (!page.isOpen && !ctx.state.user) await ask('GET /portal/me');
  const config = await ask<PortalConfig>('GET /portal/config');
  if (ctx.state.user?.borrower_id && isLanguageUnset(ctx)) await followPreference(ctx, ask);
  const { user = null, tenant, trusted_origins: dashboards = [] } = ctx.state;
  const isPortalHomePage = Boolean(ctx.state.is_portal_home_page);
  const visit: Visit = {
    ask,
    params,
    form,
    config,
    user,
    tenant,
    isPortalHomePage,
    dashboards,
    problems: null,
    store: {
      pool: parts.pool,
      installation: parts.installation,
    },
    query: parseQuery(ctx),
    language: languageOf(ctx),
    speak: (language) => rememberLanguage(ctx, language),
  };
  const frame = { config, values: form.values };
  if (ctx.method !== 'POST' || !page.submit) return sendPage(ctx, await page.show(visit), frame);
  try {
    sendPage(ctx, await page.submit(visit), { config });
  } catch (error) {
    await redisplayForm(ctx, { page, visit, frame }, error);
  }
}

/** Shows the page again with the submitted values and the errors. */
async function redisplayForm(
  ctx: Context,
  { page, visit, frame }: { page: Page; visit: Visit; frame: Partial<PageContext> },
  error: unknown,
) {
  const refusal = errorAnswer(error, 'POST');
  if (refusal === null || !isShownInForm(refusal, page)) throw error;
  const { status, body, headers = {} } = refusal;
  const { code, message, errors = {}, details = {} } = body;
  const problems = { code, message, errors, details };
  const outcome = await page.show({ ...visit, problems });
  ctx.set(headers);
  sendPage(ctx, 'page' in outcome ? { ...outcome, status } : outcome, { ...frame, problems });
}

/**
 * Errors that a user can correct or wait out during sign-in. Any other 401 means that the session has
 * ended.
 */
const SIGN_IN_ERRORS = ['invalid_credentials', 'invalid_code', 'provider_refused', 'provider_slow'];

const isShownInForm = ({ status, body }: ErrorAnswer, { isOpen = false }: Page) =>
  [409, 413, 422].includes(status) ||
  (isOpen && (status === 429 || SIGN_IN_ERRORS.includes(body.code)));

async function showRefusal(
  ctx: Context,
  ask: CallEndpoint,
  { status, body, headers = {} }: ErrorAnswer,
) {
  ctx.set(headers);
  if (status === 401) return redirectToSignIn(ctx, body.code);
  // If the request was refused earlier, there is neither a tenant nor a session.
  const { isInside = false } = ctx.state;
  const config = isInside
    ? await ask<PortalConfig>('GET /portal/config').catch(() => undefined)
    : undefined;
  const retry_after = headers['Retry-After'];
  const refusal = { status, retry_after, ...nextSteps(ctx, { code: body.code, status }) };
  sendPage(ctx, { ...pageView('refusal', refusal), status }, { ...(config && { config }) });
  if (isInside) setCsrfCookie(ctx);
}

/** The next steps offered after a refusal. */
function nextSteps({ state, path }: Context, { code, status }: { code: string; status: number }) {
  const isExpired = code === 'csrf_failed';
  const mustEnroll = code === 'second_factor_required' && !(state.section as Section).isPortal;
  const isUnknownAddress = state.section === ROOT && status === 404 && Boolean(state.isInside);
  return {
    code: isUnknownAddress ? 'unknown_address' : code,
    start_links: isUnknownAddress,
    again: isExpired ? path : null,
    enroll: mustEnroll && Boolean(state.user),
    other_account: status === 403 && !isExpired && Boolean(state.isInside && state.user),
  };
}

function redirectToSignIn(ctx: Context, code: string) {
  const { at, sign_in } = ctx.state.section as Section;
  if (!sign_in) return sendPage(ctx, redirectTo(at, 'sign_in_over'));
  const back = ctx.method === 'GET' && ctx.path !== at ? `?back=${ctx.path}` : '';
  const isOver = code === 'session_expired' || code === 'sign_in_expired';
  sendPage(ctx, redirectTo(`${sign_in}${back}`, isOver ? 'signed_out_by_time' : undefined));
}

/** Uses the borrower's preferred language unless one was chosen in this browser. */
async function followPreference(ctx: Context, ask: CallEndpoint) {
  const profile = await ask<{ language_preference: string }>('GET /portal/profile');
  rememberLanguage(ctx, profile.language_preference);
}

/** Each tenant has its own stylesheet because of its colors. Its name changes with its content. */
async function stylesheet(ctx: Context, ask: CallEndpoint) {
  const { name, text } = tenantStylesheet(await ask<PortalConfig>('GET /portal/config'));
  if (ctx.path !== `/portal/${name}`) throw pageNotFound();
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = 'text/css';
  ctx.body = text;
}

const otherMethod = ({ submit }: Page) =>
  new HttpRefusal(405, 'method_not_allowed', 'This page does not support that method.', {
    headers: { Allow: submit ? 'GET, HEAD, POST' : 'GET, HEAD' },
  });
