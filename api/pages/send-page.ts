import type { Context } from 'koa';
import { randomUUID } from 'node:crypto';
import { renderPage } from '../../templates/portal/render-page.ts';
import { passkeyScript } from '../../templates/portal/script.ts';
import { tenantStylesheet } from '../../templates/portal/stylesheet.ts';
import { problemTexts } from '../../templates/portal/problems.ts';
import { csrfTokenFor } from '../http/csrf.ts';
import type { PortalConfig } from '../portal/config.ts';
import { sendOpsPage, streamOpsPage } from './send-ops-page.ts';
import { languageOf } from './language.ts';
import type { PageContext } from './page-context.ts';
import { safeReturnPath } from './return-path.ts';
import { parseQuery } from './query.ts';
import type { Redirect, PageView, PageStream } from './page.ts';
import type { Section } from './page-routing.ts';
import { PORTAL, STAFF, type AccountSection } from './sections.ts';

/** Used when the database is unavailable, so that an error page can still be shown. */
const FALLBACK_CONFIG: PortalConfig = {
  tenant_name: '',
  logo_url: '',
  support_email: '',
  support_phone: '',
  primary_color: '',
  secondary_color: '',
  locale: 'en-US',
  currency: 'USD',
  time_zone: 'UTC',
  hardship_pause_days: 0,
};

/** Sends a page, a stream or a redirect. */
export function sendPage(
  ctx: Context,
  outcome: PageView | Redirect | PageStream,
  frame: Partial<PageContext> = {},
) {
  if ('to' in outcome) return redirectAfterForm(ctx, outcome);
  if ('stream' in outcome) return streamOpsPage(ctx, outcome, frame);
  if (outcome.look === 'ops') return sendOpsPage(ctx, outcome, frame);
  const { config = FALLBACK_CONFIG, problems = null, values = {} } = frame;
  const language = languageOf(ctx);
  const { isPortal } = ctx.state.section as Section;
  ctx.status = outcome.status ?? 200;
  ctx.type = 'text/html';
  const script = outcome.hasScript ? passkeyScript() : null;
  ctx.set('Content-Security-Policy', policyFor(ctx, config, script?.source));
  ctx.body = renderPage(outcome.page, {
    ...outcome.data,
    language,
    tenant: config,
    values,
    csrf_token: ctx.state.isInside ? csrfTokenFor(ctx) : null,
    problems:
      problems &&
      problemTexts(problems, {
        language,
        ...config,
      }),
    notice: parseQuery(ctx)['done'],
    here: currentReturnPath(ctx),
    script: script?.text,
    place: ctx.path.split('/')[2] ?? '',
    is_portal: isPortal,
    ...sectionLinks(ctx),
    idempotency_key: randomUUID(),
    stylesheet: `/portal/${tenantStylesheet(config).name}`,
  });
}

/** Redirects after a form with 303, so that reloading does not submit it again. */
function redirectAfterForm(ctx: Context, { to, done, clears }: Redirect) {
  if (clears) ctx.set('Clear-Site-Data', '"cache", "storage"');
  ctx.status = 303;
  const mark = to.includes('?') ? '&' : '?';
  ctx.set('Location', done === undefined ? to : `${to}${mark}done=${done}`);
  ctx.body = '';
}

/** The section's sign-in and sign-out links, and what the page's frame offers. */
function sectionLinks({ state }: Context) {
  const { at } = state.section as Section;
  const section = accountSectionOf(state);
  return {
    section,
    has_languages: at === section,
    signed_in: at === PORTAL && Boolean(state.user?.borrower_id),
    // The start page belongs to no account.
    has_session: at !== '' && Boolean(state.user),
  };
}

const accountSectionOf = ({ section }: Context['state']): AccountSection =>
  (section as Section).isPortal ? PORTAL : STAFF;

/**
 * The path to return to after a change of language. A refused form cannot be reopened, so its section's
 * home page is used.
 */
function currentReturnPath(ctx: Context) {
  const section = accountSectionOf(ctx.state);
  return ctx.method === 'POST' ? section : safeReturnPath(ctx.url, section);
}

/**
 * Allows only our own stylesheet, the tenant's logo and, where passkeys are used, their script. In the
 * staff section, forms may redirect to the tenant's dashboard, because browsers apply form-action to
 * redirects too.
 */
function policyFor({ state }: Context, { logo_url }: PortalConfig, script?: string) {
  const { trusted_origins = [], section } = state as {
    trusted_origins?: string[];
    section: Section;
  };
  const onward = section.isPortal ? [] : trusted_origins;
  const logo = URL.canParse(logo_url) ? ` ${new URL(logo_url).origin}` : '';
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(script === undefined ? [] : [`script-src ${script}`]),
    `img-src 'self'${logo}`,
    "base-uri 'none'",
    ["form-action 'self'", ...onward].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');
}
