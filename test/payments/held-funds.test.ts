import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('held money is not paid out until its release date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { principal_amount: '1000.00' });
  const over = { amount: '1100.00', hold_until: '2026-01-20' };
  const tooLong = await tenant.officer.post(`/loans/${id}/payments`, {
    amount: '1.00',
    hold_until: '2027-01-20',
  });
  const paid = await tenant.officer.post(`/loans/${id}/payments`, over);
  const payBack = (more: object = {}) =>
    tenant.officer.post(`/loans/${id}/payments/reimbursement`, { amount: '100.00', ...more });

  const early = await payBack();
  const named = await payBack({ payment_id: paid.body.id });
  await travelTo(stage, tenant, '2026-01-20');
  const settled = (await tenant.officer.get(`/payments/${paid.body.id}`)).body;
  const later = await payBack();

  expect(paid).toMatchObject({
    status: 201,
    body: { status: 'completed', hold_until: '2026-01-20' },
  });
  expect(early).toMatchObject({ status: 409, body: { code: 'exceeds_refundable' } });
  expect(named).toMatchObject({ status: 409, body: { code: 'funds_held' } });
  expect(tooLong).toMatchObject({
    status: 422,
    body: { errors: { hold_until: expect.any(String) } },
  });
  expect(settled).toMatchObject({ status: 'settled', settled_at: expect.any(String) });
  expect(later.status, JSON.stringify(later.body)).toBe(201);
});

test('a payment whose return fee was waived beforehand is returned without a fee', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const rule = { fee_type: 'returned_payment', calculation: 'flat', trigger: 'payment_returned' };
  const product_id = await newProduct(tenant, { fee_rules: [{ ...rule, amount: '25.00' }] }, admin);
  const feesAfter = async (more: object) => {
    const { id } = await newLoan(tenant, { product_id });
    const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '50.00', ...more });
    await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
    return (await tenant.officer.get(`/loans/${id}`)).body.outstanding_fees;
  };

  expect(await feesAfter({})).toBe('25.00');
  expect(await feesAfter({ waive_returned_fee: true })).toBe('0.00');
});

test('a payment is returned on the given date, and its entry has that date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount: '500.00' });
  await travelTo(stage, tenant, '2026-01-25');
  const reverse = (effective_date: string) =>
    tenant.officer.post(`/payments/${paid.body.id}/reverse`, {
      reason: 'clerical_error',
      effective_date,
    });

  const ahead = await reverse('2026-01-26');
  const before = await reverse('2026-01-14');
  const undone = await reverse('2026-01-20');
  const entries = (await tenant.officer.get(`/ledger/entries?loan_id=${id}`)).body as {
    reference_type: string;
    entry_date: string;
  }[];
  const mirror = entries.find(({ reference_type }) => reference_type === 'payment_reversal');

  expect([ahead.status, before.status]).toEqual([422, 422]);
  expect(ahead.body.errors).toHaveProperty('effective_date');
  expect(undone.body).toMatchObject({
    status: 'reversed',
    reversal_effective_date: '2026-01-20',
  });
  expect(mirror).toMatchObject({ entry_date: '2026-01-20' });
  expect(await balancesByRole(tenant)).toMatchObject({ loans_receivable: '10000.00' });
  expect(await violationsIn(stage)).toEqual([]);
});
