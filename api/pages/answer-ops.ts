import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { opsAssets } from '../../templates/ops/assets.ts';
import { renderOps } from '../../templates/ops/render-ops.ts';
import { tokenOf } from '../http/csrf.ts';
import type { Frame } from './answer.ts';
import { missing } from './missing.ts';
import type { Shown, Streamed } from './page.ts';
import { queryOf } from './query.ts';

/** Only what is ours and comes from here: no other place, no frame, nothing within the page that runs. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function answerOps(ctx: Context, outcome: Shown, frame: Partial<Frame>) {
  ctx.status = outcome.status ?? 200;
  ctx.type = 'text/html';
  ctx.set('Content-Security-Policy', POLICY);
  ctx.body = rendered(ctx, outcome, frame);
}

export function streamOps(ctx: Context, { stream }: Streamed, frame: Partial<Frame>) {
  ctx.status = 200;
  ctx.type = 'text/event-stream';
  // A proxy that gathers answers would show nothing for a while.
  ctx.set('X-Accel-Buffering', 'no');
  ctx.body = Readable.from(stream((page) => rendered(ctx, page, frame)));
}

const rendered = (ctx: Context, { page, data }: Shown, frame: Partial<Frame>) => {
  const { config, problems = null, values = {} } = frame;
  return renderOps(page, {
    ...data,
    ...{ tenant_name: config?.tenant_name ?? '', values, problems },
    csrf_token: tokenOf(ctx),
    notice: queryOf(ctx)['done'],
    signed_in: Boolean(ctx.state.user),
  });
};

/** Style and script, whose names change with them. */
export function opsAsset(ctx: Context) {
  const { style, script } = opsAssets();
  const asset = [style, script].find(({ name }) => ctx.path === `/ops/${name}`);
  if (!asset) throw missing();
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.type = asset.type;
  ctx.body = asset.text;
}
