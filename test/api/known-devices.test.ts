import { expect, onTestFinished, test } from 'vitest';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { userEmail, deviceCookies, newBrowsers } from '../setup/browsers.ts';
import { newClient, type Client } from '../setup/client.ts';
import { newOutside } from '../setup/outside.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const { port: proxied, browser, guess } = await newBrowsers(stage);

test('guesses from elsewhere do not block the right password on a known device', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const own = await browser(tenant);
  await own.login(email);

  const guesses = await guess(tenant, email, 12);
  const back = await (await browser(tenant, deviceCookies(own.cookies))).login(email);
  const stranger = await (await browser(tenant)).login(email);

  expect(guesses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  expect(back.status).toBe(200);
  expect(stranger.status).toBe(429);
});

test('right passwords are not counted against an account', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');

  const statuses: number[] = [];
  for (let at = 0; at < 12; at += 1)
    statuses.push((await (await browser(tenant)).login(email)).status);
  const guesses = await guess(tenant, email, 11);

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(guesses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
});

test('of many simultaneous guesses at one account from many addresses, ten are checked', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const strangers = await Promise.all(Array.from({ length: 40 }, () => browser(tenant)));

  const replies = await Promise.all(strangers.map((stranger) => stranger.login(email, 'wrong')));

  expect(replies.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(30);
});

test('a known device may guess no more often than others, and has its own count', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const own = await browser(tenant);
  await own.login(email);
  const other = await browser(tenant);
  await other.login(email);

  const statuses: number[] = [];
  for (let at = 0; at < 11; at += 1) {
    const moved = await browser(tenant, deviceCookies(own.cookies));
    statuses.push((await moved.login(email, 'wrong')).status);
  }
  const neighbour = await (await browser(tenant, deviceCookies(other.cookies))).login(email);
  const stranger = await (await browser(tenant)).login(email);

  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect([neighbour.status, stranger.status]).toEqual([200, 200]);
});

test('a device stays known for as long as SECRET contains the key of its mark', async () => {
  const A = 'the secret that was there at first';
  const B = '2026b:another secret that is long enough as well';
  const { keys } = stage.installation;
  onTestFinished(() => void (stage.installation.keys = keys));
  const use = (secret: string) => void (stage.installation.keys = deriveKeys(secret));
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const [own, idle] = [await browser(tenant), await browser(tenant)];
  use(A);
  await own.login(email);
  await idle.login(email);
  await guess(tenant, email, 10);
  const back = async (from: Map<string, string>) => {
    const moved = await browser(tenant, deviceCookies(from));
    return { ...moved, status: (await moved.login(email)).status };
  };

  use(`${B},${A}`);
  const rotated = await back(own.cookies);
  use(B);
  const later = await back(rotated.cookies);
  const forgotten = await back(idle.cookies);

  expect([rotated.status, later.status, forgotten.status]).toEqual([200, 200, 429]);
});

test('the mark of a device is bound to its tenant and user, grants nothing else and cannot be forged', async () => {
  const tenant = await stage.tenant();
  const neighbour = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const own = await browser(tenant);
  const reply = await own.login(email);
  const colleague = await browser(tenant);
  await colleague.login(userEmail(tenant, 'collector'));
  const foreign = await browser(neighbour);
  await foreign.login(userEmail(neighbour, 'viewer'));
  await guess(tenant, email, 10);
  const value = own.cookies.get('known_device') ?? '';
  const made = (text: string) => browser(tenant, new Map([['known_device', text]]));
  const flipped = value.replace(/.$/, (letter) => (letter === 'A' ? 'E' : 'A'));
  const renamed = value.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));

  const refused = [
    await (await browser(tenant, deviceCookies(colleague.cookies))).login(email),
    await (await browser(tenant, deviceCookies(foreign.cookies))).login(email),
    ...(await Promise.all(
      [flipped, renamed, value.slice(0, 22), 'x', `${value}.`, value.repeat(20), '.....'].map(
        async (text) => (await made(text)).login(email),
      ),
    )),
  ];
  const wrong = await (await made(value)).login(email, 'wrong');
  const client = newClient(stage.port, tenant.host, deviceCookies(own.cookies));
  const me = await client.get('/users/me');
  const [line = ''] = [reply.headers['set-cookie'] ?? []]
    .flat()
    .filter((cookie) => cookie.startsWith('known_device='));

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 429));
  expect([wrong.status, me.status]).toEqual([401, 401]);
  expect(line).toMatch(/httponly/i);
  expect(line).toMatch(/samesite=lax/i);
  expect(line).toMatch(/path=\/api\/v1\/auth/i);
  expect(value).not.toContain(tenant.userIds['viewer']);
});

