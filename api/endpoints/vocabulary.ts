import { z } from 'zod';
import { isRole } from '../http/permissions.ts';
import type { Route } from './route.ts';

type Schema = {
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  $defs?: Record<string, Schema>;
};

/** The names of fields, with the words that each may hold where these are few. */
export type Fields = ReadonlyMap<string, ReadonlySet<string>>;

const known = new WeakMap<readonly Route[], ReadonlyMap<string, Fields>>();

/** The fields that each resource of the staff tells or takes, at any depth. The route table never changes while we run. */
export function fieldsOf(routes: readonly Route[]): ReadonlyMap<string, Fields> {
  const before = known.get(routes);
  if (before) return before;
  const fields = new Map<string, Map<string, Set<string>>>();
  for (const { resource, reply, body, allow } of routes) {
    if (!isRole(allow)) continue;
    const names = fields.get(resource) ?? new Map<string, Set<string>>();
    fields.set(resource, names);
    if (reply) collect(z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' }), names);
    if (body) collect(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), names);
  }
  known.set(routes, fields);
  return fields;
}

function collect(given: unknown, names: Map<string, Set<string>>) {
  const { properties = {}, items, anyOf = [], allOf = [], $defs = {} } = given as Schema;
  for (const [name, property] of Object.entries(properties)) {
    const words = names.get(name) ?? new Set();
    names.set(name, words);
    for (const { enum: listed = [] } of [property, ...(property.anyOf ?? [])])
      for (const word of listed) words.add(String(word));
  }
  const inner = [...Object.values(properties), ...Object.values($defs), ...anyOf, ...allOf];
  for (const schema of items ? [...inner, items] : inner) collect(schema, names);
}
