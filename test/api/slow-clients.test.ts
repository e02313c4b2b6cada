import { expect, test } from 'vitest';
import { BOUNDS, type Bounds } from '../../api/http/unfinished.ts';
import {
  answerOf,
  asSent,
  becomes,
  headOf,
  signInOf,
  slowly,
  type SlowClient,
} from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const [tenant, other] = [await stage.tenant(), await stage.tenant()];

test('450 clients with half a sign-in each occupy nothing that another tenant needs', async () => {
  const { port, begin, atWork, unfinished } = await slowly(stage, { safe_ms: Infinity });
  const head = await signInOf(tenant);

  const slow: SlowClient[] = [];
  for (let count = 0; count < 450; count += 1) slow.push(await begin(`${head}{"email"`));
  const refused = () => slow.filter(({ got }) => got.includes('\r\n\r\n'));
  await becomes(() => expect(refused().length + unfinished()).toBe(450));

  expect(atWork()).toBe(0);
  expect(unfinished()).toBe(BOUNDS.strangers_per_network);
  expect(answerOf(refused()[0] as SlowClient)).toMatchObject({
    status: 429,
    retryAfter: '5',
    body: { code: 'too_many_unfinished_requests' },
  });
  const officer = other.officer.at(port);
  expect((await officer.get('/loans')).status).toBe(200);
  expect((await officer.post('/borrowers', { first_name: 'A', last_name: 'B' })).status).toBe(201);
  const visitor = other.anonymous().at(port);
  expect((await visitor.login(`admin@${other.slug}.test`, 'not the password')).status).toBe(401);
});

test('a body that has been slow for longest makes room for a new one', async () => {
  const { begin, unfinished } = await slowly(stage, { strangers_per_network: 2, safe_ms: 0 });
  const head = await signInOf(tenant);

  const first = await begin(`${head}{`);
  await becomes(() => expect(unfinished()).toBe(1));
  const second = await begin(`${head}{`);
  await becomes(() => expect(unfinished()).toBe(2));
  await begin(`${head}{`);
  await becomes(() => expect(first.isClosed).toBe(true));

  expect(answerOf(first)).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
  expect(second.got).toBe('');
  expect(unfinished()).toBe(2);
});

test('strangers behind the address of an office do not hold up those who are signed in there', async () => {
  const { begin, unfinished } = await slowly(stage, {
    strangers_per_network: 1,
    safe_ms: Infinity,
  });
  const [{ host, officer }, signIn] = [tenant, await signInOf(tenant)];
  await begin(`${signIn}{`);
  await becomes(() => expect(unfinished()).toBe(1));

  const body = JSON.stringify({ first_name: 'Slow', last_name: 'Line' });
  const headers = asSent(officer.cookies);
  const target = '/api/v1/borrowers';
  const user = await begin(headOf({ target, host, headers }, body.length) + body.slice(0, 9));
  const stranger = await begin(`${signIn}{`);
  await becomes(() => expect(unfinished()).toBe(2));
  user.socket.write(body.slice(9));

  await becomes(() => expect(answerOf(user).status).toBe(201));
  await becomes(() => expect(answerOf(stranger).status).toBe(429));
});

test.each([
  ['addresses of one IPv6 network', ['2001:db8::1', '2001:db8::2'], 429],
  ['two IPv4 addresses behind a trusted proxy', ['203.0.113.7', '203.0.113.8'], 0],
])('%s are judged together only where they are one client', async (_what, ips, status) => {
  const { begin, unfinished } = await slowly(stage, {
    strangers_per_network: 1,
    safe_ms: Infinity,
  });
  const [one = '', two = ''] = ips;
  await begin(`${await signInOf(tenant, one)}{`);
  await becomes(() => expect(unfinished()).toBe(1));

  const second = await begin(`${await signInOf(tenant, two)}{`);

  await becomes(() => expect(unfinished() + (second.got ? 1 : 0)).toBe(2));
  await becomes(() => expect(answerOf(second).status).toBe(status));
});

test.each<[string, Partial<Bounds>, number]>([
  ['a session', { per_session: 1 }, 429],
  ['the users of a tenant', { users_per_tenant: 1 }, 503],
  ['a network', { per_network: 1 }, 429],
  ['a process', { in_all: 1 }, 503],
  ['the memory for bodies', { bytes_in_all: 3, safe_ms: 0 }, 408],
])('%s has a bound of unfinished bodies', async (_what, bounds, status) => {
  const { begin, unfinished } = await slowly(stage, { safe_ms: Infinity, ...bounds });
  const headers = asSent(tenant.officer.cookies);
  const head = headOf({ target: '/api/v1/borrowers', host: tenant.host, headers });
  const first = await begin(`${head}{"`);
  await becomes(() => expect(unfinished()).toBe(1));

  const second = await begin(`${head}{"`);
  const refused = status === 408 ? first : second;
  await becomes(() => expect(answerOf(refused).status).toBe(status));

  expect(answerOf(refused).retryAfter).toBeDefined();
});

test('a body that comes more slowly than the minimum rate is refused with a reason', async () => {
  const { begin, atWork, unfinished } = await slowly(stage, {}, { grace_ms: 200 });

  const slow = await begin(`${await signInOf(tenant)}{`);
  await becomes(() => expect(slow.isClosed).toBe(true));

  expect(answerOf(slow)).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
  expect(answerOf(slow).body.message).toContain('Send the request again.');
  expect([atWork(), unfinished()]).toEqual([0, 0]);
});
