import { expect, test } from 'vitest';
import { userEmail, newBrowsers } from '../setup/browsers.ts';
import {
  totpCode,
  enrollApp,
  securityEvents,
  allowCodeReuse,
  signInHalfway,
  accountNotices,
} from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const isIn = async (client: { get: Tenant['officer']['get'] }) =>
  (await client.get('/users/me')).status === 200;
const role = 'loan_officer';

test('with an enrolled app, the password alone is not enough', async () => {
  const tenant = await stage.tenant();
  const elsewhere = await tenant.signedIn(role);
  const { secret, recovery_codes } = await enrollApp(tenant.officer);
  const { client, reply, prove } = await signInHalfway(tenant, role);
  const before = [client.cookies.has('sessionid'), await isIn(client)];

  const proved = await prove({ code: totpCode(secret, 1) });
  const own = await client.get('/auth/second-factors');

  expect(reply.body.second_factor).toEqual({
    methods: ['totp', 'recovery_code'],
    must_enroll: false,
    expires_at: expect.any(String),
  });
  expect(before).toEqual([false, false]);
  expect(proved).toMatchObject({ status: 200, body: { tenant_role: role } });
  expect(client.cookies.has('pending_sign_in')).toBe(false);
  expect([await isIn(client), await isIn(tenant.officer), await isIn(elsewhere)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(new Set(recovery_codes).size).toBe(10);
  expect(own.body).toMatchObject({ recovery_codes_left: 10, is_required: false });
  expect(own.body.factors).toMatchObject([{ kind: 'totp' }]);
  const user = tenant.userIds[role];
  expect((await securityEvents(stage, tenant)).slice(2)).toEqual([
    `second_factor_add done ${user}`,
    `first_factor done ${user}`,
    `sign_in done ${user}`,
  ]);
  expect(await accountNotices(stage, tenant)).toEqual(['second_factor_added']);
});

test('a code works once: no repeat, no older code, and of ten simultaneous uses one', async () => {
  const tenant = await stage.tenant();
  const { secret } = await enrollApp(tenant.officer);
  await saveSettings(tenant, { throttle: { login: 60, second_factor: 60 } });
  const code = totpCode(secret, 1);
  const tries = await Promise.all(Array.from({ length: 10 }, () => signInHalfway(tenant, role)));

  const replies = await Promise.all(tries.map(({ prove }) => prove({ code })));
  const older = await (await signInHalfway(tenant, role)).prove({ code: totpCode(secret) });
  await allowCodeReuse(stage, tenant);
  const forgotten = await (await signInHalfway(tenant, role)).prove({ code });

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replies.filter(({ body }) => body.code === 'invalid_code')).toHaveLength(9);
  expect([older.status, forgotten.status]).toEqual([401, 200]);
});

test('five wrong codes end a sign-in, and six in a minute exceed an account’s limit', async () => {
  const tenant = await stage.tenant();
  const { secret } = await enrollApp(tenant.officer);
  const { browser } = await newBrowsers(stage);
  const guesser = await browser(tenant);
  await guesser.login(userEmail(tenant, role));
  const answers = [];
  for (let at = 0; at < 6; at += 1) {
    const { status, body } = await guesser.post('/auth/second-factor', { code: '000000' });
    answers.push(`${status} ${body.code}`);
  }
  const elsewhere = await browser(tenant);
  await elsewhere.login(userEmail(tenant, role));
  const right = { code: totpCode(secret, 1) };

  const late = await elsewhere.post('/auth/second-factor', right);
  const known = tenant.anonymous();
  known.cookies.set('known_device', tenant.officer.cookies.get('known_device') ?? '');
  await known.login(userEmail(tenant, role), PASSWORD);
  const owner = await known.post('/auth/second-factor', right);

  expect(answers).toEqual([
    ...Array.from({ length: 5 }, () => '401 invalid_code'),
    '401 sign_in_expired',
  ]);
  expect(late).toMatchObject({ status: 429, body: { code: 'throttled' } });
  expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(60);
  // Wrong codes from other addresses do not lock users out of their own devices.
  expect(owner.status).toBe(200);
  expect((await accountNotices(stage, tenant)).at(-1)).toBe('wrong_codes');
});

test('at most twenty wrong codes an hour are checked, with any limit per minute', async () => {
  const tenant = await stage.tenant();
  await enrollApp(tenant.officer);
  await saveSettings(tenant, { throttle: { login: 60, second_factor: 60 } });
  const statuses: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const { prove } = await signInHalfway(tenant, role);
    for (let wrong = 0; wrong < 5; wrong += 1)
      statuses.push((await prove({ code: '000000' })).status);
  }

  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
  expect(new Set(statuses.slice(20))).toEqual(new Set([429]));
});

