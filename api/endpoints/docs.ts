import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Context, Middleware, Next } from 'koa';
import { dictionary } from '../../sql/dictionary.ts';
import { prepareAnswer, sendPrepared, type PreparedAnswer } from '../http/prepared-answers.ts';
import { fillExamples } from './fill-examples.ts';
import { toOpenApi30 } from './openapi-30.ts';
import { buildOpenApi } from './openapi.ts';
import type { Route } from './route.ts';

const BASE = '/api/v1';
const FILES = dictionary<string>({
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
});

const FOLDER = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loan servicing API</title>
<link rel="stylesheet" href="${BASE}/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="${BASE}/docs/swagger-ui-bundle.js"></script>
<script src="${BASE}/docs/start.js"></script>
</body>
</html>`;

/** These functions run in the browser, as source text. */
const PAGE_SCRIPT = `${fillExamples.toString()}\n${toOpenApi30.toString()}\n${readFileSync(new URL('docs-page.js', import.meta.url), 'utf8')}`;

const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const documentCache = new WeakMap<readonly Route[], PreparedAnswer>();

/** Built once per route table when the API starts, because it takes half a second. */
function prepareDocument(routes: readonly Route[]): PreparedAnswer {
  const document =
    documentCache.get(routes) ??
    prepareAnswer('application/json', JSON.stringify(buildOpenApi(routes)));
  documentCache.set(routes, document);
  return document;
}

const STATIC = dictionary<PreparedAnswer>({
  [`${BASE}/docs`]: prepareAnswer('text/html', PAGE),
  [`${BASE}/docs/`]: prepareAnswer('text/html', PAGE),
  [`${BASE}/docs/start.js`]: prepareAnswer('text/javascript', PAGE_SCRIPT),
});

const assets = new Map<string, PreparedAnswer>();

/** A file of Swagger UI, read on its first request. */
function findAsset(requested: string): PreparedAnswer | null {
  const file = requested.startsWith(`${BASE}/docs/`) ? path.basename(requested) : '';
  const type = FILES[file];
  if (type === undefined || requested !== `${BASE}/docs/${file}`) return null;
  const asset = assets.get(file) ?? prepareAnswer(type, readFileSync(path.join(FOLDER, file)));
  assets.set(file, asset);
  return asset;
}

/**
 * Serves the OpenAPI document and the page to read and try the API. The page loads nothing from other
 * hosts.
 */
export function docsMiddleware(routes: readonly Route[]): Middleware {
  const document = prepareDocument(routes);
  return async (ctx: Context, next: Next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/') return ctx.redirect(`${BASE}/docs`);
    const answer =
      ctx.path === `${BASE}/openapi.json` ? document : (STATIC[ctx.path] ?? findAsset(ctx.path));
    if (answer === null) return next();
    if (answer.type === 'text/html') ctx.set('Content-Security-Policy', SECURITY_POLICY);
    sendPrepared(ctx, answer);
  };
}
