import { z } from 'zod';
import { isRole } from '../http/permissions.ts';
import type { Route } from './route.ts';

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  $defs?: Record<string, Schema>;
};

const known = new WeakMap<readonly Route[], Map<string, ReadonlySet<string>>>();

/** The fields that each resource of the staff tells or takes, at any depth. The route table never changes while we run. */
export function fieldsOf(routes: readonly Route[]): ReadonlyMap<string, ReadonlySet<string>> {
  const before = known.get(routes);
  if (before) return before;
  const fields = new Map<string, Set<string>>();
  for (const { resource, reply, body, allow } of routes) {
    if (!isRole(allow)) continue;
    const names = fields.get(resource) ?? new Set();
    fields.set(resource, names);
    if (reply) collect(z.toJSONSchema(reply, { io: 'output', unrepresentable: 'any' }), names);
    if (body) collect(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), names);
  }
  known.set(routes, fields);
  return fields;
}

function collect(given: unknown, names: Set<string>) {
  const { properties = {}, items, anyOf = [], allOf = [], $defs = {} } = given as Schema;
  for (const name of Object.keys(properties)) names.add(name);
  const inner = [...Object.values(properties), ...Object.values($defs), ...anyOf, ...allOf];
  for (const schema of items ? [...inner, items] : inner) collect(schema, names);
}
