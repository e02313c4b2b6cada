import { expect, test } from 'vitest';
import { BODY_BOUNDS, type BodyBounds } from '../../api/http/bodies-in-flight.ts';
import {
  parseAnswer,
  clientHeaders,
  waitForAssertion,
  requestHead,
  signInRequestHead,
  startSlowClients,
  type SlowClient,
} from '../setup/slow-clients.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const [tenant, other] = [await stage.tenant(), await stage.tenant()];

test('450 clients with an unfinished sign-in do not slow other tenants down', async () => {
  const { port, begin, atWork, unfinished } = await startSlowClients(stage, { safe_ms: Infinity });
  const head = await signInRequestHead(tenant);

  const slow: SlowClient[] = [];
  for (let count = 0; count < 450; count += 1) slow.push(await begin(`${head}{"email"`));
  const refused = () => slow.filter(({ got }) => got.includes('\r\n\r\n'));
  await waitForAssertion(() => expect(refused().length + unfinished()).toBe(450));

  expect(atWork()).toBe(0);
  expect(unfinished()).toBe(BODY_BOUNDS.strangers_per_network);
  expect(parseAnswer(refused()[0] as SlowClient)).toMatchObject({
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

test('the body that has been slow for longest is dropped to make room for a new one', async () => {
  const { begin, unfinished } = await startSlowClients(stage, {
    strangers_per_network: 2,
    safe_ms: 0,
  });
  const head = await signInRequestHead(tenant);

  const first = await begin(`${head}{`);
  await waitForAssertion(() => expect(unfinished()).toBe(1));
  const second = await begin(`${head}{`);
  await waitForAssertion(() => expect(unfinished()).toBe(2));
  await begin(`${head}{`);
  await waitForAssertion(() => expect(first.isClosed).toBe(true));

  expect(parseAnswer(first)).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
  expect(second.got).toBe('');
  expect(unfinished()).toBe(2);
});

test('anonymous clients behind an office’s address do not slow down its signed-in users', async () => {
  const { begin, unfinished } = await startSlowClients(stage, {
    strangers_per_network: 1,
    safe_ms: Infinity,
  });
  const [{ host, officer }, signIn] = [tenant, await signInRequestHead(tenant)];
  await begin(`${signIn}{`);
  await waitForAssertion(() => expect(unfinished()).toBe(1));

  const body = JSON.stringify({ first_name: 'Slow', last_name: 'Line' });
  const headers = clientHeaders(officer.cookies);
  const target = '/api/v1/borrowers';
  const user = await begin(requestHead({ target, host, headers }, body.length) + body.slice(0, 9));
  const stranger = await begin(`${signIn}{`);
  await waitForAssertion(() => expect(unfinished()).toBe(2));
  user.socket.write(body.slice(9));

  await waitForAssertion(() => expect(parseAnswer(user).status).toBe(201));
  await waitForAssertion(() => expect(parseAnswer(stranger).status).toBe(429));
});

test.each([
  ['addresses of one IPv6 network', ['2001:db8::1', '2001:db8::2'], 429],
  ['two IPv4 addresses behind a trusted proxy', ['203.0.113.7', '203.0.113.8'], 0],
])('%s are limited together only if they are one client', async (_what, ips, status) => {
  const { begin, unfinished } = await startSlowClients(stage, {
    strangers_per_network: 1,
    safe_ms: Infinity,
  });
  const [one = '', two = ''] = ips;
  await begin(`${await signInRequestHead(tenant, one)}{`);
  await waitForAssertion(() => expect(unfinished()).toBe(1));

  const second = await begin(`${await signInRequestHead(tenant, two)}{`);

  await waitForAssertion(() => expect(unfinished() + (second.got ? 1 : 0)).toBe(2));
  await waitForAssertion(() => expect(parseAnswer(second).status).toBe(status));
});

test.each<[string, Partial<BodyBounds>, number]>([
  ['a session', { per_session: 1 }, 429],
  ['the users of a tenant', { users_per_tenant: 1 }, 503],
  ['a network', { per_network: 1 }, 429],
  ['a process', { in_all: 1 }, 503],
  ['the memory for bodies', { bytes_in_all: 3, safe_ms: 0 }, 408],
])('%s has a bound of unfinished bodies', async (_what, bounds, status) => {
  const { begin, unfinished } = await startSlowClients(stage, { safe_ms: Infinity, ...bounds });
  const headers = clientHeaders(tenant.officer.cookies);
  const head = requestHead({ target: '/api/v1/borrowers', host: tenant.host, headers });
  const first = await begin(`${head}{"`);
  await waitForAssertion(() => expect(unfinished()).toBe(1));

  const second = await begin(`${head}{"`);
  const refused = status === 408 ? first : second;
  await waitForAssertion(() => expect(parseAnswer(refused).status).toBe(status));

  expect(parseAnswer(refused).retryAfter).toBeDefined();
});

test('a body that arrives below the minimum rate is refused with a reason', async () => {
  const { begin, atWork, unfinished } = await startSlowClients(stage, {}, { grace_ms: 200 });

  const slow = await begin(`${await signInRequestHead(tenant)}{`);
  await waitForAssertion(() => expect(slow.isClosed).toBe(true));

  expect(parseAnswer(slow)).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
  expect(parseAnswer(slow).body.message).toContain('Send the request again.');
  expect([atWork(), unfinished()]).toEqual([0, 0]);
});
