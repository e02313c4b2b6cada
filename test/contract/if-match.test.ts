import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';
import { operations } from './openapi-document.ts';
import { writes, written } from './writes.ts';
import { collectionOf, fieldsOf, newRecords, puts } from './writable.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const superadmin = await tenant.signedIn('superadmin');
const { recordOf } = newRecords(tenant, superadmin);
const ifMatch = (value: unknown) => ({ headers: { 'If-Match': String(value) } });
const newBorrower = async () =>
  (await tenant.officer.post('/borrowers', { first_name: 'Grace', last_name: 'Hopper' })).body;

test.each(puts.map((route) => [collectionOf(route), route] as const))(
  'an outdated change of one of %s is refused and changes nothing',
  async (collection, route) => {
    const path = `${collection}/${(await recordOf(collection)).id}`;
    const read = await superadmin.get(path);
    const bodies = fieldsOf(route).flatMap(({ name, value }) =>
      [1, 2, 3].map((round) => ({ [name]: value(round, 'x') })),
    );
    let [reply, body] = [read, {}];
    for (body of bodies) {
      reply = await superadmin.put(path, body, ifMatch(read.headers['etag']));
      if (reply.status === 200 && reply.headers['etag'] !== read.headers['etag']) break;
    }
    const again = await superadmin.get(path);
    const before = await writes(stage.owner);

    const stale = await superadmin.put(path, body, ifMatch(read.headers['etag']));

    expect(read.headers['etag']).toMatch(/^"[\w-]{20,}"$/);
    expect([reply.status, again.headers['etag']]).toEqual([200, reply.headers['etag']]);
    expect(again.headers['etag']).not.toBe(read.headers['etag']);
    expect(stale).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed', request_id: expect.any(String) },
    });
    expect(written(before, await writes(stage.owner))).toEqual([]);
  },
);

test('of two simultaneous changes with the same If-Match, exactly one succeeds in every round', async () => {
  const path = `/borrowers/${(await newBorrower()).id}`;
  for (let round = 0; round < 30; round += 1) {
    const { etag } = (await superadmin.get(path)).headers;
    const put = (name: string) => superadmin.put(path, { [name]: `Text ${round}` }, ifMatch(etag));

    const replies = await Promise.all([put('first_name'), put('last_name')]);

    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  }
});

test('If-Match accepts a star and lists, compares strongly, and is refused when malformed', async () => {
  const path = `/borrowers/${(await newBorrower()).id}`;
  const etag = String((await superadmin.get(path)).headers['etag']);
  const put = async (value: string) =>
    (await superadmin.put(path, { last_name: 'Hopper' }, ifMatch(value))).status;
  const fits = ['*', ' * ', etag, `"a,b", ${etag}`, `W/"x" ,, ${etag},`, `${etag},"\xe9"`];
  const fails = ['"x"', `W/${etag}`, '"x", "y"', '""', etag.toUpperCase()];
  const unreadable = [
    etag.slice(1),
    etag.slice(0, -1),
    'x',
    ',',
    ' ',
    '*, *',
    `*, ${etag}`,
    `${etag} ${etag}`,
    `w/${etag}`,
    '"a"b"',
    `"${'a'.repeat(9e3)}`,
    `${'"a",'.repeat(2e3)}x`,
    '"a b"',
  ];

  for (const value of fits) expect([value, await put(value)]).toEqual([value, 200]);
  for (const value of fails) expect([value, await put(value)]).toEqual([value, 412]);
  for (const value of unreadable) expect([value, await put(value)]).toEqual([value, 400]);
});

test('a missing record gets 404 with any If-Match header', async () => {
  const { id } = await newBorrower();
  const path = `/borrowers/${id.slice(0, -4)}${id.endsWith('0000') ? '1111' : '0000'}`;

  expect(await superadmin.put(path, { last_name: 'X' }, ifMatch('*'))).toMatchObject({
    status: 404,
  });
});

test('the passing of days does not change a loan’s version; an officer’s change does', async () => {
  const own = await stage.tenant('2026-01-15');
  const { id } = await newLoan(own);
  const read = async () => (await own.officer.get(`/loans/${id}`)).headers['etag'];

  const first = await read();
  await travelTo(stage, own, '2026-02-20');
  const later = await read();
  await own.officer.put(`/loans/${id}`, { external_id: 'L-1' });

  expect(later).toBe(first);
  expect(await read()).not.toBe(first);
});

