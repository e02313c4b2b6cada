import { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { nameOf } from '../contract/callers.ts';
import { collectionOf, newSamples } from '../contract/samples.ts';
import type { Ground } from './ground.ts';
import { newRandom, numberOfName, type Random } from './random.ts';
import { VALID_BODIES } from './valid-bodies.ts';

/** A route with valid bodies, from minimal to complete. */
export type Target = {
  route: Route;
  name: string;
  bodies: Record<string, unknown>[];
  names: string[];
  /** The fields of its body. */
  fields: string[];
  /** Fields for long texts, with their maximum lengths. */
  long: { place: string[]; most: number }[];
};

type Body = Record<string, unknown>;
const SAMPLES = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The collection that a path parameter refers to. Portal paths use the same collections. */
export const collectionIn = (before: string, parameter: string) =>
  parameter === 'loan_id'
    ? '/loans'
    : before.replace(/^\/portal\/.*(?=\/)/, '').replace(/^\/portal\//, '/');

/** Every route with samples that its own schema accepts. */
export async function findTargets(ground: Ground, seed: number): Promise<Target[]> {
  let random = newRandom(seed, -1);
  const someOf = async (path: string) => {
    const ids = ground.pool(path).length > 0 ? ground.pool(path) : await ground.idsOf(path);
    return ids.length > 0 ? random.pick(ids) : undefined;
  };
  const sampled = [0, 0.15, 0.5, 1].map((share) =>
    newSamples(ground.clients.superadmin, {
      wants: () => random.chance(share),
      ...(share > 0 && { choose: (list) => random.pick(list) }),
      recordOf: someOf,
    }),
  );
  const targets: Target[] = [];
  for (const route of routes) {
    random = newRandom(seed, numberOfName(nameOf(route)));
    for (const collection of collectionsOf(route.path)) await ground.idsOf(collection);
    const right = VALID_BODIES[nameOf(route)];
    const bodies: Body[] = right ? [ofTenant(right, ground.slug)] : [];
    for (let at = 0; route.body && at < SAMPLES; at += 1) {
      const sample = (await sampled[at % sampled.length]?.bodyOf(route.body)) as Body;
      bodies.push({ ...sample, ...(right && at % 4 !== 3 && ofTenant(right, ground.slug)) });
    }
    targets.push({
      route,
      name: nameOf(route),
      bodies,
      names: namesOf(route),
      fields: keysOf(route.body),
      long: findLengthLimits(route),
    });
  }
  return targets;
}

const ofTenant = (body: Body, slug: string): Body =>
  JSON.parse(JSON.stringify(body).replaceAll('SLUG', slug)) as Body;

const collectionsOf = (path: string) =>
  [...path.matchAll(/\/\{(\w+)\}/g)].map(({ index, 1: parameter = '' }) =>
    collectionIn(path.slice(0, index), parameter),
  );

const keysOf = (schema: z.ZodType | undefined) =>
  Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});

function namesOf({ query, list, body }: Route): string[] {
  const words = ['sort', 'range', 'filter', 'ordering', 'limit', 'offset', 'q', 'id'];
  const listed = list ? [...list.filters, ...Object.keys(list.fields), ...words] : [];
  return [...new Set([...keysOf(query), ...keysOf(body), ...listed, 'id'])];
}

export type Draw = { record: (collection: string) => string | undefined; word: () => string };

type Schema = {
  type?: string;
  enum?: unknown[];
  maxLength?: number;
  anyOf?: Schema[];
  properties?: object;
};
const LONG = 1_000;

/** Only a text within the length limit reaches the patterns and parsers behind the check. */
function findLengthLimits({ body }: Route): Target['long'] {
  const walk = (schema: Schema, place: string[]): Target['long'] => {
    if (schema.enum) return [];
    if (schema.anyOf) return schema.anyOf.flatMap((option) => walk(option, place));
    const { type, maxLength: most = 60_000 } = schema;
    if (type === 'string' && place.length > 0) return most >= LONG ? [{ place, most }] : [];
    return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      walk(inner as Schema, [...place, name]),
    );
  };
  if (!body) return [];
  return walk(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema, []);
}

/** Half of the draws choose the oldest records, which have the longest history. */
export function newDraw({ pick, chance, below }: Random, { pool }: Ground): Draw {
  return {
    record: (collection) =>
      pick(chance(0.5) ? pool(collection).slice(0, 25) : pool(collection).slice(-100)),
    word: () => `${below(1e9)}`,
  };
}

/** The body with different names and with other records of the same kinds. */
export function mutate(value: unknown, draw: Draw): unknown {
  if (Array.isArray(value)) return value.map((inner) => mutate(inner, draw));
  if (typeof value === 'string')
    return value.replace(/^sample(?= |@)/i, (sample) => sample + draw.word());
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, redrawIds(key, inner, draw)]),
  );
}

function redrawIds(key: string, value: unknown, draw: Draw): unknown {
  const redraw = (id: unknown) =>
    UUID.test(String(id)) ? (draw.record(collectionOf(key)) ?? id) : id;
  if (key.endsWith('_id')) return redraw(value);
  if (key.endsWith('_ids') && Array.isArray(value)) return value.map(redraw);
  return mutate(value, draw);
}
