import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { fetchPermissions, DENIED_SSN_RULE, newTeam, secondSuperadmin } from '../setup/team.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a superadmin has access to everything, but does not see denied fields', async () => {
  const { tenant, superadmin } = await newTeam(stage);
  const second = await secondSuperadmin(tenant, superadmin);
  const give = (rule: object) =>
    second.post(`/users/${tenant.userIds['superadmin']}/permissions`, rule);
  const { id } = (
    await superadmin.post('/borrowers', {
      first_name: 'A',
      last_name: 'B',
      ssn_last_four: '4321',
    })
  ).body;

  await give({ type: 'deny', action: '*', resource: '*' });
  await give(DENIED_SSN_RULE);
  const seen = await superadmin.get(`/borrowers/${id}`);

  expect(seen.status).toBe(200);
  expect(seen.body).not.toHaveProperty('ssn_last_four');
  expect(await fetchPermissions(superadmin)).toEqual(
    expect.arrayContaining([{ action: '*', resource: '*' }, DENIED_SSN_RULE]),
  );
  expect(await fetchPermissions(superadmin)).not.toContainEqual(
    expect.objectContaining({ type: 'deny', resource: '*' }),
  );
});

test('users cannot grant themselves rights, directly or through another’s approval', async () => {
  const { tenant, superadmin } = await newTeam(stage);
  const me = tenant.userIds['superadmin'];
  const second = await secondSuperadmin(tenant, superadmin);
  const loan = await newLoan(tenant);
  const rule = { action: 'edit', resource: 'loans' };
  const group = { name: 'Mine', permissions: [rule], member_ids: [me] };
  const theirs = await second.post('/permission-groups', {
    ...group,
    permissions: [DENIED_SSN_RULE],
  });
  const own = await second.post(`/users/${me}/permissions`, DENIED_SSN_RULE);

  const itself = [
    await superadmin.post(`/users/${me}/permissions`, rule),
    await superadmin.post(`/users/${me}/object-grants`, { ...rule, record_id: loan.id }),
    await superadmin.post('/permission-groups', { ...group, name: 'Other' }),
    await superadmin.put(`/permission-groups/${theirs.body.id}`, { permissions: [] }),
    await superadmin.put(`/permission-groups/${theirs.body.id}`, { member_ids: [] }),
    await superadmin.delete(`/permission-groups/${theirs.body.id}`),
    await superadmin.delete(`/user-permissions/${own.body.id}`),
  ];
  await saveSettings(tenant, { approvals: { four_eyes: ['invitations'] } });
  const asked = await superadmin.post(`/users/${me}/permissions`, rule);
  const agreed = await second.post(`/approvals/${asked.body.approval_id}/approve`);

  expect([theirs.status, own.status]).toEqual([201, 201]);
  expect(itself.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
    itself.map(() => '409 own_access'),
  );
  expect(asked.status).toBe(202);
  expect(agreed).toMatchObject({ status: 409, body: { code: 'own_access' } });
});

test('only superadmins decide about rules, and no grant changes that', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  const admin = await tenant.signedIn('admin');
  const rule = { action: 'edit', resource: 'loans' };

  const refused = [
    await admin.get('/permission-groups'),
    await admin.post('/permission-groups', { name: 'X' }),
    await admin.post(`/users/${tenant.userIds['viewer']}/permissions`, rule),
    await admin.get(`/users/${tenant.userIds['viewer']}/object-grants`),
  ];
  const tooMuch = [
    await give('admin', { action: 'assign-role', resource: 'users' }),
    await give('admin', { action: '*', resource: 'permission-groups' }),
    await give('admin', { action: 'edit', resource: 'tenant' }),
  ];
  const everything = await give('admin', { action: '*', resource: '*' });
  const still = [
    await admin.get('/permission-groups'),
    await admin.post('/users/assign-role', {
      user_id: tenant.userIds['viewer'],
      tenant_role: 'superadmin',
    }),
    await admin.put('/tenant/settings', {}),
  ];

  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  for (const { status, body } of tooMuch) {
    expect([status, body.errors]).toEqual([422, { action: expect.stringContaining('superadmin') }]);
  }
  expect(everything.status).toBe(201);
  expect(still.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect(await fetchPermissions(admin)).not.toContainEqual({ action: '*', resource: '*' });
  expect((await superadmin.get(`/users/${tenant.userIds['admin']}/permissions`)).body).toHaveLength(
    1,
  );
});

test('rules need two people if the tenant requires it, and history records both', async () => {
  const { tenant, superadmin, give, viewer } = await newTeam(stage);
  const second = await secondSuperadmin(tenant, superadmin);
  await saveSettings(tenant, { approvals: { four_eyes: ['invitations'] } });

  const asked = await give('viewer', { action: 'create', resource: 'borrowers' });
  const waiting = await viewer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const agreed = await second.post(`/approvals/${asked.body.approval_id}/approve`);
  const done = await viewer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const { rows } = await stage.owner.query(
    `select action, changes from audit_log
     where tenant_id = $1 and entity_type = 'user_permissions'`,
    [tenant.id],
  );
  const { body: log } = await superadmin.get('/security-log?event=permission_change');

  expect([asked.status, waiting.status, agreed.status, done.status]).toEqual([202, 403, 200, 201]);
  expect(rows).toMatchObject([
    { action: 'create', changes: { resource: { old: null, new: 'borrowers' } } },
  ]);
  expect(log).toMatchObject([{ outcome: 'done', user_id: tenant.userIds['admin'] }]);
});
