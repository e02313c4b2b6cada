import { expect, test } from 'vitest';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { findFactLocations } from '../../api/endpoints/fact-locations.ts';
import { derivedFieldsByFact, fieldsByResource } from '../../api/endpoints/field-vocabulary.ts';
import { resourceNameOf } from '../../api/http/denied-fields.ts';
import { COLUMN_DEFINITIONS } from '../../sql/portfolios/tape-columns.ts';
import { TENANT_ROLES } from '../../sql/users/users.ts';
import type { Ground } from '../attack/ground.ts';
import type { Reply } from '../setup/client.ts';
import { fieldNamesIn } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';
import { filled, nameOf } from './callers.ts';
import { newGrounds, pathsIn, rightBodies } from './grounds.ts';
import { newSamples } from './samples.ts';

/**
 * Fields denied to this tenant's superadmin, who may call every staff route, with unique values in its
 * records.
 */
const DENIED = {
  borrowers: {
    ssn_last_four: '7391',
    date_of_birth: '1961-07-04',
    first_name: 'Zyrtho',
    last_name: 'Quembly',
    email: 'zq@mail.example',
  },
  loans: { principal_balance: '7782.57' },
  payments: { amount: '217.43' },
};
const VALUES = Object.values(DENIED).flatMap((fields) => Object.values(fields));
const TOLD = new RegExp(`(?<![\\w.-])(${VALUES.join('|').replaceAll('.', '\\.')})(?![\\w-])`);

/**
 * Field names that reveal a denied value in any resource. `amount` reveals a payment only among payments.
 */
const ANYWHERE = [
  'ssn_last_four',
  'date_of_birth',
  'principal_balance',
  'total_balance',
  'identifier_last_four',
  'borrower_name',
  'actor_email',
];
const namesOf = ({ resource }: Route) =>
  resource === 'payments' ? [...ANYWHERE, 'amount'] : ANYWHERE;

const staff = routes.filter(({ allow }) => (TENANT_ROLES as readonly string[]).includes(allow));
const readings = staff.filter(({ method }) => method === 'GET');

const stage = await newStage();
const [ground] = (await newGrounds(stage, ['ours'])) as [Ground];
const client = ground.clients.superadmin;
const samples = newSamples(client);
await tellEverything();
const before = await read();
await deny();

/** A borrower, a loan and a payment with all denied values, and the messages and documents about them. */
async function tellEverything() {
  const { email, ...named } = DENIED.borrowers;
  for (const id of await ground.idsOf('/borrowers')) await client.put(`/borrowers/${id}`, named);
  const first = async (path: string) => String((await client.get(path)).body[0].id);
  const borrower_id = await first('/borrowers');
  const whose = `/borrowers/${borrower_id}`;
  const number = { identity_type: 'ssn', identifier: '219-09-7391' };
  await client.post(`${whose}/identities`, number);
  await client.post(`${whose}/emails`, { email, is_primary: true });
  await client.post(`${whose}/invite-portal-user`, {});
  const loan = await client.post('/loans', {
    borrower_id,
    program_id: await first('/programs?sort=["id","ASC"]'),
    product_id: await first('/products?code=DEFAULT'),
    principal_amount: '8000.00',
    interest_rate: '0.085',
    term_months: 36,
  });
  const path = `/loans/${loan.body.id}`;
  await client.post(`${path}/approve`);
  await client.post(`${path}/disburse`);
  await client.post(`${path}/payments`, { ...DENIED.payments, payment_type: 'extra_principal' });
  await client.post(`${path}/payoff-quotes`);
  const question = { borrower_id, loan_id: loan.body.id, subject: 'A', description: 'B' };
  await client.post('/cases', { ...question, case_type: 'general' });
  await client.post(`/loan-tape-configs/${await first('/loan-tape-configs')}/generate`);
  await bury();
  await ground.refresh();
}

/**
 * Fails every delivery about them for good, so that they appear among the newest receiver's dead letters.
 */
async function bury() {
  await ground.owner.query(
    `with told as (
       insert into webhook_deliveries (tenant_id, subscription_id, event_id, status)
       select event.tenant_id, receiver.id, event.id, 'dead' from events as event
       cross join lateral (
         select id from webhook_subscriptions where tenant_id = $1 order by id desc limit 1
       ) as receiver
       where event.tenant_id = $1 and event.event_type in ('payment.received', 'loan.disbursed')
       on conflict do nothing
       returning tenant_id, id, subscription_id, event_id
     )
     insert into dead_letters
       (tenant_id, subscription_id, delivery_id, event_id, attempted_at, retry_count)
     select tenant_id, subscription_id, id, event_id, now(), 3 from told`,
    [ground.tenant_id],
  );
}

/** Written to the database because users cannot change their own access. */
async function deny() {
  for (const [resource, fields] of Object.entries(DENIED)) {
    const record = Object.fromEntries(Object.keys(fields).map((name) => [name, true]));
    await ground.owner.query(
      `insert into user_permissions (tenant_id, user_id, type, action, resource, record)
       select tenant_id, id, 'deny', '*', $2, $3 from users
       where tenant_id = $1 and email like 'superadmin@%'`,
      [ground.tenant_id, resource, record],
    );
  }
}

