import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a request is visible only to its author and to users who may decide it', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const [admin, superadmin] = [await tenant.signedIn('admin'), await tenant.signedIn('superadmin')];
  const loan = await newLoan(tenant, { status: 'approved' });
  const other = await newLoan(tenant, { status: 'approved' });
  const viewer = tenant.userIds['viewer'];
  await saveSettings(tenant, { approvals: { four_eyes: ['invitations', 'disbursements'] } });
  const newcomer = { first_name: 'N', last_name: 'N', tenant_role: 'superadmin' };
  const hidden = [
    await superadmin.post('/users/invite', { email: 'boss@staff.test', ...newcomer }),
    await superadmin.put('/tenant/settings', { approvals: { four_eyes: [] } }),
    await superadmin.post(`/users/${viewer}/permissions`, {
      type: 'allow',
      action: '*',
      resource: 'loans',
    }),
  ].map(({ body }) => body.approval_id as string);
  const open = [
    await officer.post(`/loans/${loan.id}/disburse`, { amount: '10.00' }),
    await officer.post(`/loans/${other.id}/disburse`, { amount: '11.00' }),
  ].map(({ body }) => body.approval_id as string);
  const seen = async (who: typeof officer) => {
    const list = (await who.get('/approvals?ordering=created_at')).body as { id: string }[];
    const alone = await Promise.all(
      [...hidden, ...open].map(async (id) => (await who.get(`/approvals/${id}`)).status),
    );
    const filtered = await who.get('/approvals?kind=settings');
    return { ids: list.map(({ id }) => id), alone, settings: filtered.body.length };
  };

  const [byOfficer, byAdmin, bySuperadmin] = [
    await seen(officer),
    await seen(admin),
    await seen(superadmin),
  ];

  expect(byOfficer).toEqual({ ids: open, alone: [404, 404, 404, 200, 200], settings: 0 });
  expect(byAdmin).toEqual({ ids: open, alone: [404, 404, 404, 200, 200], settings: 0 });
  expect(bySuperadmin.ids.toSorted()).toEqual([...hidden, ...open].toSorted());
  expect(bySuperadmin.alone).toEqual([200, 200, 200, 200, 200]);
  await stage.owner.query(
    `insert into user_permissions (tenant_id, user_id, type, action, resource)
     values ($1, $2, 'deny', 'disburse', 'loans')`,
    [tenant.id, tenant.userIds['admin']],
  );
  expect((await seen(admin)).ids).toEqual([]);
});
