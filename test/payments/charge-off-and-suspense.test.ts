import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const pay = (tenant: Tenant, id: string, amount: string, more: Record<string, unknown> = {}) =>
  tenant.officer.post(`/loans/${id}/payments`, { amount, ...more });

test('only an admin can choose what a payment is applied to', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { disbursement_date: '2026-01-05' });
  const allocation_override = [{ component: 'principal', amount: '100.00' }];

  const officer = await pay(tenant, id, '100.00', { allocation_override });
  const plain = await pay(tenant, id, '5.00', { allocation_override: null });
  const told = await admin.post(`/loans/${id}/payments`, { amount: '100.00', allocation_override });

  expect(officer).toMatchObject({ status: 403, body: { details: { required_role: 'admin' } } });
  expect(plain).toMatchObject({ status: 201, body: { interest_applied: '5.00' } });
  expect(told).toMatchObject({ status: 201, body: { principal_applied: '100.00' } });
});

test('a payment on the day of a charge-off but after it is a recovery', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/charge-off`);

  const preview = await tenant.officer.post(`/loans/${id}/payments/preview`, { amount: '300.00' });
  const paid = await pay(tenant, id, '300.00');
  const loan = await tenant.officer.get(`/loans/${id}`);

  const split = { principal_applied: '300.00', suspense_applied: '0.00' };
  expect(preview.body).toMatchObject(split);
  expect(paid).toMatchObject({ status: 201, body: { payment_type: 'recovery', ...split } });
  expect(loan.body).toMatchObject({ charge_off_balance: '9700.00', suspense_balance: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a late-entered payment from before a charge-off pays what was owed then', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post(`/loans/${id}/charge-off`);
  await travelTo(stage, tenant, '2026-03-05');

  const late = await pay(tenant, id, '315.68', { effective_date: '2026-02-15' });
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(late.body).toMatchObject({
    payment_type: 'regular',
    interest_applied: '72.19',
    principal_applied: '243.49',
  });
  expect(loan.body).toMatchObject({
    charge_off_balance: '9756.51',
    charge_off_amount: '9756.51',
    suspense_balance: '0.00',
  });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-9684.32',
    charge_off_expense: '9756.51',
    interest_income: '-72.19',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan boarded as charged off keeps its claim, and payments on it are recoveries', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'Ada', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '10000.00',
    current_principal_balance: '5000.00',
    interest_rate: '0.08',
    term_months: 36,
    origination_date: '2025-01-15',
    status: 'charged_off',
  });

  const paid = await pay(tenant, boarded.body.id, '100.00');
  const loan = await tenant.officer.get(`/loans/${boarded.body.id}`);

  expect(boarded.body).toMatchObject({ status: 'charged_off', charge_off_balance: '5000.00' });
  expect(paid.body).toMatchObject({ principal_applied: '100.00', suspense_applied: '0.00' });
  expect(loan.body).toMatchObject({ charge_off_balance: '4900.00', suspense_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '100.00', recovery_income: '-100.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('no operation puts a loan into a state that blocks closing the books', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const most = '9999999999999.99';
  const { id } = await newLoan(tenant);

  const created = newLoan(tenant, { principal_amount: most, status: 'pending' });
  await expect(created).rejects.toThrow('Must be at most 9999999999.99');
  const fee = await tenant.officer.post(`/loans/${id}/fees`, { fee_type: 'other', amount: most });
  const paid = await pay(tenant, id, most);
  await travelTo(stage, tenant, '2026-01-17');

  expect([fee.status, paid.status]).toEqual([422, 422]);
  expect(paid.body.errors).toEqual({
    amount: 'Must not raise a balance of the loan above 9999999999.99.',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment that bounces after its surplus was refunded leaves valid answers', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const over = await pay(tenant, id, '11000.00');
  const refund = { amount: '900.00', method: 'check', reason: 'Overpaid' };
  const refunded = await tenant.officer.post(`/loans/${id}/payments/reimbursement`, refund);

  await tenant.officer.post(`/payments/${over.body.id}/reverse`, { reason: 'nsf' });
  await travelTo(stage, tenant, '2026-01-16');
  const loan = await tenant.officer.get(`/loans/${id}`);
  const suspense = await tenant.officer.get(`/loans/${id}/suspense`);
  const snapshots = await tenant.officer.get(`/loan-snapshots?loan_id=${id}`);

  expect(refunded.status).toBe(201);
  expect(loan).toMatchObject({
    status: 200,
    body: { status: 'active', principal_balance: '10900.00', paid_principal: '-900.00' },
  });
  expect(suspense.status).toBe(200);
  expect(snapshots).toMatchObject({ status: 200, body: [{ total_paid_principal: '-900.00' }] });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a preview shows what a payoff takes from suspense and which unearned interest it returns', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const own = { name: 'Scheduled', code: 'SCHEDULED', interest_method: 'scheduled' };
  const product = await admin.post('/products', { ...own, day_count: '30_360' });
  const { id } = await newLoan(tenant, { product_id: product.body.id, interest_rate: '0.12' });
  await pay(tenant, id, '332.14');
  await pay(tenant, id, '40.00', { payment_type: 'fee_only' });
  await travelTo(stage, tenant, '2026-01-16');

  const preview = await tenant.officer.post(`/loans/${id}/payments/preview`, {
    amount: '9631.01',
    payment_type: 'payoff',
  });
  const credit = await tenant.officer.post(`/loans/${id}/service-credits`, {
    amount: '9671.01',
    credit_type: 'settlement',
    reason: 'Settled',
  });

  expect(preview).toMatchObject({ status: 200, body: { interest_applied: '-94.51' } });
  expect(credit).toMatchObject({
    status: 201,
    body: { principal_applied: '9765.52', interest_applied: '-94.51' },
  });
});
