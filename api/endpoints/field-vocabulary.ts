import { z } from 'zod';
import { DERIVED_FROM, type FactName } from '../../jobs/facts.ts';
import { EVENTS } from '../../jobs/webhooks/event-types.ts';
import { isRole } from '../http/permissions.ts';
import type { Route } from './route.ts';

type Schema = {
  [DERIVED_FROM]?: FactName[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  $defs?: Record<string, Schema>;
};

/** Field names, with the possible values of each field that has only a few. */
export type FieldValues = ReadonlyMap<string, ReadonlySet<string>>;
type Place = { resource: string; field: string };

/** Its fields include the data fields of all events. */
const SENT = 'webhook-deliveries';

type Vocabulary = {
  /** The fields that each staff resource accepts or returns, at any depth. */
  fields: ReadonlyMap<string, FieldValues>;
  /** For each fact, the fields declared as derived from it. */
  derived: ReadonlyMap<string, readonly Place[]>;
  /** The field names in answers of the borrower portal. */
  portal: ReadonlySet<string>;
};

const known = new WeakMap<readonly Route[], Vocabulary>();

/** Computed once, because the route table never changes while a process runs. */
function vocabularyOf(routes: readonly Route[]): Vocabulary {
  const made = known.get(routes) ?? readFrom(routes);
  known.set(routes, made);
  return made;
}

export const fieldsByResource = (routes: readonly Route[]) => vocabularyOf(routes).fields;
export const derivedFieldsByFact = (routes: readonly Route[]) => vocabularyOf(routes).derived;
export const portalFieldNames = (routes: readonly Route[]) => vocabularyOf(routes).portal;

function readFrom(routes: readonly Route[]): Vocabulary {
  const fields = new Map<string, Words>();
  const derived = new Map<string, Place[]>();
  const portal: Words = new Map();
  const note = (resource: string) => (field: string, sources: readonly FactName[]) => {
    for (const source of sources)
      derived.set(source, [...(derived.get(source) ?? []), { resource, field }]);
  };
  for (const { resource, reply, body, allow } of routes) {
    if (allow === 'borrower' && reply) collect(jsonOf(reply, 'output'), portal, () => {});
    if (!isRole(allow)) continue;
    const names: Words = fields.get(resource) ?? new Map();
    fields.set(resource, names);
    if (reply) collect(jsonOf(reply, 'output'), names, note(resource));
    if (body) collect(jsonOf(body, 'input'), names, note(resource));
  }
  // Event data is stored and shown with the deliveries of a webhook.
  const sent: Words = fields.get(SENT) ?? new Map();
  if (fields.has(SENT))
    for (const data of Object.values(EVENTS)) collect(jsonOf(data, 'output'), sent, note(SENT));
  return { fields, derived, portal: new Set(portal.keys()) };
}

type Words = Map<string, Set<string>>;
type Note = (field: string, sources: readonly FactName[]) => void;

const jsonOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;

function collect(given: Schema, names: Words, note: Note) {
  const { properties = {}, items, anyOf = [], allOf = [], $defs = {} } = given;
  for (const [name, property] of Object.entries(properties)) {
    const words = names.get(name) ?? new Set();
    names.set(name, words);
    for (const { enum: listed = [], [DERIVED_FROM]: sources = [] } of [
      property,
      ...(property.anyOf ?? []),
    ]) {
      for (const word of listed) words.add(String(word));
      note(name, sources);
    }
  }
  const inner = [...Object.values(properties), ...Object.values($defs), ...anyOf, ...allOf];
  for (const schema of items ? [...inner, items] : inner) collect(schema, names, note);
}
