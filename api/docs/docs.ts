import type { Context, Middleware, Next } from 'koa';
import { readGuides, type Guide } from '../../templates/docs/guides.ts';
import { renderMarkdown } from '../../templates/docs/markdown.ts';
import { docsScript, docsStyle, renderDocs } from '../../templates/docs/render-docs.ts';
import { editDistance, findNearestWord } from '../../jobs/nearest-word.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import { buildOpenApi } from '../endpoints/openapi.ts';
import type { Route } from '../endpoints/route.ts';
import { prepareAnswer, sendPrepared, type PreparedAnswer } from '../http/prepared-answers.ts';
import { child } from './describe-schema.ts';
import { EXAMPLE_FUNCTIONS } from './fill-examples.ts';
import { generatedGuides } from './generated-guides.ts';
import { mayRead } from './may-read.ts';
import { DOCS, operationAddress, operationLinks } from './operation-links.ts';
import { operationPage, referenceGroups } from './operation-page.ts';
import { buildSearchEntries } from './search-entries.ts';

const BASE = '/api/v1';
const OPENAPI = `${BASE}/openapi.json`;

/** Allows only our own files: no other origin, no frame, and nothing inline. */
const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

type FindAnswer = (path: string) => PreparedAnswer | undefined;
type Docs = { find: FindAnswer; notFound: PreparedAnswer };
const docsCache = new WeakMap<readonly Route[], Docs>();

const html = (text: string) => prepareAnswer('text/html', text);
const json = (value: unknown) => prepareAnswer('application/json', JSON.stringify(value));
const script = (text: string) => prepareAnswer('text/javascript', text);

/**
 * Prepares the OpenAPI document, the guides and the lists of operations once per route table, when the API
 * starts. The page of an operation is prepared on its first request.
 */
function prepareDocs(routes: readonly Route[]): Docs {
  const known = docsCache.get(routes);
  if (known) return known;
  const document = buildOpenApi(routes);
  const link = operationLinks(routes);
  const guides = readGuides(generatedGuides, link);
  const guideGroups = groupGuides(guides);
  const groups = referenceGroups(routes, document);
  const { description } = child(document, 'info') ?? {};
  const home = html(renderDocs('home', { groups: guideGroups, operations: routes.length }));
  const guidePage = (guide: Guide, at: number) =>
    renderDocs('guide', {
      ...guide,
      contents: guide.sections.filter(({ level }) => level === 2),
      groups: guideGroups,
      previous: guides[at - 1],
      next: guides[at + 1],
    });
  const fixed = new Map([
    [OPENAPI, json(document)],
    [DOCS, home],
    [`${DOCS}/`, home],
    ...guides.map(
      (guide, at) => [`${DOCS}/guides/${guide.name}`, html(guidePage(guide, at))] as const,
    ),
    [
      `${DOCS}/reference`,
      html(
        renderDocs('reference', { groups, intro: renderMarkdown(String(description), link).html }),
      ),
    ],
    [`${DOCS}/docs.css`, prepareAnswer('text/css', docsStyle())],
    [`${DOCS}/docs.js`, script(pageScript())],
    [`${DOCS}/operation.js`, script(operationScript())],
    [`${DOCS}/search.json`, json(buildSearchEntries(guides, groups, document))],
    [`${DOCS}/lists.json`, json(readableLists(routes))],
  ]);
  const operations = new Map(routes.map((route) => [operationAddress(route), route]));
  const findPage = cachePages((path) => {
    const route = operations.get(path);
    return route && html(operationPage(route, { document, groups, link }));
  });
  const docs = {
    find: (path: string) => fixed.get(path) ?? findPage(path),
    notFound: html(renderDocs('not-found', {})),
  };
  docsCache.set(routes, docs);
  return docs;
}

const groupGuides = (guides: readonly Guide[]) =>
  [...Map.groupBy(guides, ({ group }) => group)].map(([title, members]) => ({
    title,
    guides: members,
  }));

/** These functions run in the browser, as source text. */
const pageScript = () =>
  [editDistance.toString(), findNearestWord.toString(), docsScript('docs.js')].join('\n');
const operationScript = () =>
  [...EXAMPLE_FUNCTIONS, mayRead].map(String).concat(docsScript('operation.js')).join('\n');

/** What a page needs to find records for its examples: the permission of each GET. */
const readableLists = (routes: readonly Route[]) => ({
  roles: TENANT_ROLES,
  lists: Object.fromEntries(
    routes
      // Left out: endpoints that refuse users with a denied field, and those that write to the security log.
      .filter(
        ({ method, carries, security_event: event }) =>
          method === 'GET' && carries === undefined && event === undefined,
      )
      .map(({ path, allow, action, resource }) => [`${BASE}${path}`, { allow, action, resource }]),
  ),
});

const PAGES_MAX = 100;

/** Keeps the pages that were built last. All pages together would take 40 MB. */
function cachePages(build: FindAnswer): FindAnswer {
  const pages = new Map<string, PreparedAnswer>();
  return (path) => {
    const page = pages.get(path) ?? build(path);
    if (page === undefined) return undefined;
    const [oldest] = pages.keys();
    if (!pages.has(path) && pages.size >= PAGES_MAX && oldest !== undefined) pages.delete(oldest);
    return pages.set(path, page).get(path);
  };
}

/** Serves the OpenAPI document, the guides and the reference. The pages load nothing from other hosts. */
export function docsMiddleware(routes: readonly Route[]): Middleware {
  const { find, notFound } = prepareDocs(routes);
  return async (ctx: Context, next: Next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/') return sendAddresses(ctx);
    const answer = find(ctx.path);
    if (answer === undefined) return isMissingPage(ctx) ? sendMissing(ctx, notFound) : next();
    if (answer.type === 'text/html') ctx.set('Content-Security-Policy', SECURITY_POLICY);
    sendPrepared(ctx, answer);
  };
}

/** The answer of the root address for API clients. Browsers get the start page (api/pages/start.ts). */
function sendAddresses(ctx: Context) {
  ctx.body = { api: BASE, documentation: DOCS, openapi: OPENAPI };
}

/** A browser gets a page. API clients get the usual error. */
const isMissingPage = (ctx: Context) =>
  ctx.path.startsWith(`${DOCS}/`) && ctx.accepts('json', 'html') === 'html';

function sendMissing(ctx: Context, { type, bytes }: PreparedAnswer) {
  ctx.status = 404;
  ctx.set('Content-Security-Policy', SECURITY_POLICY);
  ctx.type = type;
  ctx.body = bytes;
}
