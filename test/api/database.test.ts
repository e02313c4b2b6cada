import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'koa';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { isReplicaReadable, noteLongWrites } from '../../api/http/replica.ts';
import { routes } from '../../api/routes.ts';
import { sql, type Transaction } from '../../sql/database/db.ts';
import { within } from '../../sql/database/within.ts';
import { LAG_MAX_MS, openReplica } from '../../sql/database/replica.ts';
import type { Client } from '../setup/client.ts';
import { newReplicatedPlatform, waitUntil } from '../setup/replicated.ts';
import { queryOnce } from '../setup/standby.ts';

const world = await newReplicatedPlatform();
const { postgres, standby, outcomes, changes, clock, lines, areFit } = world;
const [{ pool, replica }, { port: other }] = world.processes;
const tenant = await world.tenant('tenant');
const officer = await tenant.signedIn('loan_officer');
const colleague = await tenant.signedIn('admin');
const client = await tenant.signedIn('viewer');

// Also after a failure, which would otherwise make the following tests fail.
afterEach(async () => {
  clock.go();
  await standby.resume().catch(() => undefined);
});

const namesIn = async (reader: Client) =>
  ((await reader.get('/borrowers')).body as { last_name: string }[]).map((row) => row.last_name);
const borrow = async (last_name: string) =>
  (await officer.post('/borrowers', { first_name: 'A', last_name })).body.id as string;
const answeredBy = async (steps: () => Promise<unknown>) => {
  outcomes.length = 0;
  await steps();
  return [...outcomes];
};

test('every list and report can be read from a standby by each role that may read it', async () => {
  const superadmin = await tenant.signedIn('superadmin');
  await borrow('Known');
  await world.aMinuteLater();
  const plain = routes.filter((route) => isReplicaReadable(route) && !route.path.includes('{'));
  const readByStaff = plain.filter(({ allow, query }) => allow !== 'borrower' && !query);

  const failed: string[] = [];
  for (const { path } of readByStaff) {
    const by = await answeredBy(() => superadmin.get(path));
    if (by.join() !== 'replica') failed.push(`${path}: ${by.join()}`);
  }
  const alone = await answeredBy(() => superadmin.get('/users/me'));

  expect(failed).toEqual([]);
  expect(readByStaff.length).toBeGreaterThan(30);
  expect(alone).toEqual([]);
  // A record whose version a change must name is not read from the replica.
  expect(routes.filter((route) => isReplicaReadable(route) && (route.etag ?? route.body))).toEqual(
    [],
  );
  expect(routes.filter((route) => route.list && !isReplicaReadable(route))).toEqual([]);
});

test('on a standby, a tenant sees only its own rows', async () => {
  const stranger = await (await world.tenant('stranger')).signedIn('superadmin');
  await world.aMinuteLater();

  const by = await answeredBy(async () => {
    expect(await namesIn(stranger)).toEqual([]);
    expect(await namesIn(colleague)).toContain('Known');
  });

  expect(by).toEqual(['replica', 'replica']);
});

test('a writer sees the change immediately, in every process; other users see it within the allowed lag', async () => {
  await world.aMinuteLater();
  await waitUntil(areFit);
  clock.stop();
  changes.length = 0;
  await standby.pause();
  const id = await borrow('Late');

  const own = await namesIn(officer);
  const ownElsewhere = await namesIn(officer.at(other));
  const meanwhile = await answeredBy(async () =>
    expect(await namesIn(colleague.at(other))).not.toContain('Late'),
  );
  const single = await colleague.get(`/borrowers/${id}`);
  const below = await colleague.get(`/borrowers/${id}/addresses`);
  clock.pass(LAG_MAX_MS + 1);
  await waitUntil(() => changes.filter((change) => change.includes('lags')).length === 2);
  const late = await answeredBy(async () => expect(await namesIn(colleague)).toContain('Late'));
  clock.go();
  await standby.resume();
  await waitUntil(areFit);
  const again = await answeredBy(async () => expect(await namesIn(colleague)).toContain('Late'));

  expect(own).toContain('Late');
  expect(ownElsewhere).toContain('Late');
  expect([single.status, below.status]).toEqual([200, 200]);
  expect([meanwhile, late, again]).toEqual([['replica'], ['unfit'], ['replica']]);
  expect(changes.slice(-2)).toEqual(['fit', 'fit']);
  expect(changes.length).toBe(4);
});

test('the age of a write counts from the end of its request, not the start', async () => {
  await world.aMinuteLater();
  const [session] = await queryOnce(postgres.url, 'select id from sessions limit 1');
  const ctx = {
    method: 'POST',
    state: { user: { session_id: session?.['id'] }, tenant: { id: tenant.id } },
  } as unknown as Context;

  await noteLongWrites({ pool, replica }, 0)(ctx, async () => {});

  expect(
    await queryOnce(
      postgres.url,
      `select id from sessions where last_write_at > now() - interval '5s'`,
    ),
  ).toEqual([session]);
});

