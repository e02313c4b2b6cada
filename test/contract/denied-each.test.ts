import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { resolveAccess } from '../../api/http/access.ts';
import type { Access } from '../../api/endpoints/route.ts';
import { assertFactsVisible, omitHiddenFields } from '../../api/http/denied-fields.ts';
import type { User } from '../../api/http/permissions.ts';
import { routes } from '../../api/routes.ts';
import { factsOfEvents } from '../../jobs/webhooks/event-types.ts';
import { TAPE_COLUMNS } from '../../sql/portfolios/tape-columns.ts';
import type { Rule } from '../../sql/users/permissions.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import type { Ground } from '../attack/ground.ts';
import { readDocument } from '../setup/tape-files.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import { filled, nameOf } from './callers.ts';
import { newGrounds, pathsIn, rightBodies } from './grounds.ts';
import { marksIn, plant, type Planted } from './planted.ts';
import { newSamples } from './samples.ts';

/*
 * Every stored field that an endpoint shows gets unique values. The test records the answers to a
 * superadmin once. Then it denies one field at a time and searches what a denied user would see of these
 * answers for the field's values. A second pass sends real requests as a user who is denied all fields.
 * DENIALS=each does that for one field at a time, which takes about an hour.
 */
const staff = routes.filter(({ allow }) => (TENANT_ROLES as readonly string[]).includes(allow));

const stage = await newStage();
const [ground] = (await newGrounds(stage, ['ours'])) as [Ground];
const client = ground.clients.superadmin;
const samples = newSamples(client);

/** Left unchanged: sessions and users, logs, and figures that the platform calculates with. */
const UNPLANTED = ['sessions', 'users', 'audit_log', 'security_log'];
const COMPUTED_WITH =
  /^(loans\.\w+_date|loans\.loan_type|fees\.amount_(paid|waived)|payment_instruments\.block_code)$/;

const planted = await plant(
  ground.owner,
  ground.tenant_id,
  routes,
  ({ table_name, column_name }) =>
    !UNPLANTED.includes(table_name) && !COMPUTED_WITH.test(`${table_name}.${column_name}`),
);
const factOf = new Map(planted.map((fact) => [fact.mark, fact]));
const tape = await tapeOfAllColumns();
const recorded = [...(await readAll()), ...(await writeAll()), ...(await readAll())];

type Recorded = { route: Route; status: number; body: unknown; marks: ReadonlySet<string> };

async function addressOf({ path, query }: Route): Promise<string> {
  const [address = filled(path)] = await pathsIn(ground, path);
  const own = query ? ((await samples.bodyOf(query)) as Record<string, string>) : {};
  return `${address}?${new URLSearchParams(own).toString()}`;
}

async function readAll(): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for (const route of staff.filter(({ method }) => method === 'GET')) {
    const { status, body } = await client.get(await addressOf(route));
    all.push({ route, status, body, marks: marksIn(JSON.stringify(body ?? null)) });
  }
  return all;
}

async function writeAll(): Promise<Recorded[]> {
  const bodies = await rightBodies(ground);
  const all: Recorded[] = [];
  for (const route of staff.filter(({ method }) => method !== 'GET')) {
    const [given] = bodies.get(nameOf(route)) ?? [];
    const [address = filled(route.path)] = await pathsIn(ground, route.path);
    const { status, body } = await client.send(route.method, address, given);
    all.push({ route, status, body, marks: marksIn(JSON.stringify(body ?? null)) });
  }
  return all;
}

async function tapeOfAllColumns(): Promise<Record<string, unknown>[]> {
  const config = { name: 'All columns', format: 'json', columns: TAPE_COLUMNS };
  const { id } = (await client.post('/loan-tape-configs', config)).body as { id: string };
  const made = await client.post(`/loan-tape-configs/${id}/generate`);
  const { document_id } = made.body as { document_id: string };
  const tenant = { id: ground.tenant_id } as Tenant;
  const content = await readDocument(stage, tenant, document_id);
  return JSON.parse(content) as Record<string, unknown>[];
}

const known = new Map<Planted, Access>();
/** The access of a superadmin who is denied only that field. */
function accessWithout(fact: Planted): Access {
  const { resource, field } = fact;
  const rule = { type: 'deny', action: '*', resource, record: { [field]: true }, record_id: null };
  const user = { tenant_role: 'superadmin' } as User;
  const access = known.get(fact) ?? resolveAccess(user, [rule as Rule], routes);
  known.set(fact, access);
  return access;
}

