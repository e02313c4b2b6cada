import { createReadStream, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Context, Middleware, Next } from 'koa';
import { dictionary } from '../../sql/dictionary.ts';
import { fillExamples } from './fill-examples.ts';
import { toOpenApi30 } from './openapi-30.ts';
import { buildOpenApi } from './openapi.ts';
import type { Route } from './route.ts';

const BASE = '/api/v1';
const FILES = dictionary<string>({
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
});

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
const START = `${fillExamples.toString()}\n${toOpenApi30.toString()}\n${readFileSync(new URL('docs-page.js', import.meta.url), 'utf8')}`;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const described = new WeakMap<readonly Route[], string>();

/** Built once per route table, before the first request, because it takes half a second. */
function documentOf(routes: readonly Route[]): string {
  const document = described.get(routes) ?? JSON.stringify(buildOpenApi(routes));
  described.set(routes, document);
  return document;
}

/**
 * Serves the OpenAPI document and the page to read and try the API. The page loads nothing from other
 * hosts.
 */
export function docsMiddleware(routes: readonly Route[]): Middleware {
  const document = documentOf(routes);
  const folder = path.dirname(
    createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'),
  );
  return async (ctx: Context, next: Next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/') {
      ctx.redirect(`${BASE}/docs`);
    } else if (ctx.path === `${BASE}/openapi.json`) {
      ctx.type = 'application/json';
      ctx.body = document;
    } else if (ctx.path === `${BASE}/docs` || ctx.path === `${BASE}/docs/`) {
      ctx.set('Content-Security-Policy', POLICY);
      ctx.type = 'text/html';
      ctx.body = PAGE;
    } else if (ctx.path === `${BASE}/docs/start.js`) {
      ctx.type = 'text/javascript';
      ctx.body = START;
    } else {
      const type = FILES[ctx.path.slice(`${BASE}/docs/`.length)];
      if (!type || !ctx.path.startsWith(`${BASE}/docs/`)) return next();
      ctx.set('Cache-Control', 'public, max-age=86400');
      ctx.type = type;
      ctx.body = createReadStream(path.join(folder, path.basename(ctx.path)));
    }
  };
}