test('another account number with the same last digits changes the version', async () => {
  const { id } = await newBorrower();
  const path = `/borrowers/${id}/payment-instruments`;
  const bank = { routing_number: '021000021', account_number: '111123456789' };
  const made = await superadmin.post(path, bank);
  const own = `/payment-instruments/${made.body.id}`;
  const { etag } = (await superadmin.get(own)).headers;

  const other = await superadmin.put(own, { account_number: '222223456789' });

  expect(made.headers['etag']).toBe(etag);
  expect(other.body.account_number_last_four).toBe('6789');
  expect(other.headers['etag']).not.toBe(etag);
});

test('deletes and actions are also refused with an outdated If-Match', async () => {
  const { id } = await newLoan(tenant, { status: 'pending' });
  const borrower = await newBorrower();
  const stale = ifMatch('"stale"');

  const kept = await superadmin.delete(`/borrowers/${borrower.id}`, stale);
  const pending = await superadmin.post(`/loans/${id}/approve`, {}, stale);
  const labels = await superadmin.post(`/loans/${id}/add-labels`, { labels: ['x'] }, stale);
  const { etag } = (await superadmin.get(`/loans/${id}`)).headers;
  const approved = await superadmin.post(`/loans/${id}/approve`, {}, ifMatch(etag));

  expect([kept.status, pending.status, labels.status]).toEqual([412, 412, 412]);
  expect(approved).toMatchObject({ status: 200, body: { status: 'approved' } });
});

test('the settings have their own version, which does not change with the business date', async () => {
  const own = await stage.tenant('2026-01-15');
  const admin = await own.signedIn('superadmin');
  const { etag } = (await admin.get('/tenant/settings')).headers;
  await travelTo(stage, own, '2026-01-17');

  const made = await admin.put(
    '/tenant/settings',
    { idempotency: { ttl_hours: 12 } },
    ifMatch(etag),
  );
  const stale = await admin.put(
    '/tenant/settings',
    { idempotency: { ttl_hours: 13 } },
    ifMatch(etag),
  );

  expect([made.status, stale.status]).toEqual([200, 412]);
  expect(await admin.get('/tenant/settings')).toMatchObject({
    headers: { etag: made.headers['etag'] },
    body: { idempotency: { ttl_hours: 12 } },
  });
});

test('a replayed answer has its original version', async () => {
  const path = `/loans/${(await newLoan(tenant)).id}`;
  const { etag } = (await superadmin.get(path)).headers;
  const options = { headers: { ...ifMatch(etag).headers, 'Idempotency-Key': 'once-and-again' } };
  const labels = ['watch'];

  const first = await superadmin.post(`${path}/add-labels`, { labels }, options);
  await superadmin.put(path, { external_id: 'L-2' });
  const again = await superadmin.post(`${path}/add-labels`, { labels }, options);

  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.headers).toMatchObject({
    'idempotent-replayed': 'true',
    etag: first.headers['etag'],
  });
});

test('the OpenAPI document and CORS mention both headers', async () => {
  const silent = routes.filter(({ method, path, etag, ifMatch: guard, status }) => {
    const operation = operations.find(
      (each) => each.at === `/api/v1${path}` && each.method === method.toLowerCase(),
    )?.operation;
    const hasParameter = operation?.parameters.some(({ name }) => name === 'If-Match') ?? false;
    return (
      hasParameter !== (guard !== undefined) ||
      '412' in (operation?.responses ?? {}) !== hasParameter ||
      'ETag' in (operation?.responses[status]?.headers ?? {}) !== (etag !== undefined)
    );
  });
  const origin = 'https://dashboard.example.com';
  await superadmin.put('/tenant/settings', { auth: { trusted_origins: [origin] } });
  const other = await stage.listen();
  const preflight = await superadmin.at(other).send('OPTIONS', '/borrowers', undefined, {
    headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' },
  });

  expect(silent.map(nameOf)).toEqual([]);
  expect(puts.filter((route) => !route.ifMatch || !route.etag).map(nameOf)).toEqual([]);
  expect(preflight.headers['access-control-allow-headers']).toContain('If-Match');
  expect(preflight.headers['access-control-expose-headers']).toContain('ETag');
});
