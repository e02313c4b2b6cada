import { expect, test } from 'vitest';
import { resetFactors } from '../../workers/ops/reset-second-factors.ts';
import { userEmail } from '../setup/browsers.ts';
import {
  totpCode,
  enrollApp,
  securityEvents,
  signInHalfway,
  accountNotices,
} from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const isIn = async (client: { get: Tenant['officer']['get'] }) =>
  (await client.get('/users/me')).status === 200;
const role = 'loan_officer';

test('an app counts after its first code, and one app is enough', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const begin = (again: object = { current_password: PASSWORD }) =>
    officer.post('/auth/second-factors/totp', again);
  const confirm = (code: string) => officer.post('/auth/second-factors/totp/confirm', { code });
  const unproved = [
    await begin({}),
    await begin({ current_password: 'wrong' }),
    await begin({ code: '123456' }),
    await begin({ current_password: PASSWORD, code: '123456' }),
    await confirm('123456'),
  ];
  const forgotten = await begin();
  const begun = await begin();
  const old = await confirm(totpCode(forgotten.body.secret));
  const plain = await tenant.anonymous().login(userEmail(tenant, role), PASSWORD);
  const confirmed = await confirm(totpCode(begun.body.secret));
  const second = await begin();

  expect(unproved.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422]);
  expect(unproved[1]?.body.errors).toEqual({ current_password: 'Is wrong.' });
  expect(unproved[2]?.body.errors).toEqual({ code: 'Is wrong.' });
  expect(old.status).toBe(422);
  expect(plain.body).toHaveProperty('permissions');
  expect(confirmed.status).toBe(200);
  expect(second).toMatchObject({ status: 409, body: { code: 'already_exists' } });
});

test('removing a factor needs a new proof and signs out other sessions', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const { secret, recovery_codes } = await enrollApp(officer);
  const elsewhere = await signInHalfway(tenant, role);
  await elsewhere.prove({ code: totpCode(secret, 1) });
  const { factors } = (await officer.get('/auth/second-factors')).body;
  const superadmin = await tenant.signedIn('superadmin');
  const remove = (client: typeof officer, proof: object, id: string = factors[0].id) =>
    client.post(`/auth/second-factors/${id}/remove`, proof);
  const refused = [
    await remove(officer, {}),
    await remove(officer, { code: totpCode(secret) }),
    await remove(officer, { current_password: 'wrong' }),
    await remove(superadmin, { current_password: PASSWORD }),
    await remove(officer, { current_password: PASSWORD }, tenant.userIds[role]),
  ];

  const removed = await remove(officer, { recovery_code: recovery_codes[0] });
  const left = (await officer.get('/auth/second-factors')).body;
  const login = await tenant.anonymous().login(userEmail(tenant, role), PASSWORD);

  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 404, 404]);
  expect(removed.status).toBe(200);
  expect(left).toEqual({ factors: [], recovery_codes_left: 0, is_required: false });
  expect([await isIn(officer), await isIn(elsewhere.client)]).toEqual([true, false]);
  expect(login.body).toHaveProperty('permissions');
});

test('a superadmin removes a user’s lost second factor, with approval where the tenant requires it', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const { recovery_codes } = await enrollApp(tenant.officer);
  const reset = (who: string) =>
    superadmin.post(`/users/${tenant.userIds[who]}/reset-second-factors`);
  const admin = await tenant.signedIn('admin');
  const refused = [
    await admin.post(`/users/${tenant.userIds[role]}/reset-second-factors`),
    await reset('superadmin'),
  ];
  await saveSettings(tenant, { approvals: { four_eyes: ['invitations'] } });
  const asked = await reset(role);
  const waiting = await signInHalfway(tenant, role);
  await saveSettings(tenant, { approvals: { four_eyes: [] } });

  const done = await reset(role);
  const again = await reset(role);
  const late = await waiting.prove({ recovery_code: recovery_codes[0] });
  const login = await tenant.anonymous().login(userEmail(tenant, role), PASSWORD);
  const { rows } = await stage.owner.query(
    `select changes, actor_id from audit_log where tenant_id = $1 and action = 'remove-second-factor'`,
    [tenant.id],
  );

  expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'permission_denied'],
    [409, 'own_second_factor'],
  ]);
  expect(asked).toMatchObject({ status: 202, body: { kind: 'invitations' } });
  expect([done.status, again.status]).toEqual([200, 200]);
  expect(late.body.code).toBe('sign_in_expired');
  expect(await isIn(tenant.officer)).toBe(false);
  expect(login.body).toHaveProperty('permissions');
  expect(rows).toEqual([
    {
      changes: { second_factor: { old: 'totp', new: null } },
      actor_id: tenant.userIds['superadmin'],
    },
  ]);
  const told = await securityEvents(stage, tenant);
  expect(told.filter((line) => line.startsWith('second_factor_reset done'))).toHaveLength(2);
  expect((await accountNotices(stage, tenant)).at(-1)).toBe('second_factor_removed');
});

test('a new password keeps the second factor and the session’s proof', async () => {
  const tenant = await stage.tenant();
  const { secret } = await enrollApp(tenant.officer);
  const new_password = 'vier alte Schachteln';
  await saveSettings(tenant, { auth: { second_factor: { staff: true } } });
  const changed = await tenant.officer.post('/auth/password/change', {
    current_password: PASSWORD,
    new_password,
  });
  const fresh = tenant.officer.at(await stage.listen());
  const still = await isIn(fresh);
  const login = await tenant.anonymous().login(userEmail(tenant, role), new_password);

  expect([changed.status, still]).toEqual([200, true]);
  expect(login.body.second_factor.methods).toContain('totp');
  expect(secret).toHaveLength(32);
});

test('an operator removes the lost second factor of the only superadmin', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  await enrollApp(superadmin);
  const typed = (email: string) =>
    resetFactors.run({
      url: stage.url,
      owner: stage.pool,
      app: stage.pool,
      newPassword: undefined,
      words: [email],
      options: { tenant: tenant.slug },
      installation: stage.installation,
    });

  const unknown = typed('nobody@example.com');
  await expect(unknown).rejects.toThrow('no active user');
  await typed(userEmail(tenant, 'superadmin'));
  const login = await tenant.anonymous().login(userEmail(tenant, 'superadmin'), PASSWORD);

  expect(await isIn(superadmin)).toBe(false);
  expect(login.body).toHaveProperty('permissions');
  expect((await securityEvents(stage, tenant)).at(-2)).toBe('second_factor_reset done');
});