/** Every GET route, for the newest record where the route is about one. */
async function read() {
  const answers = new Map<Route, Reply>();
  for (const route of readings) answers.set(route, await client.get(await addressOf(route)));
  return answers;
}

/** The address of the newest record, with the required query parameters. */
async function addressOf({ path, query }: Route): Promise<string> {
  const [address = filled(path)] = await pathsIn(ground, path);
  const own = query ? ((await samples.bodyOf(query)) as Record<string, string>) : {};
  return `${address}?${new URLSearchParams(own).toString()}`;
}

const told = (answers: Map<Route, Reply>) =>
  [...answers]
    .filter(([, { body }]) => TOLD.test(JSON.stringify(body)))
    .map(([route]) => nameOf(route));

/** The denied values in an answer. Empty if none leaks. */
function tellsIn(route: Route, { status, body }: Reply): string[] {
  const [value] = TOLD.exec(JSON.stringify(body)) ?? [];
  const names =
    status < 300 ? fieldNamesIn(body).filter((name) => namesOf(route).includes(name)) : [];
  return [...new Set([...(value ? [value] : []), ...names])].map(
    (found) => `${nameOf(route)}: ${found}`,
  );
}

test('a denied value appears in no answer of any route that showed it before', async () => {
  const after = await read();

  const failed = [...after]
    .filter(([, { status }]) => status >= 500)
    .map(([route]) => nameOf(route));
  const refused = [...after]
    .filter(([, { status }]) => status === 403)
    .map(([route]) => nameOf(route));

  expect(failed).toEqual([]);
  expect(told(before).length, told(before).join()).toBeGreaterThan(15);
  expect([...after].flatMap(([route, reply]) => tellsIn(route, reply))).toEqual([]);
  // Files and explanations cannot be filtered, and a tape has the balance among its columns. The tenant is not a
  // sandbox.
  expect(refused.toSorted()).toEqual([
    'GET /book-exports/{id}',
    'GET /borrower-exports/{id}',
    'GET /credit-corrections/{id}/form',
    'GET /credit-dispute-answer-files/{id}/download',
    'GET /credit-reporting-files/{id}/download',
    'GET /documents/{id}',
    'GET /loan-tapes/{id}',
    'GET /loans/{id}/explain',
    'GET /nacha-files/{id}/download',
    'GET /reconciliations/{id}/download',
    'GET /sandbox',
  ]);
});

test('facts are looked up where the field exists, and history by the names of its records', async () => {
  const fields = fieldsByResource(routes);
  const isThere = ({ resource, field }: { resource: string; field: string }) =>
    resource === '*'
      ? [...fields.values()].some((names) => names.has(field))
      : fields.get(resource)?.has(field) ||
        (resource === 'loan-tapes' && field in COLUMN_DEFINITIONS);
  const { rows } = await ground.owner.query<{ entity_type: string }>(
    'select distinct entity_type from audit_log',
  );

  const facts = [...fields].flatMap(([resource, names]) =>
    [...names.keys()].map((field) => ({ resource, field })),
  );

  const sources = [...derivedFieldsByFact(routes).keys()].map((name) => {
    const at = name.lastIndexOf('.');
    return { resource: name.slice(0, at), field: name.slice(at + 1) };
  });
  const places = facts.flatMap((fact) => findFactLocations(fact, routes));
  expect([...places, ...sources].filter((place) => !isThere(place))).toEqual([]);
  expect(
    rows.map(({ entity_type }) => resourceNameOf(entity_type)).filter((name) => !fields.has(name)),
  ).toEqual([]);
});

test('no list can be sorted, filtered or searched by a denied field', async () => {
  const asked: string[] = [];
  const found: string[] = [];
  for (const route of readings.filter(({ list }) => list)) {
    const address = await addressOf(route);
    const fields = Object.keys(route.list?.fields ?? {});
    for (const name of namesOf(route).filter((field) => fields.includes(field))) {
      const queries = [`sort=["${name}","ASC"]`, `ordering=-${name}`, `${name}=1`, `${name}__gt=1`];
      for (const query of queries) {
        const { status } = await client.get(`${address}&${query}`);
        asked.push(query);
        if (status !== 422 && status !== 404) found.push(`${nameOf(route)} ${query}: ${status}`);
      }
    }
  }

  expect(found).toEqual([]);
  expect(asked.length).toBeGreaterThan(20);
});

test('no change returns a denied field, and a change that names one is refused', async () => {
  const bodies = await rightBodies(ground);
  const told: string[] = [];
  const written: string[] = [];
  for (const route of staff.filter(({ method }) => method !== 'GET')) {
    const [body] = bodies.get(nameOf(route)) ?? [];
    const [address = filled(route.path)] = await pathsIn(ground, route.path);
    const names = fieldNamesIn(body).filter((name) => namesOf(route).includes(name));
    const reply = await client.send(route.method, address, body);

    if (reply.status >= 500) told.push(`${nameOf(route)}: ${reply.status}`);
    told.push(...tellsIn(route, reply));
    if (names.length > 0 && reply.status !== 403) written.push(`${nameOf(route)}: ${names.join()}`);
  }

  expect(told).toEqual([]);
  expect(written).toEqual([]);
});
