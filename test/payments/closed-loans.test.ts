import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { pay, titlesOf } from '../loans/history/conclusion-steps.ts';

const stage = await newStage();

test('money for a paid-off loan waits for its sender, and none is ordered', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/pay-off`, {});
  await travelTo(stage, tenant, '2026-01-17');

  const late = await pay(tenant, id, '75.00', { payment_type: 'payoff' });
  const ordered = await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '75.00',
    payment_date: '2026-01-20',
  });
  const held = await tenant.officer.get(`/loans/${id}`);
  const tasks = await titlesOf(tenant);
  const refund = await admin.post(`/loans/${id}/payments/reimbursement`, { amount: '75.00' });

  expect((await tenant.officer.get(`/payments/${late}`)).body).toMatchObject({
    status: 'completed',
    suspense_applied: '75.00',
  });
  expect(ordered).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(held.body).toMatchObject({ status: 'paid_off', suspense_balance: '75.00' });
  expect(tasks).toContain('Refund the suspense balance of LN-2026-000001');
  expect(refund.status, JSON.stringify(refund.body)).toBe(201);
  expect((await tenant.officer.get(`/loans/${id}`)).body).toMatchObject({
    status: 'paid_off',
    suspense_balance: '0.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a late-entered payment before the payoff leaves the payoff’s excess in suspense', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  await admin.post(`/loans/${id}/pay-off`, {});

  await pay(tenant, id, '100.00', { payment_date: '2026-01-15' });

  const { body } = await tenant.officer.get(`/loans/${id}`);
  expect(body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  // The payoff included the 100.00 again, with its interest of five days.
  expect(body.suspense_balance).toBe('100.11');
  expect(await violationsIn(stage)).toEqual([]);
});

test('money for a canceled loan waits, and a pending or denied loan accepts none', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [canceled, pending, denied] = [
    await newLoan(tenant, { status: 'approved' }),
    await newLoan(tenant, { status: 'pending' }),
    await newLoan(tenant, { status: 'pending' }),
  ];
  await admin.post(`/loans/${canceled?.id}/cancel`, { reason: 'other' });
  await admin.post(`/loans/${denied?.id}/deny`, { reasons: ['other'] });

  await pay(tenant, canceled?.id ?? '', '30.00');
  const refused = await Promise.all(
    [pending, denied].map((loan) =>
      tenant.officer.post(`/loans/${loan?.id}/payments`, { amount: '30.00' }),
    ),
  );

  const { body } = await tenant.officer.get(`/loans/${canceled?.id}`);
  expect(body).toMatchObject({ status: 'canceled', suspense_balance: '30.00' });
  expect(refused.map(({ status }) => status)).toEqual([409, 409]);
  const refund = await admin.post(`/loans/${canceled?.id}/payments/reimbursement`, {
    amount: '30.00',
  });
  expect(refund.status, JSON.stringify(refund.body)).toBe(201);
  expect(await violationsIn(stage)).toEqual([]);
});
