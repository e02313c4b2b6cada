import { expect, test } from 'vitest';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('ending a two-person rule takes two people, and starting or widening one takes one', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  await saveSettings(tenant, { approvals: { four_eyes: ['reversals', 'modifications'] } });
  const superadmin = await tenant.signedIn('superadmin');
  const set = (four_eyes: string[], options?: object) =>
    superadmin.put('/tenant/settings', { approvals: { four_eyes } }, options);
  const kept = async () =>
    (await superadmin.get('/tenant/settings')).body.approvals.four_eyes as string[];
  const { etag } = (await superadmin.get('/tenant/settings')).headers;

  const widened = await set(['reversals', 'modifications', 'refunds']);
  const stale = await set([], { headers: { 'If-Match': String(etag) } });
  const wrong = await superadmin.put('/tenant/settings', {
    approvals: { four_eyes: [], expire_days: 0 },
  });
  const asked = [await set([]), await set(['reversals', 'refunds', 'disbursements'])];
  const before = await kept();
  const approve = `/approvals/${asked[0]?.body.approval_id}/approve`;
  const alone = [await superadmin.post(approve), await admin.post(approve)];
  await stage.owner.query("update users set tenant_role = 'superadmin' where id = $1", [
    tenant.userIds['admin'],
  ]);
  const second = await admin.post(approve);

  expect([widened.status, stale.status, wrong.status]).toEqual([200, 412, 422]);
  expect(asked).toMatchObject([
    { status: 202, body: { kind: 'settings' } },
    { status: 202, body: { kind: 'settings' } },
  ]);
  expect(before).toEqual(['reversals', 'modifications', 'refunds']);
  expect(alone.map(({ status }) => status)).toEqual([409, 403]);
  expect(second.status).toBe(200);
  expect(await kept()).toEqual([]);
});
