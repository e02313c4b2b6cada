import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { opsAssets } from '../../templates/ops/assets.ts';
import { renderOps } from '../../templates/ops/render-ops.ts';
import { csrfTokenFor } from '../http/csrf.ts';
import type { PageContext } from './page-context.ts';
import { pageNotFound } from './page-not-found.ts';
import type { PageView, PageStream } from './page.ts';
import { parseQuery } from './query.ts';

/** Allows only our own files and scripts: no other origin, no frame and no inline script. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function sendOpsPage(ctx: Context, outcome: PageView, frame: Partial<PageContext>) {
  ctx.status = outcome.status ?? 200;
  ctx.type = 'text/html';
  ctx.set('Content-Security-Policy', POLICY);
  ctx.body = renderPageView(ctx, outcome, frame);
}

export function streamOpsPage(ctx: Context, { stream }: PageStream, frame: Partial<PageContext>) {
  ctx.status = 200;
  ctx.type = 'text/event-stream';
  // Tells proxies not to buffer the stream.
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = Readable.from(stream((page) => renderPageView(ctx, page, frame)));
}

const renderPageView = (ctx: Context, { page, data }: PageView, frame: Partial<PageContext>) => {
  const { config, problems = null, values = {} } = frame;
  return renderOps(page, {
    ...data,
    tenant_name: config?.tenant_name ?? '',
    values,
    problems,
    csrf_token: csrfTokenFor(ctx),
    notice: parseQuery(ctx)['done'],
    signed_in: Boolean(ctx.state.user),
  });
};

/** Serves the stylesheet and script, whose names change with their content. */
export function sendOpsAsset(ctx: Context) {
  const { style, script } = opsAssets();
  const asset = [style, script].find(({ name }) => ctx.path === `/ops/${name}`);
  if (!asset) throw pageNotFound();
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = asset.type;
  ctx.body = asset.text;
}
