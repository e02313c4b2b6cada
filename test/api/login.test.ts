import { expect, test } from 'vitest';
import { hashPassword } from '../../jobs/users/sign-in/passwords.ts';
import { newClient } from '../setup/client.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();

test('of two hundred simultaneous sign-ins at four processes, exactly ten are checked', async () => {
  const tenant = await stage.tenant();
  const ports = [stage.port, ...(await Promise.all([1, 2, 3].map(() => stage.listen())))];
  await stage.owner.query('delete from throttle_hits where tenant_id = $1', [tenant.id]);
  const clients = Array.from({ length: 200 }, (_, at) =>
    newClient(ports[at % 4] ?? 0, tenant.host),
  );

  const replies = await Promise.all(
    clients.map((client, at) =>
      client.login(`viewer@${tenant.slug}.test`, at < 100 ? PASSWORD : 'no'),
    ),
  );
  const late = replies.filter(({ status }) => status === 429);

  expect(late).toHaveLength(190);
  for (const { body, headers } of late) {
    expect(body).toMatchObject({ code: 'throttled', details: { retry_after: expect.any(Number) } });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  }
});

test('guesses at one account from many addresses are counted together, for known and unknown accounts', async () => {
  const tenant = await stage.tenant();
  const proxied = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const guess = async (email: string, at: number) => {
    const client = newClient(proxied, tenant.host);
    await client.get('/auth/csrf');
    const headers = { 'X-Forwarded-For': `203.0.113.${at}` };
    return client.post('/auth/login', { email, password: 'wrong' }, { headers });
  };
  const statuses = async (email: string, offset: number) => {
    const found: number[] = [];
    for (let at = 0; at < 11; at += 1) found.push((await guess(email, offset + at)).status);
    return found;
  };

  const known = await statuses(`admin@${tenant.slug}.test`, 0);
  const unknown = await statuses('nobody@example.com', 100);

  expect(known).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect(unknown).toEqual(known);
});

test('signing in from a neighbor’s address does not lock the neighbor out', async () => {
  const tenant = await stage.tenant();
  const proxied = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const from = async (ip: string, email: string, password: string) => {
    const client = newClient(proxied, tenant.host);
    await client.get('/auth/csrf');
    return client.post('/auth/login', { email, password }, { headers: { 'X-Forwarded-For': ip } });
  };
  for (let at = 0; at < 10; at += 1) await from(`203.0.113.${at}`, '198.51.100.7', 'x');

  const reply = await from('198.51.100.7', `viewer@${tenant.slug}.test`, PASSWORD);

  expect(reply.status).toBe(200);
});

test('a wrong password, an unknown address and an inactive user get the same answer', async () => {
  const tenant = await stage.tenant();
  await stage.owner.query('update users set is_active = false where id = $1', [
    tenant.userIds['collector'],
  ]);
  const attempt = async (email: string, password: string) => {
    const { status, body, headers } = await tenant.anonymous().login(email, password);
    const { request_id: _, ...answer } = body;
    return { status, answer, headers: Object.keys(headers).toSorted() };
  };

  const wrong = await attempt(`viewer@${tenant.slug}.test`, 'not the password');
  const unknown = await attempt('nobody@example.com', PASSWORD);
  const inactive = await attempt(`collector@${tenant.slug}.test`, PASSWORD);
  const invited = await attempt(`viewer@${tenant.slug}.test`, '');

  expect(wrong).toMatchObject({ status: 401, answer: { code: 'invalid_credentials' } });
  expect(unknown).toEqual(wrong);
  expect(inactive).toEqual(wrong);
  expect(invited.status).toBe(422);
});

test('an unknown address takes as long as a wrong password', async () => {
  const tenant = await stage.tenant();
  await stage.owner.query(
    `update tenants set settings = '{"throttle": {"login": 60}}' where id = $1`,
    [tenant.id],
  );
  const hash = await hashPassword(PASSWORD);
  await stage.owner.query('update users set password_hash = $1', [hash]);
  const client = tenant.anonymous();
  await client.get('/auth/csrf');
  const asked = async (email: string) => {
    const started = performance.now();
    await client.post('/auth/login', { email, password: 'wrong' });
    return performance.now() - started;
  };
  let [wrong, unknown] = [Infinity, Infinity];
  const isAlike = () => unknown / wrong > 0.5 && unknown / wrong < 2;

  // Alternates both and keeps the shortest time of each, because other load can only make a run longer.
  for (let at = 0; at < 25 && (at < 6 || !isAlike()); at += 1) {
    wrong = Math.min(wrong, await asked(`viewer@${tenant.slug}.test`));
    unknown = Math.min(unknown, await asked('nobody@example.com'));
  }

  expect({ wrong, unknown, isAlike: isAlike() }).toMatchObject({ isAlike: true });
});

test.each([
  [{ email: { $ne: null }, password: ['a'] }],
  [{ email: 1, password: 2 }],
  [{ email: null, password: null }],
  [{}],
  [{ email: 'a@b.test', password: 'x'.repeat(2_000) }],
  [{ email: `${'a'.repeat(300)}@b.test`, password: 'x' }],
  [{ email: 'a\u0000@b.test', password: 'x' }],
])('credentials like %j are a malformed body', async (body) => {
  const tenant = await stage.tenant();
  const client = tenant.anonymous();
  await client.get('/auth/csrf');

  const reply = await client.post('/auth/login', body);

  expect(reply).toMatchObject({ status: 422, body: { code: 'validation_error' } });
});

test('an IPv4 address is counted once, however a proxy writes it', async () => {
  const port = await stage.listen({ TRUSTED_PROXIES: ['127.0.0.1'] });
  const eleven = async (address: (at: number) => string) => {
    const client = newClient(port, (await stage.tenant()).host);
    await client.get('/auth/csrf');
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) {
      const headers = { 'X-Forwarded-For': address(at) };
      const body = { email: `nobody-${at}@example.com`, password: 'wrong' };
      statuses.push((await client.post('/auth/login', body, { headers })).status);
    }
    return statuses;
  };

  const apart = await eleven((at) => `::ffff:198.51.100.${at}`);
  const same = await eleven((at) => ['198.51.100.7', '::ffff:c633:6407'][at % 2] ?? '');

  expect(apart).toEqual(Array.from({ length: 11 }, () => 401));
  expect(same).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
});
