import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { fetchPermissions, DENIED_SSN_RULE, newTeam } from '../setup/team.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const NOBODY = '0198a000-0000-7000-8000-000000000000';

test('a group’s grants apply to its members from their next request, and end with it', async () => {
  const { tenant, superadmin, viewer } = await newTeam(stage);
  const names = { first_name: 'Ada', last_name: 'Byron' };
  const grant = { action: 'create', resource: 'borrowers' };

  const before = await viewer.post('/borrowers', names);
  const made = await superadmin.post('/permission-groups', {
    name: 'Intake',
    permissions: [grant],
    member_ids: [tenant.userIds['viewer']],
  });
  const during = await viewer.post('/borrowers', names);
  const told = await fetchPermissions(viewer);
  await superadmin.put(`/permission-groups/${made.body.id}`, { member_ids: [] });
  const after = await viewer.post('/borrowers', names);
  await superadmin.put(`/permission-groups/${made.body.id}`, {
    member_ids: [tenant.userIds['viewer']],
  });
  const again = await viewer.post('/borrowers', names);
  const gone = await superadmin.delete(`/permission-groups/${made.body.id}`);
  const over = await viewer.post('/borrowers', names);

  expect(made).toMatchObject({
    status: 201,
    body: { permissions: [{ type: 'allow', ...grant }], member_ids: [tenant.userIds['viewer']] },
  });
  expect([before, during, after, again, gone, over].map(({ status }) => status)).toEqual([
    403, 201, 403, 201, 200, 403,
  ]);
  expect(told).toContainEqual(grant);
  expect(await fetchPermissions(viewer)).not.toContainEqual(grant);
});

test('a viewer with a grant may edit that one loan and no other', async () => {
  const { tenant, viewer, superadmin, lend } = await newTeam(stage);
  const [mine, other] = [await newLoan(tenant), await newLoan(tenant)];
  const rename = (id: string) => viewer.put(`/loans/${id}`, { external_id: `E-${id}` });

  const lent = await lend('viewer', { action: 'edit', resource: 'loans', record_id: mine.id });
  const edits = [await rename(mine.id), await rename(other.id), await rename(NOBODY)];
  const frozen = await viewer.post(`/loans/${mine.id}/freeze`, { reason: 'x' });
  const told = await fetchPermissions(viewer);
  await superadmin.delete(`/object-grants/${lent.body.id}`);
  const over = await rename(mine.id);

  expect(lent.status).toBe(201);
  expect([...edits, frozen, over].map(({ status }) => status)).toEqual([200, 403, 403, 403, 403]);
  expect(told).toContainEqual({ action: 'edit', resource: 'loans', record: { id: mine.id } });
  expect(told).not.toContainEqual({ action: 'edit', resource: 'loans' });
});

test('a user with a grant on a loan may work on its records, except those reserved for superadmins', async () => {
  const { tenant, viewer, lend } = await newTeam(stage);
  const { id } = await newLoan(tenant);

  await lend('viewer', { action: '*', resource: 'loans', record_id: id });
  const paid = await viewer.post(`/loans/${id}/payments`, { amount: '100.00' });
  const frozen = await viewer.post(`/loans/${id}/freeze`, { reason: 'fraud' });
  const flat = await viewer.put(`/payments/${paid.body.id}`, { notes: 'x' });

  expect([paid, frozen, flat].map(({ status }) => status)).toEqual([201, 200, 403]);
});

test('a denial overrides the role and every grant', async () => {
  const { tenant, officer, give, lend } = await newTeam(stage);
  const { id } = await newLoan(tenant);

  await lend('loan_officer', { action: 'edit', resource: 'loans', record_id: id });
  await give('loan_officer', { type: 'deny', action: 'edit', resource: 'loans' });
  const edited = await officer.put(`/loans/${id}`, { external_id: 'E' });
  const read = await officer.get(`/loans/${id}`);
  const told = await fetchPermissions(officer);

  expect(edited).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(read.status).toBe(200);
  expect(told).toContainEqual({ type: 'deny', action: 'edit', resource: 'loans' });
  expect(told).not.toContainEqual({ action: 'edit', resource: 'loans' });
  expect(told.filter((entry) => 'record' in entry)).toEqual([]);
});

test('a rule must name existing resources, actions and fields', async () => {
  const { tenant, superadmin, give, lend } = await newTeam(stage);
  const other = await stage.tenant();
  const foreign = await newLoan(other);
  const wrong = async (reply: Promise<{ status: number; body: { errors?: object } }>) => {
    const { status, body } = await reply;
    return [status, Object.keys(body.errors ?? {}).join()];
  };

  const answers = [
    await wrong(give('viewer', { action: 'edit', resource: 'spaceships' })),
    await wrong(give('viewer', { action: 'fly', resource: 'loans' })),
    await wrong(give('viewer', { ...DENIED_SSN_RULE, record: { shoe_size: true } })),
    await wrong(give('viewer', { ...DENIED_SSN_RULE, record: {} })),
    await wrong(give('viewer', { ...DENIED_SSN_RULE, record: { id: true } })),
    await wrong(give('viewer', { ...DENIED_SSN_RULE, record: { ssn_last_four: false } })),
    await wrong(give('viewer', { ...DENIED_SSN_RULE, type: 'allow' })),
    await wrong(lend('viewer', { action: 'edit', resource: 'loans', record_id: foreign.id })),
    await wrong(lend('viewer', { action: 'edit', resource: 'loans', record_id: NOBODY })),
    await wrong(lend('viewer', { action: 'list', resource: 'jobs', record_id: NOBODY })),
    await wrong(
      superadmin.post('/permission-groups', {
        name: 'X',
        permissions: [{ ...DENIED_SSN_RULE, action: 'z' }],
      }),
    ),
    await wrong(
      superadmin.post('/permission-groups', { name: 'X', member_ids: [other.userIds['viewer']] }),
    ),
  ];
  const borrower = await give('borrower', DENIED_SSN_RULE);

  expect(answers).toEqual([
    [422, 'resource'],
    [422, 'action'],
    [422, 'record'],
    [422, 'record'],
    [422, 'record'],
    [422, 'record.ssn_last_four'],
    [422, 'record'],
    [422, 'record_id'],
    [422, 'record_id'],
    [422, 'action'],
    [422, 'permissions.0.action'],
    [422, 'member_ids'],
  ]);
  expect(borrower).toMatchObject({ status: 409, body: { code: 'borrower_user' } });
  expect((await superadmin.get('/permission-groups')).body).toEqual([]);
  expect((await superadmin.get(`/users/${tenant.userIds['viewer']}/permissions`)).body).toEqual([]);
});

test('a user without a role has none of their earlier rights', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  await give('viewer', { action: 'create', resource: 'borrowers' });

  await superadmin.post('/users/remove-role', { user_id: tenant.userIds['viewer'] });
  const client = tenant.anonymous();
  const signedIn = await client.login(`viewer@${tenant.slug}.test`, PASSWORD);
  const made = await client.post('/borrowers', { first_name: 'A', last_name: 'B' });

  expect(signedIn.body.permissions).toEqual([]);
  expect(made.status).toBe(403);
});