test('a recovery code works once, in any spelling, and the user is notified', async () => {
  const tenant = await stage.tenant();
  const { recovery_codes } = await enrollApp(tenant.officer);
  const [first = '', second = ''] = recovery_codes;
  const use = async (recovery_code: string) =>
    (await signInHalfway(tenant, role)).prove({ recovery_code });

  const used = await use(first.toUpperCase().replaceAll('-', ''));
  const again = await use(first);
  const client = await signInHalfway(tenant, role);
  await client.prove({ recovery_code: second });
  const renewed = await client.client.post('/auth/second-factors/recovery-codes', {
    current_password: PASSWORD,
  });
  const old = await use(recovery_codes[2] ?? '');

  expect(first).toMatch(/^[2-9a-z]{4}(-[2-9a-z]{4}){3}$/);
  expect([used.status, again.status, old.status]).toEqual([200, 401, 401]);
  expect(renewed.body.recovery_codes).toHaveLength(10);
  expect(await accountNotices(stage, tenant)).toEqual([
    'second_factor_added',
    'recovery_code_used',
    'recovery_code_used',
  ]);
});

test('a pending sign-in belongs to its tenant and browser, and ends with its user’s sessions', async () => {
  const tenant = await stage.tenant();
  const other = await stage.tenant();
  const { secret } = await enrollApp(tenant.officer);
  const code = totpCode(secret);
  const waiting = await signInHalfway(tenant, role);
  const token = waiting.client.cookies.get('pending_sign_in') ?? '';
  const stranger = other.anonymous();
  await stranger.get('/auth/csrf');
  stranger.cookies.set('pending_sign_in', token);
  const nobody = tenant.anonymous();
  await nobody.get('/auth/csrf');
  const answers = [
    await stranger.post('/auth/second-factor', { code }),
    await nobody.post('/auth/second-factor', { code }),
  ];
  const asSession = tenant.anonymous();
  asSession.cookies.set('sessionid', token);
  const enrolling = await waiting.client.post('/auth/second-factors/totp', {
    current_password: PASSWORD,
  });
  const [line = ''] = [waiting.reply.headers['set-cookie'] ?? []]
    .flat()
    .filter((cookie) => cookie.startsWith('pending_sign_in='));

  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put(`/users/${tenant.userIds[role]}`, { is_active: false });
  await superadmin.put(`/users/${tenant.userIds[role]}`, { is_active: true });
  const ended = await waiting.prove({ code });

  expect(line).toMatch(/; path=\/api\/v1\/auth;.*samesite=strict.*httponly/i);
  expect(answers.map(({ body }) => body.code)).toEqual(['sign_in_expired', 'sign_in_expired']);
  expect(await isIn(asSession)).toBe(false);
  expect(enrolling.status).toBe(401);
  expect(ended.body.code).toBe('sign_in_expired');
});

test('if staff need a second factor, a user without one can only enroll one', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const borrower = await tenant.signedIn('borrower');
  await superadmin.put('/tenant/settings', { auth: { second_factor: { staff: true } } });
  // A running process caches settings for some seconds. A new process reads them immediately.
  const port = await stage.listen();
  const sessions = [await isIn(tenant.officer.at(port)), await isIn(borrower.at(port))];
  const client = tenant.anonymous().at(port);
  const login = await client.login(userEmail(tenant, role), PASSWORD);
  const shut = [
    await client.get('/users/me'),
    await client.get('/loans'),
    await client.get('/auth/second-factors'),
    await client.post('/auth/password/change', { current_password: PASSWORD, new_password: 'x' }),
    await client.post('/auth/second-factor', { code: '000000' }),
  ].map(({ status }) => status);

  const { secret } = await enrollApp(client, {});
  const me = await client.get('/users/me');
  const own = (await client.get('/auth/second-factors')).body;
  const id = own.factors[0].id as string;
  await allowCodeReuse(stage, tenant);
  const removal = await client.post(`/auth/second-factors/${id}/remove`, {
    code: totpCode(secret),
  });

  expect(sessions).toEqual([false, true]);
  expect(login.body.second_factor).toMatchObject({ methods: [], must_enroll: true });
  expect(shut).toEqual([401, 401, 401, 401, 401]);
  expect(me.body).toMatchObject({ tenant_role: role, last_login: expect.any(String) });
  expect(own.is_required).toBe(true);
  expect(removal).toMatchObject({ status: 409, body: { code: 'second_factor_required' } });
  expect(await isIn(client)).toBe(true);
});

test('borrowers have their own setting for second factors', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { auth: { second_factor: { borrowers: true } } });
  const borrower = await signInHalfway(tenant, 'borrower');
  const officer = await tenant.anonymous().login(userEmail(tenant, role), PASSWORD);

  await enrollApp(borrower.client, {});
  const me = await borrower.client.get('/users/me');

  expect(borrower.reply.body.second_factor.must_enroll).toBe(true);
  expect(officer.body).toHaveProperty('permissions');
  expect(me.body).toMatchObject({ borrower_id: expect.any(String) });
});
