import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a charge-off removes principal, accrued interest and fees from the books but not the claim', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const charged = await admin.post(`/loans/${id}/charge-off`, { reason: 'bankruptcy' });
  const again = await admin.post(`/loans/${id}/charge-off`);

  expect(charged).toMatchObject({
    status: 200,
    body: {
      status: 'charged_off',
      principal_balance: '0.00',
      accrued_interest: '0.00',
      total_balance: '0.00',
      charge_off_balance: '10000.00',
      charge_off_amount: '10000.00',
      charge_off_reason: 'bankruptcy',
      days_past_due: 0,
      allowed_actions: expect.arrayContaining(['reverse-charge-off', 'payments']),
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    charge_off_expense: '10000.00',
  });
  expect((await eventTypes(tenant)).slice(-1)).toEqual(['loan.status_changed']);
});

test('the history keeps the reason of a charge-off and the notes about it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud', notes: 'Reported by the bank.' });
  const { body: history } = await admin.get(`/loans/${id}/history`);

  expect(history).toContainEqual(
    expect.objectContaining({ action: 'charge-off', reason: 'fraud: Reported by the bank.' }),
  );
});

test('a charged-off loan accrues nothing, and payments on it are recoveries', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/charge-off`);
  await travelTo(stage, tenant, '2026-02-15');

  await tenant.officer.post(`/loans/${id}/payments`, { amount: '400.00' });
  const loan = await tenant.officer.get(`/loans/${id}`);
  const reversed = await admin.post(`/loans/${id}/reverse-charge-off`);

  expect(loan.body).toMatchObject({ status: 'charged_off', charge_off_balance: '9600.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-9600.00',
    charge_off_expense: '10000.00',
    recovery_income: '-400.00',
  });
  expect(reversed).toMatchObject({
    status: 409,
    body: { code: 'recovery_posted', details: { current_status: 'charged_off' } },
  });
});

test('a reversed charge-off leaves the loan and the books unchanged', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/charge-off`);
  await travelTo(stage, tenant, '2026-03-01');

  const reversed = await admin.post(`/loans/${id}/reverse-charge-off`, { reason: 'mistake' });
  const again = await admin.post(`/loans/${id}/reverse-charge-off`);

  // 45 days of 10000.00 at 0.085. The installment of February 15 is 14 days late.
  expect(reversed).toMatchObject({
    status: 200,
    body: {
      status: 'active',
      principal_balance: '10000.00',
      accrued_interest: '104.79',
      charge_off_balance: '0.00',
      charge_off_amount: null,
      charged_off_at: null,
      days_past_due: 14,
      delinquency_bucket: 'dpd_1_29',
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    loans_receivable: '10000.00',
    interest_receivable: '104.79',
    interest_income: '-104.79',
  });
  expect((await eventTypes(tenant)).slice(-2)).toEqual([
    'loan.status_changed',
    'delinquency.changed',
  ]);
});

test('a backdated charge-off turns later payments into recoveries', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });

  const before = await admin.post(`/loans/${id}/charge-off`, { charge_off_date: '2026-01-14' });
  const more = await admin.post(`/loans/${id}/charge-off`, { amount: '10000.01' });
  const charged = await admin.post(`/loans/${id}/charge-off`, { charge_off_date: '2026-01-20' });

  expect(before.status).toBe(422);
  expect(more).toMatchObject({ status: 422, body: { errors: { amount: expect.any(String) } } });
  expect(charged.body).toMatchObject({
    charge_off_balance: '9900.00',
    charge_off_amount: '10000.00',
  });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-9900.00',
    charge_off_expense: '10000.00',
    recovery_income: '-100.00',
  });
});

test('if default is required, a loan that is not in default is charged off only with force', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await saveSettings(tenant, { charge_off: { require_default: true } });
  const { id } = await newLoan(tenant);

  const refused = await admin.post(`/loans/${id}/charge-off`);
  const untouched = await balancesByRole(tenant);
  const forced = await admin.post(`/loans/${id}/charge-off`, { force: true });

  expect(refused).toMatchObject({ status: 409, body: { code: 'not_defaulted' } });
  expect(untouched).toEqual({ cash: '-10000.00', loans_receivable: '10000.00' });
  expect(forced.body.status).toBe('charged_off');
});

test('payments on a loan that was boarded as charged off reduce its claim', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '5000.00',
    current_principal_balance: '3000.00',
    interest_rate: '0.10',
    term_months: 24,
    origination_date: '2025-01-15',
    status: 'charged_off',
  });

  const paid = await tenant.officer.post(`/loans/${boarded.body.id}/payments`, {
    amount: '100.00',
  });
  const loan = await tenant.officer.get(`/loans/${boarded.body.id}`);

  expect(boarded.body).toMatchObject({ status: 'charged_off', charge_off_balance: '3000.00' });
  expect(paid).toMatchObject({ status: 201, body: { suspense_applied: '0.00' } });
  expect(loan.body).toMatchObject({ status: 'charged_off', charge_off_balance: '2900.00' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '100.00', recovery_income: '-100.00' });
  expect(await violationsIn(stage)).toEqual([]);
});
