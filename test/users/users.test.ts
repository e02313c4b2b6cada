import { expect, test } from 'vitest';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const NOBODY = '0198a000-0000-7000-8000-000000000000';

test('an admin lists, finds and renames users, but changes neither role nor address', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const url = `/users/${tenant.userIds['viewer']}`;

  const list = await admin.get('/users?tenant_role=viewer');
  const found = await admin.get('/users?q=viewer@');
  const changed = await admin.put(url, {
    first_name: 'Vi',
    tenant_role: 'superadmin',
    email: 'x@y.test',
    password_hash: 'x',
    is_superuser: true,
  });

  expect(list.headers['content-range']).toBe('users 0-0/1');
  expect(found.body).toHaveLength(1);
  expect(changed).toMatchObject({
    status: 200,
    body: { first_name: 'Vi', tenant_role: 'viewer', email: `viewer@${tenant.slug}.test` },
  });
  expect(Object.keys(changed.body).join(' ')).not.toContain('password');
  expect((await tenant.officer.get('/users?q=admin')).status).toBe(403);
  expect((await tenant.officer.get(`/users/${NOBODY}`)).status).toBe(403);
  expect((await admin.get('/users?password_hash=x')).status).toBe(422);
});

test('a new role ends the old role’s sessions, and the same role does not', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const user_id = tenant.userIds['loan_officer'];

  const same = await superadmin.post('/users/assign-role', {
    user_id,
    tenant_role: 'loan_officer',
  });
  const still = await tenant.officer.get('/users/me');
  const assigned = await superadmin.post('/users/assign-role', { user_id, tenant_role: 'viewer' });
  const over = await tenant.officer.get('/users/me');
  const again = await tenant.signedIn('loan_officer');
  const removed = await superadmin.post('/users/remove-role', { user_id });

  expect([same.status, still.status]).toEqual([200, 200]);
  expect(assigned).toMatchObject({ status: 200, body: { id: user_id, tenant_role: 'viewer' } });
  expect(over.status).toBe(401);
  expect(removed.body.tenant_role).toBeNull();
  expect((await again.get('/users/me')).status).toBe(401);
});

test('unknown roles, unknown users and borrowers are refused', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const other = await stage.tenant();
  const assign = (user_id: unknown, tenant_role: unknown) =>
    superadmin.post('/users/assign-role', { user_id, tenant_role });

  expect((await assign(tenant.userIds['viewer'], 'owner')).body.errors).toHaveProperty(
    'tenant_role',
  );
  expect((await assign('x', 'viewer')).status).toBe(422);
  const unknown = { status: 422, body: { errors: { user_id: 'Does not exist.' } } };
  expect(await assign(NOBODY, 'viewer')).toMatchObject(unknown);
  expect(await assign(other.userIds['viewer'], 'admin')).toMatchObject(unknown);
  expect(await superadmin.post('/users/remove-role', { user_id: NOBODY })).toMatchObject(unknown);
  expect((await assign(tenant.userIds['borrower'], 'viewer')).body.code).toBe('borrower_user');
});

test('a deactivated user is signed out immediately and can be reactivated', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');
  const url = `/users/${tenant.userIds['loan_officer']}`;
  const credentials = [`loan_officer@${tenant.slug}.test`, PASSWORD] as const;

  const gone = await superadmin.post(`${url}/deactivate`);
  const repeated = await superadmin.post(`${url}/deactivate`);
  const session = await tenant.officer.get('/users/me');
  const login = await tenant.anonymous().login(...credentials);
  const back = await admin.put(url, { is_active: true });
  const second = await tenant.anonymous().login(...credentials);

  expect([gone.status, repeated.status]).toEqual([200, 200]);
  expect(gone.body.is_active).toBe(false);
  expect([session.status, login.status]).toEqual([401, 401]);
  expect(back.body.is_active).toBe(true);
  expect(second.status).toBe(200);
});

test('users cannot lock themselves out, and a superadmin always remains', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');
  const me = tenant.userIds['superadmin'];
  await superadmin.post('/users/assign-role', {
    user_id: tenant.userIds['viewer'],
    tenant_role: 'superadmin',
  });
  const second = await tenant.signedIn('viewer');

  const itself = [
    await superadmin.post(`/users/${me}/deactivate`),
    await superadmin.post('/users/assign-role', { user_id: me, tenant_role: 'admin' }),
    await superadmin.post('/users/remove-role', { user_id: me }),
    await superadmin.put(`/users/${me}`, { is_active: false }),
    await admin.put(`/users/${tenant.userIds['admin']}`, { is_active: false }),
  ];
  const above = await admin.put(`/users/${me}`, { is_active: false });
  const simultaneous = await Promise.all([
    superadmin.post('/users/remove-role', { user_id: tenant.userIds['viewer'] }),
    second.post('/users/remove-role', { user_id: me }),
  ]);
  const left = await stage.owner.query(
    `select id from users where tenant_id = $1 and tenant_role = 'superadmin' and is_active`,
    [tenant.id],
  );

  expect(itself.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
    Array.from({ length: 5 }, () => '409 last_superadmin'),
  );
  expect(above.status).toBe(403);
  expect(simultaneous.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(left.rows).toHaveLength(1);
});

test('of two superadmins who end each other’s access at the same time, one remains', async () => {
  const tenant = await stage.tenant();
  const first = await tenant.signedIn('superadmin');
  const [me, other] = [tenant.userIds['superadmin'], tenant.userIds['viewer']];
  await first.post('/users/assign-role', { user_id: other, tenant_role: 'superadmin' });
  const second = await tenant.signedIn('viewer');
  const answers = await Promise.all([
    first.post(`/users/${other}/deactivate`),
    second.put(`/users/${me}`, { is_active: false }),
  ]);
  const { rows } = await stage.owner.query(
    `select id from users where tenant_id = $1 and tenant_role = 'superadmin' and is_active`,
    [tenant.id],
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(rows).toHaveLength(1);
});

test('staff open the portal to a borrower once', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const ada = (await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' })).body;
  const url = `/borrowers/${ada.id}/invite-portal-user`;

  const nowhere = await officer.post(url);
  await officer.post(`/borrowers/${ada.id}/emails`, { email: 'ada@example.com' });
  const invited = await officer.post(url);
  const again = await officer.post(url);
  const taken = await officer.post(
    `/borrowers/${(await officer.post('/borrowers', { first_name: 'A', last_name: 'B' })).body.id}/invite-portal-user`,
    { email: 'ADA@example.com' },
  );
  const known = await officer.post(
    `/borrowers/${(await stage.owner.query('select borrower_id from users where id = $1', [tenant.userIds['borrower']])).rows[0].borrower_id}/invite-portal-user`,
    { email: 'other@example.com' },
  );

  expect(nowhere).toMatchObject({ status: 422, body: { errors: { email: expect.any(String) } } });
  expect(invited).toMatchObject({
    status: 201,
    body: { email: 'ada@example.com', borrower_id: ada.id, tenant_role: null },
  });
  expect(again).toMatchObject({ status: 201, body: { id: invited.body.id } });
  expect(taken).toMatchObject({ status: 422, body: { errors: { email: 'Is already taken.' } } });
  expect(known).toMatchObject({ status: 409, body: { code: 'already_exists' } });
});
