import { createHmac } from 'node:crypto';
import { RANDOM_ID } from '../contract/callers.ts';
import { ATTACKERS, type Attacker, type Ground } from './ground.ts';
import { newRandom, type Random } from './random.ts';
import { PROVIDER_SECRET } from './valid-bodies.ts';
import { collectionIn, newDraw, mutate, type Target } from './targets.ts';
import {
  asJson,
  HOSTILE_BODIES,
  HOSTILE_HEADERS,
  HOSTILE_HOSTS,
  LONG_VALUES,
  hostileValue,
  HOSTILE_PATH_SEGMENTS,
  EDGE_VALUES,
  HOSTILE_WORDS,
} from './hostile-values.ts';

/** One request, determined by the seed, its number and the existing records. */
export type Shot = {
  number: number;
  name: string;
  who: Attacker;
  method: string;
  path: string;
  headers: Record<string, string>;
  host?: string;
  body?: string;
};

const METHODS = ['HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE', 'POST', 'GET', 'TRACE'];
/** These routes end the session that calls them. */
const ENDING = /^POST \/auth\/(logout|login)|^POST \/auth\/password\/change/;

export function buildShot(
  number: number,
  seed: number,
  ground: Ground,
  targets: readonly Target[],
) {
  const random = newRandom(seed, number);
  const { chance, pick } = random;
  // Every route in turn, with writing routes in between because they run most of the code.
  const writing = targets.filter(({ route }) => route.method !== 'GET');
  const target =
    number % 2 === 0 ? (targets[(number / 2) % targets.length] as Target) : pick(writing);
  const { route, name } = target;
  const shot: Shot = {
    number,
    name,
    who: attackerOf(random, target),
    method: chance(0.01) ? pick(METHODS) : route.method,
    path: pathOf(random, route.path, ground),
    headers: { 'X-Shot': String(number) },
  };
  if (route.method === 'GET' || chance(0.03)) shot.path += queryOf(random, target);
  if (route.method !== 'GET' && route.method !== 'DELETE')
    shot.body = bodyOf(random, target, ground);
  addHeaders(random, shot);
  if (route.allow === 'provider' && shot.body !== undefined) sign(random, shot);
  return shot;
}

function attackerOf({ chance, pick }: Random, { route, name }: Target): Attacker {
  if (ENDING.test(name)) return 'leaver';
  if (chance(0.06)) return pick(ATTACKERS);
  return route.allow === 'borrower' ? 'borrower' : 'superadmin';
}

function pathOf(random: Random, path: string, ground: Ground): string {
  const { chance, pick } = random;
  const { record } = newDraw(random, ground);
  return path.replace(/\/\{(\w+)\}/g, (_, parameter: string, at: number) => {
    if (chance(0.04))
      return `/${chance(0.5) ? pick(HOSTILE_PATH_SEGMENTS) : encoded(pick(HOSTILE_WORDS))}`;
    if (parameter === 'channel') return `/${pick(['sms', 'email'])}`;
    return `/${record(collectionIn(path.slice(0, at), parameter)) ?? RANDOM_ID}`;
  });
}

const encoded = (value: unknown) => encodeURIComponent(textOf(value));
/** An address cannot contain lone surrogates, and a request line has a maximum length. */
const textOf = (value: unknown) =>
  (typeof value === 'string' ? value : asJson(value)).toWellFormed().slice(0, 3_000);

const SUFFIXES = ['', '', '', '__gte', '__lte', '__ne', '__icontains', '__isnull', '__in', '__x'];
function queryOf(random: Random, { names }: Target): string {
  const { chance, pick, below } = random;
  if (chance(0.2)) return '';
  const name = () => (chance(0.1) ? textOf(pick(HOSTILE_WORDS)) : pick(names) + pick(SUFFIXES));
  const values = Object.fromEntries(
    Array.from({ length: 1 + below(3) }, () => [name(), hostileValue(random)]),
  );
  if (chance(0.35)) return `?filter=${encoded(asJson(values))}`;
  if (chance(0.25)) return `?sort=${encoded(JSON.stringify([name(), pick(['ASC', 'DESC', 'x'])]))}`;
  if (chance(0.1)) return `?range=${encoded(asJson([hostileValue(random), hostileValue(random)]))}`;
  if (chance(0.05))
    return `?${pick(['a[]=1&a[b]=2', '__proto__[x]=1', '&&=&', 'q=1&q=2', '%', '?'])}`;
  if (chance(0.02)) return `?${'id=1&'.repeat(2_500)}`;
  return `?${Object.entries(values)
    .map(([key, value]) => `${encoded(key)}=${encoded(value)}`)
    .join('&')}`;
}

