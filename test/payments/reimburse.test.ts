import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const reimburse = (tenant: Tenant, id: string, body: Record<string, unknown>) =>
  tenant.officer.post(`/loans/${id}/payments/reimbursement`, body);

test('money in suspense is refunded first, and the list of suspense shows it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const payment = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '10050.00' });

  const part = await reimburse(tenant, loan.id, { amount: '20.00', reason: 'Paid too much' });
  const between = await tenant.officer.get(`/loans/${loan.id}/suspense`);
  const rest = await reimburse(tenant, loan.id, { amount: '30.00' });
  const beyond = await reimburse(tenant, loan.id, { amount: '0.01' });
  const entries = await tenant.officer.get(`/loans/${loan.id}/suspense?sort=["id","ASC"]`);

  expect(part).toMatchObject({
    status: 201,
    body: {
      payment_type: 'reimbursement',
      amount: '20.00',
      suspense_applied: '-20.00',
      principal_applied: '0.00',
      status: 'completed',
    },
  });
  expect(rest.status).toBe(201);
  expect(beyond).toMatchObject({
    status: 409,
    body: { code: 'exceeds_refundable', details: { refundable_amount: '0.00' } },
  });
  expect(between.body).toMatchObject([
    { entry_type: 'refund', amount: '-20.00', balance_after: '30.00', status: 'refunded' },
    { entry_type: 'receipt', amount: '50.00', status: 'open', payment_id: payment.body.id },
  ]);
  expect(entries.body).toMatchObject([
    { status: 'applied', balance_after: '50.00' },
    { balance_after: '30.00' },
    { balance_after: '0.00' },
  ]);
  expect(await balancesByRole(tenant)).toEqual({});
});

test('a refunded payment restores principal, up to what it repaid', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const payment = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '10000.00' });
  const payment_id = payment.body.id;

  const unnamed = await reimburse(tenant, loan.id, { amount: '100.00' });
  const given = await reimburse(tenant, loan.id, { amount: '6000.00', payment_id });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const beyond = await reimburse(tenant, loan.id, { amount: '4000.01', payment_id });

  expect(unnamed).toMatchObject({ status: 409, body: { code: 'exceeds_refundable' } });
  expect(given.body).toMatchObject({
    principal_applied: '-6000.00',
    remaining_balance: '6000.00',
    reverses_payment_id: payment_id,
  });
  expect(body).toMatchObject({ status: 'active', principal_balance: '6000.00' });
  expect(beyond).toMatchObject({
    status: 409,
    body: { code: 'exceeds_refundable', details: { refundable_amount: '4000.00' } },
  });
  expect(await balancesByRole(tenant)).toEqual({ cash: '-6000.00', loans_receivable: '6000.00' });
});

test('a refund can be reversed, but is never recorded as a payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '10050.00' });
  const given = await reimburse(tenant, loan.id, { amount: '50.00' });

  const reversed = await tenant.officer.post(`/payments/${given.body.id}/reverse`, {
    reason: 'clerical_error',
  });
  const odd = await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '1.00',
    payment_type: 'reimbursement',
  });

  expect(reversed).toMatchObject({ status: 200, body: { status: 'reversed' } });
  expect(await balancesByRole(tenant)).toEqual({ cash: '50.00', borrower_suspense: '-50.00' });
  expect(odd).toMatchObject({
    status: 422,
    body: { errors: { payment_type: expect.any(String) } },
  });
});
