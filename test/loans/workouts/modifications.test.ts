import { expect, test } from 'vitest';
import { eventTypes, balancesByRole, setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a lower rate lowers the installments of the same schedule and is disclosed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const made = await tenant.officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.04',
    reason: 'hardship',
  });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const plan = await tenant.officer.get(`/loans/${loan.id}/amortization`);

  // 10000.00 at 0.04 over 36 months: 295.24.
  expect(made).toMatchObject({
    status: 201,
    body: {
      status: 'completed',
      previous_terms: { interest_rate: '0.085', payment_amount: '315.68', remaining_payments: 36 },
      new_terms: { interest_rate: '0.04', payment_amount: '295.24', remaining_payments: 36 },
    },
  });
  expect(body).toMatchObject({
    interest_rate: '0.04',
    current_rate: '0.04',
    payment_amount: '295.24',
  });
  expect(plan.body).toHaveLength(36);
  expect(plan.body.at(-1)).toMatchObject({ due_date: '2029-01-15', ending_balance: '0.00' });
  expect(await eventTypes(tenant)).toContain('modification.completed');
});

test('interest and fees are capitalized, and reversing the modification restores them', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-14');
  await tenant.officer.post(`/loans/${loan.id}/fees`, {
    fee_type: 'other',
    amount: '30.00',
    effective_date: '2026-02-13',
  });
  const before = await balancesByRole(tenant);

  const made = await tenant.officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 'capitalization',
    capitalize_interest: true,
    capitalize_fees: true,
    extend_months: 12,
  });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const fee = await tenant.officer.get(`/loans/${loan.id}/fees`);
  const books = await balancesByRole(tenant);
  const reversed = await tenant.officer.post(`/modifications/${made.body.id}/reverse`);
  const again = await tenant.officer.post(`/modifications/${made.body.id}/reverse`);
  const after = await tenant.officer.get(`/loans/${loan.id}`);

  expect(made.body).toMatchObject({ capitalized_amount: '99.86', status: 'completed' });
  expect(body).toMatchObject({
    principal_balance: '10099.86',
    accrued_interest: '0.00',
    outstanding_fees: '0.00',
    maturity_date: '2030-01-15',
  });
  expect(fee.body[0]).toMatchObject({ outstanding_amount: '0.00', is_capitalized: true });
  expect(books).toMatchObject({ loans_receivable: '10099.86' });
  expect(books).not.toHaveProperty('fees_receivable');
  expect(reversed).toMatchObject({ status: 200, body: { status: 'reversed' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(after.body).toMatchObject({ principal_balance: '10000.00', payment_amount: '315.68' });
  expect(await balancesByRole(tenant)).toEqual(before);
});

test('a fee is not capitalized by a modification that was reversed, even after its charge-off', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/fees`, { fee_type: 'other', amount: '30.00' });
  await travelTo(stage, tenant, '2026-01-16');
  const made = await admin.post(`/loans/${id}/modifications`, {
    modification_type: 'capitalization',
    capitalize_fees: true,
  });
  const capitalized = await admin.get(`/loans/${id}/fees`);

  await admin.post(`/modifications/${made.body.id}/reverse`);
  await admin.post(`/loans/${id}/charge-off`, { force: true, waive_fees: false });
  const { body } = await admin.get(`/loans/${id}/fees`);

  expect(capitalized.body).toMatchObject([{ is_capitalized: true }]);
  expect(body).toMatchObject([{ is_capitalized: false }]);
});

test('forgiving 600.00 or more of principal in a year creates a 1099-C, and further forgiveness corrects it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const forgive = (principal_forgiven: string) =>
    tenant.officer.post(`/loans/${loan.id}/modifications`, {
      modification_type: 'principal_forgiveness',
      principal_forgiven,
    });
  const forms = async () => (await tenant.officer.get(`/loans/${loan.id}/1099c`)).body;

  const beyond = await forgive('10000.01');
  await forgive('400.00');
  const none = await forms();
  await forgive('200.00');
  const first = await forms();
  await forgive('100.00');
  const second = await forms();

  expect(beyond).toMatchObject({ status: 409, body: { code: 'exceeds_balance' } });
  expect(none).toEqual([]);
  expect(first).toMatchObject([{ amount_discharged: '600.00', is_corrected: false }]);
  expect(second).toMatchObject([
    { amount_discharged: '700.00', is_corrected: true, corrects_form_id: first[0].id },
    { status: 'corrected' },
  ]);
  expect(await balancesByRole(tenant)).toMatchObject({
    loans_receivable: '9300.00',
    charge_off_expense: '700.00',
  });
});

test('a re-age adds the past due amount to the new schedule', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await setBusinessDate(tenant, '2026-04-20');
  const late = await tenant.officer.get(`/loans/${loan.id}`);

  const made = await tenant.officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 're_age',
    interest_treatment: 'capitalize',
  });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(late.body).toMatchObject({ days_past_due: 64, past_due_amount: '947.04' });
  expect(made.status).toBe(201);
  expect(body).toMatchObject({
    days_past_due: 0,
    delinquency_bucket: 'current',
    next_payment_date: '2026-05-15',
  });
});

test('a payment that is too small is refused, and a larger one repays sooner', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const pay = (new_payment_amount: string) =>
    tenant.officer.post(`/loans/${loan.id}/modifications`, {
      modification_type: 'payment_change',
      new_payment_amount,
    });

  const small = await pay('50.00');
  const great = await pay('1000.00');

  expect(small).toMatchObject({
    status: 422,
    body: { errors: { new_payment_amount: 'These payments do not repay the loan.' } },
  });
  expect(great.body.new_terms).toMatchObject({ remaining_payments: 11, payment_amount: '1000.00' });
});

test('a future modification waits for its date and can be canceled until then', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}/modifications`;
  const body = { modification_type: 'rate_change', new_interest_rate: '0.05' };

  const later = await tenant.officer.post(path, { ...body, effective_date: '2026-01-17' });
  const asked = await tenant.officer.post(path, { ...body, apply_immediately: false });
  const canceled = await tenant.officer.delete(`/modifications/${asked.body.id}`);
  await travelTo(stage, tenant, '2026-01-17');
  const waiting = await tenant.officer.get(`/loans/${loan.id}`);
  await travelTo(stage, tenant, '2026-01-18');
  const applied = await tenant.officer.get(`/modifications/${later.body.id}`);
  const deleted = await tenant.officer.delete(`/modifications/${later.body.id}`);

  expect([later.body.status, asked.body.status]).toEqual(['approved', 'pending']);
  expect(canceled.body.status).toBe('canceled');
  expect(waiting.body.current_rate).toBe('0.085');
  expect(applied.body.status).toBe('completed');
  expect((await tenant.officer.get(`/loans/${loan.id}`)).body.current_rate).toBe('0.05');
  expect(deleted).toMatchObject({ status: 409, body: { code: 'immutable' } });
});

test('with maker–checker approval another person approves, and the product limits how often', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const superadmin = await tenant.signedIn('superadmin');
  await superadmin.put('/tenant/settings', { approvals: { four_eyes: ['modifications'] } });
  const path = `/loans/${loan.id}/modifications`;
  const body = { modification_type: 'term_extension', extend_months: 6 };

  const asked = await tenant.officer.post(path, body);
  const own = await tenant.officer.post(`/modifications/${asked.body.id}/approve`);
  const agreed = await superadmin.post(`/modifications/${asked.body.id}/approve`);
  for (let times = 0; times < 4; times += 1) await superadmin.post(path, body);
  const beyond = await tenant.officer.post(path, body);

  expect(asked.body.status).toBe('pending');
  expect(own).toMatchObject({ status: 409, body: { code: 'four_eyes' } });
  expect(agreed.body).toMatchObject({
    status: 'completed',
    new_terms: { remaining_payments: 42 },
  });
  expect(beyond).toMatchObject({ status: 409, body: { code: 'limit_exceeded' } });
});
