import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { addBankAccount } from '../../setup/nacha.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a payment plan is completed by its payments, and broken by a missed installment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const punctual = await newLoan(tenant);
  const late = await newLoan(tenant);
  const plan = {
    start_date: '2026-01-16',
    frequency: 'weekly',
    number_of_payments: 2,
    amount: '50.00',
    grace_days: 1,
  };

  const kept = await tenant.officer.post(`/loans/${punctual.id}/payment-plans`, plan);
  const missed = await tenant.officer.post(`/loans/${late.id}/payment-plans`, plan);
  const second = await tenant.officer.post(`/loans/${punctual.id}/payment-plans`, plan);
  await tenant.officer.post(`/loans/${punctual.id}/payments`, { amount: '100.00' });
  await travelTo(stage, tenant, '2026-01-18');

  expect(kept).toMatchObject({ status: 201, body: { status: 'active', total_amount: '100.00' } });
  expect(second).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect((await tenant.officer.get(`/payment-plans/${kept.body.id}`)).body).toMatchObject({
    status: 'completed',
    paid_amount: '100.00',
    installments: [{ status: 'paid' }, { status: 'paid' }],
  });
  expect((await tenant.officer.get(`/payment-plans/${missed.body.id}`)).body).toMatchObject({
    status: 'broken',
    installments: [{ due_date: '2026-01-16', status: 'missed' }, { status: 'pending' }],
  });
});

test('a paid settlement forgives the rest, closes the loan and creates the tax form', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const plan = await tenant.officer.post(`/loans/${loan.id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '4000.00',
    installments: [{ due_date: '2026-01-15', amount: '4000.00' }],
    waive_remaining: true,
    auto_collect: true,
    payment_instrument_id: await addBankAccount(tenant.officer, loan.borrower_id),
  });
  await travelTo(stage, tenant, '2026-01-16');

  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const forms = await tenant.officer.get(`/loans/${loan.id}/1099c`);

  expect(plan.status).toBe(201);
  expect(body).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    ach_clearing: '4000.00',
    charge_off_expense: '6000.00',
  });
  expect(forms.body).toMatchObject([
    {
      amount_discharged: '6000.00',
      identifiable_event_code: 'F',
      identifiable_event_date: '2026-01-15',
      source: 'system',
      status: 'generated',
    },
  ]);
});

test('a catch-up plan spreads the amount that is past due', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}/payment-plans`;
  const plan = { plan_type: 'catch_up', frequency: 'weekly', number_of_payments: 3 };
  const early = await tenant.officer.post(path, { ...plan, start_date: '2026-01-20' });
  await travelTo(stage, tenant, '2026-02-20');
  await tenant.officer.post(`/loans/${loan.id}/fees`, { fee_type: 'other', amount: '12.33' });

  const { body } = await tenant.officer.post(path, { ...plan, start_date: '2026-02-20' });

  expect(early).toMatchObject({ status: 422, body: { errors: { amount: 'Is required.' } } });
  expect(body).toMatchObject({
    total_amount: '328.01',
    installments: [
      { due_date: '2026-02-20', amount: '109.33' },
      { due_date: '2026-02-27', amount: '109.33' },
      { due_date: '2026-03-06', amount: '109.35' },
    ],
  });
});

test('a payment plan states its parts or its frequency, and its totals agree', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}/payment-plans`;
  const part = { due_date: '2026-02-01', amount: '10.00' };

  const both = await tenant.officer.post(path, { installments: [part], frequency: 'weekly' });
  const neither = await tenant.officer.post(path, {});
  const wrong = await tenant.officer.post(path, { installments: [part], total_amount: '11.00' });
  const proposed = await tenant.officer.post(path, { installments: [part], status: 'proposed' });
  const agreed = await tenant.officer.put(`/payment-plans/${proposed.body.id}`, {
    status: 'active',
  });
  const back = await tenant.officer.put(`/payment-plans/${proposed.body.id}`, {
    status: 'proposed',
  });
  const canceled = await tenant.officer.delete(`/payment-plans/${proposed.body.id}`);

  expect(both).toMatchObject({
    status: 422,
    body: { errors: { installments: expect.any(String) } },
  });
  expect(neither).toMatchObject({ status: 422, body: { errors: { amount: 'Is required.' } } });
  expect(wrong).toMatchObject({
    status: 422,
    body: { errors: { total_amount: expect.any(String) } },
  });
  expect(agreed.body.status).toBe('active');
  expect(back).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } });
});