test('a query that log replay cancels on the standby is sent to the primary', async () => {
  const IsStandby = sql.type(z.object({ is_standby: z.boolean() }));
  const asking = Promise.withResolvers<void>();
  const steps = async (tx: Transaction) => {
    const { is_standby } = await tx.one(IsStandby`
      select pg_is_in_recovery() as is_standby from (select count(*) from loans) as counted
    `);
    asking.resolve();
    if (is_standby) await tx.query(sql.typeAlias('void')`select pg_sleep(4)`);
    return is_standby;
  };
  const mode = { isRepeated: false } as const;

  const reading = replica.read((from) => within(from, tenant.id, steps, mode));
  await asking.promise;
  await queryOnce(postgres.url, 'begin; lock table loans in access exclusive mode; commit');

  expect(await reading).toBe(false);
  expect(outcomes.at(-1)).toBe('asked_again');
  expect(replica.isFit()).toBe(true);
});

test('lists keep working while the standby is down, and use it again when it is back', async () => {
  await world.aMinuteLater();
  await waitUntil(areFit);
  changes.length = 0;
  outcomes.length = 0;
  const running = { isOver: false };
  const statuses: number[] = [];
  const lists = async (reader: Client) => {
    while (!running.isOver) statuses.push((await reader.get('/borrowers')).status);
  };

  const asking = [lists(client), lists(colleague), lists(colleague.at(other))];
  await wait(200);
  await standby.stop('immediate');
  await wait(1_500);
  const whileAway = outcomes.at(-1);
  await standby.restart();
  await waitUntil(areFit);
  running.isOver = true;
  await Promise.all(asking);
  const meanwhile = new Set(outcomes);
  const after = await answeredBy(() => colleague.get('/borrowers'));

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(meanwhile).toEqual(new Set(['replica', 'asked_again', 'unfit']));
  expect(whileAway).toBe('unfit');
  expect(after).toEqual(['replica']);
  expect(changes).toEqual([expect.any(String), expect.any(String), 'fit', 'fit']);
});

test.each([
  ['the primary itself', () => postgres.url, 'names no standby'],
  ['another database', () => standby.url.replace(/\w+$/, 'postgres'), 'names another database'],
])('%s is not accepted as a replica', async (_what, url, reason) => {
  const problems: string[] = [];
  const wrong = await openReplica({
    primary: pool,
    primaryUrl: postgres.url,
    url: url(),
    size: 2,
    environment: 'test',
    onRead: () => {},
    onChange: (problem) => problems.push(problem?.message ?? 'fit'),
  });
  const isFit = wrong.isFit();
  await wrong.end();

  expect(isFit).toBe(false);
  expect(problems).toEqual([expect.stringContaining(reason)]);
});

test('a login that can see all tenants is refused for the replica too', async () => {
  const opening = openReplica({
    primary: pool,
    primaryUrl: postgres.url,
    url: standby.url,
    size: 2,
    environment: 'production',
    onRead: () => {},
    onChange: () => {},
  });

  await expect(opening).rejects.toThrow('The login of DATABASE_REPLICA_URL could see all tenants');
});

test('while the database is down, requests get 503, and they work again afterwards', async () => {
  const ask = async () => [
    await client.get('/users/me'),
    await client.get('/borrowers'),
    await client.post('/borrowers', { first_name: 'A', last_name: 'B' }),
    await client.get('//readyz'),
    await client.get('//healthz'),
  ];
  const token = client.cookies.get('csrftoken');

  const before = await ask();
  await postgres.stop();
  const away = await ask();
  const page = await client.get('//portal/sign-in');
  await postgres.restart();
  const after = await ask();

  expect(before.map(({ status }) => status)).toEqual([200, 200, 403, 200, 200]);
  expect(away.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200]);
  for (const reply of away.slice(0, 3)) {
    expect(reply.body).toMatchObject({ code: 'unavailable', request_id: expect.any(String) });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    // The session token does not change. The tenant of a host that must be looked up again is unknown.
    const cookies = [reply.headers['set-cookie'] ?? []].flat();
    expect(cookies.filter((cookie) => !cookie.startsWith(`csrftoken=${token};`))).toEqual([]);
  }
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  expect(page.body).toContain('Service temporarily unavailable');
  expect(after.map(({ status }) => status)).toEqual([200, 200, 403, 200, 200]);
  expect(lines.join('')).toContain('unavailable');
});
