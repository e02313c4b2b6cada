import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';
import { bounce, pay, titlesOf } from '../history/conclusion-steps.ts';

const stage = await newStage();

/**
 * A settlement for 4,000.00 due on January 15. It is paid that day and settles the loan at the day's close.
 */
async function settled(grace_days: number) {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const plan = await tenant.officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [{ due_date: '2026-01-15', amount: '4000.00' }],
    waive_remaining: true,
    grace_days,
  });
  const payment = await pay(tenant, id, '4000.00');
  await travelTo(stage, tenant, '2026-01-18');
  return { tenant, id, planId: plan.body.id as string, payment };
}

test('a settlement whose payment bounces is broken: debt, waiver and form are reversed', async () => {
  const { tenant, id, planId, payment } = await settled(0);
  const before = await tenant.officer.get(`/loans/${id}`);

  await bounce(tenant, payment);

  const loan = await tenant.officer.get(`/loans/${id}`);
  const plan = await tenant.officer.get(`/payment-plans/${planId}`);
  const forms = await tenant.officer.get(`/loans/${id}/1099c`);
  expect(before.body).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(loan.body).toMatchObject({ status: 'active', principal_balance: '10000.00' });
  expect(loan.body.allowed_actions).toContain('payments');
  expect(plan.body).toMatchObject({
    status: 'broken',
    paid_amount: '0.00',
    completed_at: null,
    installments: [{ status: 'missed' }],
  });
  expect(forms.body).toMatchObject([{ status: 'void', amount_discharged: '6000.00' }]);
  expect(await balancesByRole(tenant)).toMatchObject({
    cash: '-10000.00',
    loans_receivable: '10000.00',
  });
  expect(await balancesByRole(tenant)).not.toHaveProperty('charge_off_expense');
  expect(await titlesOf(tenant)).toEqual([
    'Check form 1099-C of LN-2026-000001',
    'Review LN-2026-000001: earlier conclusions have changed',
  ]);
  await pay(tenant, id, '100.00');
  await travelTo(stage, tenant, '2026-01-20');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a replacement payment within the grace period still completes the settlement', async () => {
  const { tenant, id, planId, payment } = await settled(10);
  await bounce(tenant, payment);
  const between = await tenant.officer.get(`/payment-plans/${planId}`);
  await travelTo(stage, tenant, '2026-01-20');

  const second = await pay(tenant, id, '4000.00');
  await travelTo(stage, tenant, '2026-01-21');

  const loan = await tenant.officer.get(`/loans/${id}`);
  const plan = await tenant.officer.get(`/payment-plans/${planId}`);
  const forms = await tenant.officer.get(`/loans/${id}/1099c`);
  expect(between.body).toMatchObject({ status: 'active', installments: [{ status: 'pending' }] });
  expect(loan.body).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(plan.body).toMatchObject({ status: 'completed', paid_amount: '4000.00' });
  expect(forms.body.map((form: { status: string }) => form.status)).toEqual(['generated', 'void']);
  expect(await balancesByRole(tenant)).toMatchObject({ cash: '-6000.00' });
  await bounce(tenant, second);
  expect((await tenant.officer.get(`/loans/${id}`)).body.status).toBe('active');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a second payment on a settled loan keeps the settlement when the first one bounces', async () => {
  const { tenant, id, planId, payment } = await settled(10);
  await pay(tenant, id, '4000.00');
  const held = await tenant.officer.get(`/loans/${id}`);

  await bounce(tenant, payment);

  const loan = await tenant.officer.get(`/loans/${id}`);
  expect(held.body).toMatchObject({ status: 'settled', suspense_balance: '4000.00' });
  expect(loan.body).toMatchObject({
    status: 'settled',
    total_balance: '0.00',
    suspense_balance: '0.00',
  });
  expect((await tenant.officer.get(`/payment-plans/${planId}`)).body.status).toBe('completed');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a charged-off loan whose settlement breaks is charged off again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/charge-off`, { reason: 'bankruptcy' });
  await tenant.officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [{ due_date: '2026-01-15', amount: '4000.00' }],
    waive_remaining: true,
  });
  const payment = await pay(tenant, id, '4000.00');
  await travelTo(stage, tenant, '2026-01-18');
  const before = await tenant.officer.get(`/loans/${id}`);

  await bounce(tenant, payment);

  expect(before.body).toMatchObject({ status: 'settled', recovered_amount: '4000.00' });
  expect((await tenant.officer.get(`/loans/${id}`)).body).toMatchObject({
    status: 'charged_off',
    charge_off_reason: 'bankruptcy',
    charge_off_amount: '10000.00',
    charge_off_balance: '10000.00',
    recovered_amount: '0.00',
  });
  const forms = await tenant.officer.get(`/loans/${id}/1099c`);
  expect(forms.body).toMatchObject([{ status: 'void' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a lien need not be perfected again when the loan is repaid a second time', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { is_secured: true });
  const item = await tenant.officer.post('/collateral', {
    loan_id: id,
    collateral_type: 'vehicle',
  });
  const lien = await tenant.officer.post(`/collateral/${item.body.id}/liens`, {
    lien_type: 'ucc1',
  });
  const payOff = async () => {
    await admin.post(`/loans/${id}/pay-off`, {});
    const { body } = await tenant.officer.get(`/loans/${id}/payments`);
    return body.find(({ status }: { status: string }) => status === 'completed').id as string;
  };
  const release = () =>
    tenant.officer.post(`/liens/${lien.body.id}/release`, { reason: 'paid_off' });

  const early = await release();
  const first = await payOff();
  const released = await release();
  await bounce(tenant, first);
  const again = await titlesOf(tenant);
  await payOff();

  expect(early).toMatchObject({ status: 409, body: { code: 'loan_owes' } });
  expect(released.status).toBe(200);
  expect(again).toContain('Perfect the liens of LN-2026-000001 again');
  expect(await titlesOf(tenant)).not.toContain('Perfect the liens of LN-2026-000001 again');
  expect(await violationsIn(stage)).toEqual([]);
});
