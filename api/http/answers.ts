import type { Context } from 'koa';
import type { z } from 'zod';
import type { ListRequest } from '../../sql/list.ts';
import { HeldForApproval } from '../endpoints/approval-gate.ts';
import type { Call, Page, Route } from '../endpoints/route.ts';
import { fastParserFor, NEEDS_FULL_PARSE } from './fast-parse.ts';
import { HttpRefusal, type ErrorAnswer } from './errors.ts';
import { omitHiddenFields, redactRefusalBody } from './denied-fields.ts';
import { noteUnchangedFields, type SentBack } from './ignored-fields.ts';
import { etagOf } from './versions.ts';

export type UnsentAnswer = { status: number; body: unknown; page?: Page; replayed?: boolean };

/**
 * Builds the answer that is sent and, for a request with an idempotency key, stored. It contains only
 * declared fields.
 */
export function buildAnswer(route: Route, answer: unknown): UnsentAnswer {
  if (answer instanceof HttpRefusal || answer instanceof HeldForApproval) return answer.answer;
  if (!route.list) return { status: route.status, body: withoutUndeclaredFields(route, answer) };
  const page = answer as Page;
  return {
    status: route.status,
    body: page.rows.map((row) => withoutUndeclaredFields(route, row)),
    page,
  };
}

/** Sends the answer without the fields hidden from the user. */
export function sendAnswer(
  ctx: Context,
  route: Route,
  {
    list,
    access,
    sentBack,
  }: Omit<Call, 'work' | 'endsTransaction' | 'routes'> & {
    sentBack: SentBack;
  },
  { status, body: whole, page, replayed = false }: UnsentAnswer,
) {
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  ctx.status = status;
  if (status === 204) return;
  if (status >= 400) {
    const { request_id } = ctx.state;
    ctx.body = { ...redactRefusalBody(access, whole as ErrorAnswer['body']), request_id };
    return;
  }
  const body = omitHiddenFields(access, route, whole);
  if (page && list) ctx.set('Content-Range', contentRange(route, list, page));
  if (route.etag && status !== 202) ctx.set('ETag', etagOf(route.etag, body));
  if (status !== 202) noteUnchangedFields(ctx, sentBack, body);
  ctx.body = body;
}

function contentRange({ list: declared }: Route, { offset }: ListRequest, { rows, total }: Page) {
  const range = rows.length === 0 ? '*' : `${offset}-${offset + rows.length - 1}`;
  return `${declared?.name} ${range}/${total}`;
}

const parserCache = new WeakMap<z.ZodType, ReturnType<typeof fastParserFor>>();

/** Removes undeclared fields. A missing declared field is a bug on our side and throws. */
function withoutUndeclaredFields(route: Route, answer: unknown): unknown {
  if (!route.reply) return answer;
  const cut = parserCache.get(route.reply) ?? fastParserFor(route.reply);
  parserCache.set(route.reply, cut);
  const sure = cut(answer);
  if (sure !== NEEDS_FULL_PARSE) return sure;
  const result = route.reply.safeParse(answer);
  if (result.success) return result.data;
  throw new Error(
    `${route.method} ${route.path} answers otherwise than declared: ${result.error.message}`,
  );
}
