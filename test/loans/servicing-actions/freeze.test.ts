import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const interestOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/get-balances`)).body.accrued_interest as string;

test('a frozen loan accrues nothing until it is unfrozen, and the books agree', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  const told = (await eventTypes(tenant)).length;

  const frozen = await admin.post(`/loans/${id}/freeze`, { reason: 'scra' });
  const again = await admin.post(`/loans/${id}/freeze`, { reason: 'fraud' });
  await travelTo(stage, tenant, '2026-02-04');
  const resting = await interestOf(tenant, id);
  const unfrozen = await admin.post(`/loans/${id}/unfreeze`);
  const twice = await admin.post(`/loans/${id}/unfreeze`);
  await travelTo(stage, tenant, '2026-02-05');

  expect(frozen).toMatchObject({ status: 200, body: { is_frozen: true, freeze_reason: 'scra' } });
  expect(again).toMatchObject({ status: 200, body: { freeze_reason: 'scra' } });
  // Ten days of 10000.00 at 0.085. One more day is earned after the freeze ends.
  expect(resting).toBe('23.29');
  expect(unfrozen.body).toMatchObject({ is_frozen: false, frozen_at: null });
  expect(twice.status).toBe(200);
  expect(await interestOf(tenant, id)).toBe('25.62');
  expect(await balancesByRole(tenant)).toMatchObject({
    interest_receivable: '25.62',
    interest_income: '-25.62',
  });
  expect((await eventTypes(tenant)).length).toBe(told);
});

test('a backdated freeze reverses the interest of its days', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const frozen = await admin.post(`/loans/${id}/freeze`, { effective_date: '2026-01-20' });
  const early = await admin.post(`/loans/${id}/unfreeze`, { effective_date: '2026-01-19' });
  const future = await admin.post(`/loans/${id}/unfreeze`, { effective_date: '2026-01-26' });

  expect(frozen.body).toMatchObject({ accrued_interest: '11.64' });
  expect(await balancesByRole(tenant)).toMatchObject({ interest_receivable: '11.64' });
  expect(early.status).toBe(422);
  expect(future.status).toBe(422);
});

test('a freeze that starts and ends on one day does not change the interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  await admin.post(`/loans/${id}/freeze`);
  await admin.post(`/loans/${id}/unfreeze`);
  await admin.post(`/loans/${id}/freeze`);
  await admin.post(`/loans/${id}/unfreeze`);
  await travelTo(stage, tenant, '2026-01-25');

  expect(await interestOf(tenant, id)).toBe('23.29');
});

test('a freeze with an end date ends automatically', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  const past = await admin.post(`/loans/${id}/freeze`, { until_date: '2026-01-15' });
  await admin.post(`/loans/${id}/freeze`, { until_date: '2026-01-20' });
  await travelTo(stage, tenant, '2026-01-25');
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(past).toMatchObject({ status: 422, body: { errors: { until_date: expect.any(String) } } });
  expect(loan.body).toMatchObject({
    is_frozen: false,
    freeze_until: null,
    accrued_interest: '11.64',
  });
});

test('a loan frozen before funding is frozen from its first day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { status: 'approved' });

  const frozen = await admin.post(`/loans/${id}/freeze`);
  await tenant.officer.post(`/loans/${id}/disburse`);
  await travelTo(stage, tenant, '2026-01-25');

  expect(frozen.body).toMatchObject({ status: 'approved', is_frozen: true });
  expect(await interestOf(tenant, id)).toBe('0.00');
});
