import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newPortfolioForSale } from '../../setup/sales.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';
import { bounce, pay, titlesOf } from '../history/conclusion-steps.ts';

const stage = await newStage();

async function refund(tenant: Tenant, id: string, amount: string) {
  const admin = await tenant.signedIn('admin');
  const paid = await admin.post(`/loans/${id}/payments/reimbursement`, { amount });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  return paid.body.id as string;
}

/** A loan settled for 4,000.00 on January 15, with ten days of grace. */
async function settled() {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const plan = await tenant.officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [{ due_date: '2026-01-15', amount: '4000.00' }],
    waive_remaining: true,
    grace_days: 10,
  });
  const payment = await pay(tenant, id, '4000.00');
  await travelTo(stage, tenant, '2026-01-18');
  const loan = async () => (await tenant.officer.get(`/loans/${id}`)).body;
  const planned = async () => (await tenant.officer.get(`/payment-plans/${plan.body.id}`)).body;
  return { tenant, id, payment, loan, planned };
}

test('refunded money does not complete a settlement whose own payment bounces', async () => {
  const { tenant, id, payment, loan, planned } = await settled();
  await pay(tenant, id, '4000.00');
  const refunded = await refund(tenant, id, '4000.00');
  const before = await loan();

  await bounce(tenant, payment);
  const broken = [await loan(), await planned()];
  await bounce(tenant, refunded);
  await travelTo(stage, tenant, '2026-01-20');

  expect(before).toMatchObject({ status: 'settled', suspense_balance: '0.00' });
  expect(broken).toMatchObject([
    // Includes three days of interest, 6.99.
    { status: 'active', total_balance: '10006.99' },
    { status: 'active', paid_amount: '0.00' },
  ]);
  // The refund was returned, so the second payment counts again.
  expect(await loan()).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a refund is owed when the refunded payment bounces, and the settlement stands', async () => {
  const { tenant, id, loan, planned } = await settled();
  const late = await pay(tenant, id, '75.00');
  await refund(tenant, id, '75.00');

  await bounce(tenant, late);
  const owing = await loan();
  await travelTo(stage, tenant, '2026-01-20');
  const violations = await violationsIn(stage);
  const { total_balance } = await loan();
  await pay(tenant, id, total_balance);

  expect(owing).toMatchObject({ status: 'active', principal_balance: '75.00' });
  expect(violations).toEqual([]);
  expect(await planned()).toMatchObject({ status: 'completed', paid_amount: '4000.00' });
  expect(await loan()).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a refund for a transferred or canceled loan is owed without interest when its payment bounces', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [sold, canceled] = [await newLoan(tenant), await newLoan(tenant, { status: 'approved' })];
  const { admin, sell } = await newPortfolioForSale(tenant, sold.id);
  await sell({ sale_price: '10000.00', servicing_retained: false });
  await admin.post(`/loans/${canceled.id}/cancel`, { reason: 'other' });
  await travelTo(stage, tenant, '2026-01-20');
  for (const { id } of [sold, canceled]) {
    const late = await pay(tenant, id, '75.00');
    await refund(tenant, id, '75.00');
    await bounce(tenant, late);
  }
  await travelTo(stage, tenant, '2026-01-25');

  const loans = await Promise.all(
    [sold, canceled].map(async ({ id }) => (await tenant.officer.get(`/loans/${id}`)).body),
  );
  const tasks = await titlesOf(tenant);

  expect(loans).toMatchObject([
    { status: 'transferred', principal_balance: '75.00', total_balance: '75.00' },
    { status: 'canceled', principal_balance: '75.00', total_balance: '75.00' },
  ]);
  for (const { loan_number } of loans)
    expect(tasks).toContain(`Recover the refund of ${loan_number}`);
  expect(await violationsIn(stage)).toEqual([]);
  for (const { id } of [sold, canceled]) await pay(tenant, id, '75.00');
  expect((await titlesOf(tenant)).filter((title) => title.startsWith('Recover'))).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});
