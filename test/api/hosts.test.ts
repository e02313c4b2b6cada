import { expect, test } from 'vitest';
import { createUser } from '../../jobs/users/create-user.ts';
import { newClient } from '../setup/client.ts';
import { sendRaw } from '../setup/raw-socket.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const other = await stage.tenant();

const at = (host: string, port = stage.port) => newClient(port, host);

test('an unknown host gets 404 and no cookie', async () => {
  const reply = await at('unknown.example.net').get('/auth/csrf');

  expect(reply).toMatchObject({ status: 404, body: { code: 'tenant_not_found' } });
  expect(reply.headers['set-cookie']).toBeUndefined();
  expect(reply.body.request_id).toBe(reply.headers['x-request-id']);
});

test.each([
  [`${other.host}:fake@${tenant.host}`],
  ['tenant_1.test'],
  ['a..test'],
  ['-tenant.test'],
  [`${'a'.repeat(60)}.`.repeat(5)],
  [`${tenant.host}/x`],
  [`${tenant.host},${other.host}`],
  [`${tenant.host}:123456`],
  ['[::1]'],
])('the host %s is malformed', async (host) => {
  const reply = await at(host).get('/auth/csrf');

  expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_host' } });
  expect(reply.headers['set-cookie']).toBeUndefined();
});

test.each([
  ['an empty one', 'Host: \r\n'],
  ['none', ''],
  ['two', `Host: ${tenant.host}\r\nHost: ${other.host}\r\n`],
  ['the same one twice', `Host: ${tenant.host}\r\nHost: ${tenant.host}\r\n`],
])('a request whose Host header is %s is refused', async (_, header) => {
  const answer = await sendRaw(
    stage.port,
    `GET /api/v1/auth/csrf HTTP/1.1\r\n${header}Connection: close\r\n\r\n`,
  );

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).not.toMatch(/set-cookie/i);
});

test.each([
  [tenant.host.toUpperCase()],
  [`${tenant.host}.`],
  [`${tenant.host}:443`],
  [`${tenant.host.toUpperCase()}.:3000`],
])('%s is another spelling of the same tenant', async (host) => {
  const officer = at(host);

  const reply = await officer.login(`viewer@${tenant.slug}.test`, PASSWORD);

  expect(reply).toMatchObject({ status: 200, body: { email: `viewer@${tenant.slug}.test` } });
});

test('X-Forwarded-Host counts only from a known proxy, and then its last value counts', async () => {
  const behindProxy = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const viewer = await other.signedIn('viewer');
  const cookie = [...viewer.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = (forwarded: string) => ({
    headers: { 'X-Forwarded-Host': forwarded, Cookie: cookie },
  });

  const fromAnybody = await at(tenant.host).get('/users/me', headers(other.host));
  const fromProxy = await at(tenant.host, behindProxy).get('/users/me', headers(other.host));
  const prepended = await at(tenant.host, behindProxy).get(
    '/users/me',
    headers(`${other.host}, ${tenant.host}`),
  );

  expect(fromAnybody.status).toBe(401);
  expect(fromProxy).toMatchObject({ status: 200, body: { email: `viewer@${other.slug}.test` } });
  expect(prepended.status).toBe(401);
});

test('a session of one tenant is not valid at another tenant’s host', async () => {
  const viewer = await tenant.signedIn('viewer');
  const stranger = at(other.host);
  for (const [name, value] of viewer.cookies) stranger.cookies.set(name, value);

  const reply = await stranger.get('/users/me');

  expect(reply).toMatchObject({ status: 401, body: { code: 'not_authenticated' } });
});

test('the same address in two tenants belongs to two users with two passwords', async () => {
  const email = 'twice@both.test';
  const user = { email, first_name: 'T', last_name: 'W', tenant_role: 'viewer' };
  await tenant.within((work) => createUser(work, { ...user, password: 'only at the first' }));
  await other.within((work) => createUser(work, { ...user, password: 'only at the other' }));

  const right = await at(tenant.host).login(email, 'only at the first');
  const wrong = await at(other.host).login(email, 'only at the first');

  expect([right.status, wrong.status]).toEqual([200, 401]);
});

test('a tenant that is switched off gets 404', async () => {
  const closed = await stage.tenant();
  const fresh = await stage.listen();
  await stage.owner.query('update tenants set is_active = false where id = $1', [closed.id]);

  const reply = await at(closed.host, fresh).get('/auth/csrf');

  expect(reply.status).toBe(404);
});

test.each([
  ['an address', '203.0.113.9', '203.0.113.9'],
  ['one with a control character', '1.2.3.4\x85', '127.0.0.1'],
  ['a word', 'unknown', '127.0.0.1'],
  ['an address that others prepended words to', 'x\x85, 2001:db8::7', '2001:db8::7'],
])('X-Forwarded-For with %s leaves a security log that can be read', async (_, said, kept) => {
  const port = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const fresh = await stage.tenant();
  const client = newClient(port, fresh.host);
  await client.get('/auth/csrf');
  const account = { email: `viewer@${fresh.slug}.test`, password: 'wrong' };

  await client.post('/auth/login', account, { headers: { 'X-Forwarded-For': said } });
  const superadmin = await fresh.signedIn('superadmin');
  const log = await superadmin.get('/security-log');

  expect(log.status).toBe(200);
  const { rows } = await stage.owner.query(
    `select ip_address from security_log where tenant_id = $1 and outcome <> 'done'`,
    [fresh.id],
  );
  expect(rows).toEqual([{ ip_address: kept }]);
});

test('a security log entry with a control character can be read', async () => {
  const fresh = await stage.tenant();
  const superadmin = await fresh.signedIn('superadmin');
  await stage.owner.query(
    `insert into security_log (tenant_id, event, outcome, route, ip_address)
     values ($1, 'login', 'refused', 'POST /auth/login', E'1.2.3.4\\u0085')`,
    [fresh.id],
  );

  const log = await superadmin.get('/security-log?filter={"outcome":"refused"}');

  expect(log.status).toBe(200);
  expect(JSON.stringify(log.body)).toContain('1.2.3.4\x85');
});

test('a proxy can be trusted by its network', async () => {
  const listening = (network: string) => stage.listen({ TRUSTED_PROXIES: [network] });
  const [inside, outside] = [await listening('127.0.0.0/8'), await listening('10.0.0.0/8')];
  const forged = { headers: { 'X-Forwarded-Host': other.host } };

  const heard = await at('unknown.example.net', inside).get('/auth/csrf', forged);
  const unheard = await at('unknown.example.net', outside).get('/auth/csrf', forged);

  expect([heard.status, unheard.status]).toEqual([200, 404]);
});