test('a device is known for each user who signs in on it', async () => {
  const tenant = await stage.tenant();
  const shared = await browser(tenant);
  await shared.login(userEmail(tenant, 'viewer'));
  await shared.login(userEmail(tenant, 'collector'));
  await guess(tenant, userEmail(tenant, 'viewer'), 10);
  await guess(tenant, userEmail(tenant, 'collector'), 10);

  const replies = [
    await (await browser(tenant, deviceCookies(shared.cookies))).login(userEmail(tenant, 'viewer')),
    await (
      await browser(tenant, deviceCookies(shared.cookies))
    ).login(userEmail(tenant, 'collector')),
  ];

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
});

test('attempts on unknown accounts are counted like those on known accounts, on any device', async () => {
  const tenant = await stage.tenant();
  const own = await browser(tenant);
  await own.login(userEmail(tenant, 'viewer'));

  const statuses: number[] = [];
  for (let at = 0; at < 11; at += 1) {
    const moved = await browser(tenant, deviceCookies(own.cookies));
    statuses.push((await moved.login('nobody@example.com', 'wrong')).status);
  }
  const known = await guess(tenant, userEmail(tenant, 'admin'), 11);

  expect(statuses).toEqual(known);
});

test('clients in one IPv6 network are counted as one', async () => {
  const tenant = await stage.tenant();
  const statuses: number[] = [];
  for (let at = 0; at < 11; at += 1) {
    const client = newClient(proxied, tenant.host);
    await client.get('/auth/csrf');
    const headers = { 'X-Forwarded-For': `2001:db8:1:2::${at + 1}` };
    const body = { email: `nobody-${at}@example.com`, password: 'wrong' };
    statuses.push((await client.post('/auth/login', body, { headers })).status);
  }

  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
});

test('a user who opens a reset link can sign in while others guess at the account', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  await guess(tenant, email, 11);
  const outside = newOutside(stage.pool);
  const user_id = tenant.userIds['viewer'] ?? '';
  const payload = { tenant_id: tenant.id, user_id, attempt: 1 };
  await sendAccountMessage.run({ ...payload, message: 'password_reset' }, outside);
  const html = outside.mailbox[0]?.html.replaceAll('&#x3D;', '=') ?? '';
  const token = /token=([A-Za-z0-9_-]{43})/.exec(html)?.[1] ?? '';
  const fresh = await browser(tenant);

  const reset = await fresh.post('/auth/password/reset', { token, password: 'a lamp of my own' });
  const login = await fresh.login(email, 'a lamp of my own');

  expect([reset.status, login.status]).toEqual([200, 200]);
});

test('requesting links for another user neither floods the mailbox nor locks the user out', async () => {
  const tenant = await stage.tenant();
  const email = userEmail(tenant, 'viewer');
  const own = await browser(tenant);
  await own.login(email);
  const ask = async (cookies?: Client['cookies']) =>
    (await browser(tenant, cookies)).post('/auth/password/request', { email });

  const strangers = [];
  for (let at = 0; at < 12; at += 1) strangers.push(await ask());
  const owner = await ask(deviceCookies(own.cookies));
  const { rows } = await stage.owner.query(
    `select job.payload->>'user_id' as user_id from graphile_worker._private_jobs as job
     where job.payload->>'tenant_id' = $1 and job.payload->>'message' = 'password_reset'
     order by job.id`,
    [tenant.id],
  );
  const told = rows.map(({ user_id }) => user_id === tenant.userIds['viewer']);

  expect(new Set(strangers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(owner).toMatchObject({ status: 200, body: strangers[0]?.body });
  expect(told).toEqual([true, true, true, ...Array.from({ length: 9 }, () => false), true]);
});

test('a stolen session cannot stop its user from setting a new password', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { throttle: { reset: 3 } });
  const own = await browser(tenant);
  await own.login(userEmail(tenant, 'viewer'));
  const stolen = new Map([...own.cookies].filter(([name]) => name !== 'known_device'));
  const change = async (cookies: Client['cookies'], current_password: string) => {
    const client = await browser(tenant, new Map(cookies));
    return client.post('/auth/password/change', {
      current_password,
      new_password: 'a lamp of mine',
    });
  };

  const guesses: number[] = [];
  for (let at = 0; at < 4; at += 1) guesses.push((await change(stolen, 'wrong')).status);
  const owner = await change(own.cookies, PASSWORD);

  expect(guesses).toEqual([422, 422, 422, 429]);
  expect(owner.status).toBe(200);
});