function bodyOf(random: Random, { bodies, names, fields, long }: Target, ground: Ground): string {
  const { chance, pick, below } = random;
  if (chance(0.03)) return chance(0.8) ? pick(HOSTILE_BODIES.slice(0, -4)) : pick(HOSTILE_BODIES);
  const body = mutate(pick(bodies) ?? {}, newDraw(random, ground));
  if (long.length > 0 && chance(0.25)) return asJson(lengthenPath(random, body, long));
  if (fields.length > 0 && chance(0.3))
    return asJson(replaceAt(body, [pick(fields)], pick(EDGE_VALUES)));
  const kind = below(100);
  // A valid body, which tests the records and their states.
  if (kind < 18) return asJson(body);
  const places = listPaths(body);
  const changes = kind < 75 ? 1 : 2;
  let spoiled = body;
  for (let at = 0; at < changes; at += 1) {
    const place = chance(0.85)
      ? pick(places)
      : [chance(0.5) ? pick(names) : textOf(pick(HOSTILE_WORDS))];
    spoiled = replaceAt(spoiled, place ?? [pick(names) ?? 'id'], hostileValue(random));
  }
  return asJson(spoiled);
}

/** Text of the maximum length that careless patterns read repeatedly. */
function lengthenPath({ pick, chance }: Random, body: unknown, long: Target['long']): unknown {
  const { place, most } = pick(long);
  const text = pick(LONG_VALUES);
  const wanted = chance(0.8) ? Math.min(most, 60_000) : most + 1;
  return replaceAt(body, place, text.repeat(Math.ceil(wanted / text.length)).slice(0, wanted));
}

type ValuePath = readonly string[];

function listPaths(value: unknown, place: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null || place.length > 4) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = [...place, key];
    return [own, ...listPaths(inner, own)];
  });
}

function replaceAt(value: unknown, [key, ...rest]: ValuePath, by: unknown): unknown {
  if (key === undefined) return by;
  const inner = (value as Record<string, unknown> | null)?.[key];
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? replaceAt(item, rest, by) : item));
  // Without a prototype, a name such as __proto__ becomes an ordinary property.
  const copy = Object.assign(Object.create(null), value);
  Object.defineProperty(copy, key, {
    value: replaceAt(inner, rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

function addHeaders({ chance, pick, below }: Random, shot: Shot) {
  shot.headers['X-Forwarded-For'] = `10.${below(256)}.${below(256)}.${below(256)}`;
  if (shot.body !== undefined) shot.headers['Content-Type'] = 'application/json';
  if (chance(0.08)) shot.headers['Idempotency-Key'] = `key-${below(40)}`;
  if (chance(0.03)) Object.assign(shot.headers, pick(HOSTILE_HEADERS));
  if (chance(0.005)) shot.host = pick(HOSTILE_HOSTS);
  if (chance(0.005)) shot.headers['X-Forwarded-Host'] = pick(HOSTILE_HOSTS);
}

const hmac = (text: string) =>
  `sha256=${createHmac('sha256', PROVIDER_SECRET).update(text).digest('hex')}`;

/** Signs like the provider, so that the API reads the content. */
function sign({ chance, pick }: Random, { headers, body = '' }: Shot) {
  if (chance(0.1)) return;
  const timestamp = chance(0.5) ? String(Math.floor(Date.now() / 1000)) : '';
  if (timestamp)
    headers['X-Provider-Timestamp'] = chance(0.1) ? pick(['NaN', '0', 'x']) : timestamp;
  headers['X-Provider-Signature'] = hmac(timestamp ? `${timestamp}.${body}` : body);
}
