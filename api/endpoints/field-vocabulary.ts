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
type FieldLocation = { resource: string; field: string };

/** Its fields include the data fields of all events. */
const DELIVERIES = 'webhook-deliveries';

type Vocabulary = {
  /** The fields that each staff resource accepts or returns, at any depth. */
  fields: ReadonlyMap<string, FieldValues>;
  /** For each fact, the fields declared as derived from it. */
  derived: ReadonlyMap<string, readonly FieldLocation[]>;
  /** The field names in answers of the borrower portal. */
  portal: ReadonlySet<string>;
};

const vocabularyCache = new WeakMap<readonly Route[], Vocabulary>();

/** Computed once, because the route table never changes while a process runs. */
function cachedVocabulary(routes: readonly Route[]): Vocabulary {
  const made = vocabularyCache.get(routes) ?? buildVocabulary(routes);
  vocabularyCache.set(routes, made);
  return made;
}

export const fieldsByResource = (routes: readonly Route[]) => cachedVocabulary(routes).fields;
export const derivedFieldsByFact = (routes: readonly Route[]) => cachedVocabulary(routes).derived;
export const portalFieldNames = (routes: readonly Route[]) => cachedVocabulary(routes).portal;

function buildVocabulary(routes: readonly Route[]): Vocabulary {
  const fields = new Map<string, FieldNames>();
  const derived = new Map<string, FieldLocation[]>();
  const portal: FieldNames = new Map();
  const note = (resource: string) => (field: string, sources: readonly FactName[]) => {
    for (const source of sources)
      derived.set(source, [...(derived.get(source) ?? []), { resource, field }]);
  };
  for (const { resource, reply, body, allow } of routes) {
    if (allow === 'borrower' && reply) collectFields(jsonOf(reply, 'output'), portal, () => {});
    if (!isRole(allow)) continue;
    const names: FieldNames = fields.get(resource) ?? new Map();
    fields.set(resource, names);
    if (reply) collectFields(jsonOf(reply, 'output'), names, note(resource));
    if (body) collectFields(jsonOf(body, 'input'), names, note(resource));
  }
  // Event data is stored and shown with the deliveries of a webhook.
  const sent: FieldNames = fields.get(DELIVERIES) ?? new Map();
  if (fields.has(DELIVERIES))
    for (const data of Object.values(EVENTS))
      collectFields(jsonOf(data, 'output'), sent, note(DELIVERIES));
  return { fields, derived, portal: new Set(portal.keys()) };
}

type FieldNames = Map<string, Set<string>>;
type RecordSources = (field: string, sources: readonly FactName[]) => void;

const jsonOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;

function collectFields(given: Schema, names: FieldNames, note: RecordSources) {
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
  for (const schema of items ? [...inner, items] : inner) collectFields(schema, names, note);
}
