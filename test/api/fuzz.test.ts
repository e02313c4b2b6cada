import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../api/route.ts';
import { routes } from '../../api/routes.ts';
import { everybody, filled, nameOf } from '../contract/callers.ts';
import { newSamples } from '../contract/samples.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const clients = await everybody(tenant);
const samples = newSamples(clients.superadmin);

/** Texts that some layer below has once misread. */
const TEXTS = [
  ['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\u202e', '👩‍👩‍👧', '١٢٣'],
  ["'", '"; --', '\\', '%', '[', '{}', '{"a":1}', 'null', 'true', 'now', 'abc 1'],
  ['__proto__', 'constructor', 'toString', 'NaN', 'Infinity', '-infinity', '-0', '1e400'],
  ['0x10', '1,000.00', ' 5', '0.00', '99999999999999.99', '0.001', '-5', '0.085'],
  ['9'.repeat(400), 'x'.repeat(12_000), '0197a3c0-1111-7abc-8def-0123456789ab'],
  ['2026-02-30', '0000-01-01', '99999-01-01', '2026-01-01T00:00:00+99:99', '2026-01-01T24:00:00Z'],
].flat();
const OTHERS = [0, -1, 1.5, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, null, true, false];
const SHAPES = [[], {}, [null], [[]], [{}], JSON.parse('{"constructor":{"prototype":{"x":1}}}')];
const NASTY: unknown[] = [...TEXTS, ...OTHERS, ...SHAPES];
const nasty = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** A right body (or query) of the route, with some of it replaced. */
function spoiled(names: readonly string[]) {
  const changes = fc.dictionary(fc.constantFrom(...names, 'nonsense', 'id'), nasty, {
    minKeys: 1,
    maxKeys: 2,
  });
  return fc.record({ changes, isBare: fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0) });
}

const namesOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
const asText = (value: unknown) =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Not signed out or shut out by what is tried. */
const SPARED = /^POST \/auth\/(login|logout)|^POST \/auth\/password/;
const targets = routes.filter((route) => !SPARED.test(nameOf(route)));
const prepared = await Promise.all(
  targets.map(async (route) => ({
    route,
    path: (await samples.pathOf(route.path)) ?? filled(route.path),
    right: route.body ? ((await samples.bodyOf(route.body)) as object) : {},
    names: [
      ...namesOf(route.body),
      ...namesOf(route.query),
      ...(route.list ? [...route.list.filters, ...Object.keys(route.list.fields)] : []),
      ...(route.list ? ['sort', 'range', 'filter', 'ordering', 'limit', 'offset', 'q'] : []),
    ],
  })),
);
type Prepared = (typeof prepared)[number];
const clientOf = ({ allow }: Route) =>
  allow === 'borrower' ? clients.borrower : clients.superadmin;

async function ask({ route, path, right }: Prepared, changes: object, isBare: boolean) {
  const client = clientOf(route);
  if (route.method !== 'GET') {
    return client.send(route.method, path, isBare ? changes : { ...right, ...changes });
  }
  // A lone surrogate has no UTF-8 and so no percent encoding: it cannot be sent in an address.
  const pairs = Object.entries(changes).map(
    ([name, value]) => [name, asText(value).toWellFormed().slice(0, 3_000)] as [string, string],
  );
  const filter = { filter: JSON.stringify(changes).slice(0, 4_000) };
  return client.get(
    `${path}?${new URLSearchParams(isBare ? Object.fromEntries(pairs) : filter).toString()}`,
  );
}

/** Enough cases for each route to be met, in a time that nobody minds. */
const RUNS = Math.max(5, Math.ceil(1_500 / prepared.length));
const DEADLINE = Date.now() + 30_000;

test.each(prepared.map((one) => [nameOf(one.route), one] as const))(
  '%s answers whatever is sent with anything but a fault',
  async (_, one) => {
    if (Date.now() > DEADLINE) return;
    const property = fc.asyncProperty(spoiled(one.names), async ({ changes, isBare }) => {
      const { status, body } = await ask(one, changes, isBare);

      expect(status, JSON.stringify(body)).toBeLessThan(500);
    });

    await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: 10_000 });
  },
);

test('afterwards everything is as it was: no prototype is changed, and the list answers', async () => {
  const reply = await clients.superadmin.get('/borrowers');

  expect(reply.status).toBe(200);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
