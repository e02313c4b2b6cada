import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Route } from '../endpoints/route.ts';

/** Maximum number of fields that the header names. */
const NAMED_MAX = 20;
/** Maximum number of fields that are counted. */
const COUNTED_MAX = 1_000;
/** A client chooses these names, so only short ones of plain characters are repeated. */
const PRINTABLE_PATH = /^[A-Za-z0-9_.-]{1,100}$/;

type Input = Record<string, unknown>;
type Definition = {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  catchall?: z.core.$ZodType;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
};

/** The paths of fields in the body that its schema does not know and therefore drops, such as `lines.0.note`. */
export function findIgnoredFields(schema: z.core.$ZodType, given: unknown): string[] {
  const found: string[] = [];
  collect(schema, given, '', found);
  return found;
}

function collect(schema: z.core.$ZodType, given: unknown, prefix: string, found: string[]) {
  if (typeof given !== 'object' || given === null || found.length >= COUNTED_MAX) return;
  const {
    type,
    shape,
    catchall,
    element,
    innerType,
    in: input,
    options,
  } = schema._zod.def as Definition;
  const inner = innerType ?? input;
  if (inner) return collect(inner, given, prefix, found);
  if (type === 'union' && options) return collectFromOptions(options, given, prefix, found);
  if (type === 'array' && element && Array.isArray(given)) {
    for (const [at, item] of given.entries()) collect(element, item, `${prefix}${at}.`, found);
    return;
  }
  if (type !== 'object' || !shape || catchall || Array.isArray(given)) return;
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field) collect(field, value, `${prefix}${name}.`, found);
    else if (found.length < COUNTED_MAX) found.push(prefix + name);
  }
}

/** A field is unknown if no option knows it. */
function collectFromOptions(
  options: readonly z.core.$ZodType[],
  given: unknown,
  prefix: string,
  found: string[],
) {
  const objects = options.filter((option) => {
    const { type } = option._zod.def as Definition;
    return type === 'array' || type === 'object' || type === 'union';
  });
  const each = objects.map((option) => {
    const own: string[] = [];
    collect(option, given, prefix, own);
    return own;
  });
  const [first = [], ...others] = each;
  found.push(...first.filter((name) => others.every((names) => names.includes(name))));
}

/**
 * The fields that a PUT sends back although it cannot change them, because forms send the whole record that they
 * read. They count as ignored only if they differ from the record in the answer.
 */
export type SentBack = Input;

/**
 * Names the fields of the body that the request ignores in `X-Ignored-Fields`. Returns the fields of a whole record
 * that was sent back. A provider's callback is not ours to correct.
 */
export function noteIgnoredFields(ctx: Context, route: Route, body: unknown): SentBack {
  if (!route.body || route.allow === 'provider') return {};
  const ignored = findIgnoredFields(route.body, body);
  const fields =
    route.method === 'PUT' && route.reply instanceof z.ZodObject ? route.reply.shape : {};
  const sentBack = ignored.filter((name) => Object.hasOwn(fields, name));
  setHeader(
    ctx,
    ignored.filter((name) => !Object.hasOwn(fields, name)),
  );
  return Object.fromEntries(sentBack.map((name) => [name, (body as Input)[name]]));
}

/** Adds the fields that a PUT tried to change in vain. `updated_at` changes with every request. */
export function noteUnchangedFields(ctx: Context, sentBack: SentBack, answer: unknown) {
  const row = (answer ?? {}) as Input;
  const unchanged = Object.entries(sentBack).filter(
    ([name, value]) =>
      name !== 'updated_at' && Object.hasOwn(row, name) && !isDeepStrictEqual(row[name], value),
  );
  if (unchanged.length === 0) return;
  setHeader(ctx, [...(ctx.state.ignored_fields ?? []), ...unchanged.map(([name]) => name)]);
}

function setHeader(ctx: Context, names: string[]) {
  ctx.state.ignored_fields = names;
  if (names.length === 0) return;
  const named = names.filter((name) => PRINTABLE_PATH.test(name)).slice(0, NAMED_MAX);
  const rest = names.length - named.length;
  ctx.set('X-Ignored-Fields', [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', '));
}