function isRefused(access: Access, { carries = [] }: Route): boolean {
  if (carries === 'judged' || typeof carries === 'function') return false;
  try {
    assertFactsVisible(access, carries);
    return false;
  } catch {
    return true;
  }
}

/** The name of the field that contains the mark. */
function placeOf(value: unknown, mark: string, name = ''): string | undefined {
  if (typeof value !== 'object' || value === null)
    return marksIn(JSON.stringify(value)).has(mark) ? name : undefined;
  return Object.entries(value)
    .map(([key, inner]) => placeOf(inner, mark, /^\d+$/.test(key) ? name : key))
    .find((found) => found !== undefined);
}

const factsIn = (marks: ReadonlySet<string>) =>
  [...marks].flatMap((mark) => factOf.get(mark) ?? []);
const called = ({ resource, field }: Planted) => `${resource}.${field}`;

test('no answer contains a denied field, under any name', () => {
  const told = new Set<Planted>();
  const leaks = new Set<string>();
  // Refusals are checked below, where a denied user really receives them.
  for (const { route, body, marks } of recorded.filter(({ status }) => status < 300)) {
    for (const fact of factsIn(marks)) {
      told.add(fact);
      const access = accessWithout(fact);
      const seen = isRefused(access, route) ? null : omitHiddenFields(access, route, body);
      if (marksIn(JSON.stringify(seen)).has(fact.mark))
        leaks.add(`${called(fact)} in ${nameOf(route)}: ${placeOf(seen, fact.mark)}`);
    }
  }
  const failed = recorded.filter(({ route, status }) => route.method === 'GET' && status >= 500);

  // If this finds a new leak: mark its field with derivedFrom(), or declare the endpoint's egress
  // (api/README.md).
  expect([...leaks].toSorted()).toEqual([]);
  expect(failed.map(({ route }) => nameOf(route))).toEqual([]);
  expect(told.size).toBeGreaterThan(350);
});

test('each field in an event’s data is among the facts that the event declares', async () => {
  const { rows } = await ground.owner.query<{ event_type: string; body: string }>(
    'select event_type, body from events where tenant_id = $1',
    [ground.tenant_id],
  );
  const leaks = rows.flatMap(({ event_type, body }) => {
    const carried = factsOfEvents([event_type]);
    return factsIn(marksIn(body))
      .filter(
        (fact) => carried !== 'anything' && accessWithout(fact).deniedAmong(carried).length === 0,
      )
      .map((fact) => `${called(fact)} in ${event_type}`);
  });

  expect([...new Set(leaks)].toSorted()).toEqual([]);
  expect(new Set(rows.map(({ event_type }) => event_type)).size).toBeGreaterThan(6);
});

test('each field in a tape column is refused to users who are denied it', () => {
  const told = new Set<Planted>();
  const leaks = new Set<string>();
  for (const row of tape) {
    for (const [column, value] of Object.entries(row)) {
      for (const fact of factsIn(marksIn(JSON.stringify(value)))) {
        told.add(fact);
        if (accessWithout(fact).deniedAmong([`loan-tapes.${column}`]).length === 0)
          leaks.add(`${called(fact)} in ${column}`);
      }
    }
  }

  expect([...leaks].toSorted()).toEqual([]);
  expect(told.size).toBeGreaterThan(10);
});

test('a user who is denied fields sees none of them in any answer', async () => {
  const groups = process.env['DENIALS'] === 'each' ? planted.map((fact) => [fact]) : [planted];
  const leaks = new Set<string>();
  for (const group of groups) {
    await deny(group);
    const denied = new Set(group);
    for (const { route, marks } of [...(await readAll()), ...(await writeAll())])
      for (const fact of factsIn(marks))
        if (denied.has(fact)) leaks.add(`${called(fact)} in ${nameOf(route)}`);
  }

  expect([...leaks].toSorted()).toEqual([]);
}, 7_200_000);

/** Written to the database because users cannot change their own access. */
async function deny(group: readonly Planted[]) {
  await ground.owner.query("delete from user_permissions where tenant_id = $1 and type = 'deny'", [
    ground.tenant_id,
  ]);
  await ground.owner.query(
    `insert into user_permissions (tenant_id, user_id, type, action, resource, record)
     select tenant_id, users.id, 'deny', '*', denied.resource,
            jsonb_object_agg(denied.field, true)
     from users, unnest($2::text[], $3::text[]) as denied (resource, field)
     where tenant_id = $1 and email like 'superadmin@%'
     group by tenant_id, users.id, denied.resource`,
    [ground.tenant_id, group.map(({ resource }) => resource), group.map(({ field }) => field)],
  );
}
