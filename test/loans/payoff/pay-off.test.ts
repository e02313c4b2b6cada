import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql, type Transaction } from '../../../sql/database/db.ts';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { saveSettings } from '../../setup/settings.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

const statusChanges = (tx: Transaction) =>
  tx.any(sql.type(z.object({ new_status: z.string(), trigger: z.string() }))`
    select body::jsonb -> 'data' ->> 'new_status' as new_status,
           body::jsonb -> 'data' ->> 'trigger' as trigger
    from events where event_type = 'loan.status_changed' order by id
  `);

test('paying off a loan receives the whole debt of the day and closes the loan', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, { payment_method: 'wire' });
  const again = await tenant.officer.post(`/loans/${id}/pay-off`);
  const payments = await tenant.officer.get(`/loans/${id}/payments`);
  const events = await tenant.within(({ tx }) => statusChanges(tx));

  expect(paid).toMatchObject({
    status: 200,
    body: { status: 'paid_off', total_balance: '0.00', next_payment_date: null },
  });
  expect(again).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: { current_status: 'paid_off' } },
  });
  expect(payments.body).toMatchObject([
    {
      amount: '10023.29',
      payment_type: 'payoff',
      payment_method: 'wire',
      principal_applied: '10000.00',
      interest_applied: '23.29',
    },
  ]);
  expect(await balancesByRole(tenant)).toEqual({ cash: '23.29', interest_income: '-23.29' });
  expect((await eventTypes(tenant)).slice(-2)).toEqual(['loan.status_changed', 'payment.received']);
  expect(events.at(-1)).toEqual({ new_status: 'paid_off', trigger: 'pay-off' });
});

test('too little is refused with the required amount, and nothing is stored', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  const [books, told] = [await balancesByRole(tenant), await eventTypes(tenant)];

  const refused = await tenant.officer.post(`/loans/${id}/pay-off`, { amount: '9000.00' });

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'insufficient_payoff', details: { payoff_amount: '10023.29' } },
  });
  expect((await tenant.officer.get(`/loans/${id}/payments`)).body).toEqual([]);
  expect(await balancesByRole(tenant)).toEqual(books);
  expect(await eventTypes(tenant)).toEqual(told);
});

test('a waived amount is a service credit, and an amount below the minimum is written off to rounding', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const waived = await newLoan(tenant);
  const small = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const agreed = await tenant.officer.post(`/loans/${waived.id}/pay-off`, {
    amount: '9000.00',
    waive_residual: true,
  });
  const rounded = await tenant.officer.post(`/loans/${small.id}/pay-off`, { amount: '10022.50' });

  const credits = await tenant.officer.get(`/loans/${waived.id}/service-credits`);
  const forms = await tenant.officer.get(`/loans/${waived.id}/1099c`);
  expect(agreed.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(credits.body).toMatchObject([
    { amount: '1023.29', interest_applied: '23.29', principal_applied: '1000.00' },
  ]);
  expect(forms.body).toMatchObject([
    { amount_discharged: '1000.00', identifiable_event_code: 'F' },
  ]);
  expect(rounded.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-977.50',
    interest_income: '-46.58',
    service_credit_expense: '1023.29',
    rounding: '0.79',
  });
});

test('an amount within the tolerance is written off without a payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { payoff: { tolerance: '5.00' } });
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '9996.00' });

  const paid = await tenant.officer.post(`/loans/${id}/pay-off`);

  expect(paid.body).toMatchObject({ status: 'paid_off', principal_balance: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '-4.00', rounding: '4.00' });
});

test('a payment that leaves less than the minimum closes the loan, and its return reopens it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const last = await tenant.officer.post(`/loans/${id}/payments`, { amount: '9999.20' });
  const closed = await tenant.officer.get(`/loans/${id}`);
  const books = await balancesByRole(tenant);
  await tenant.officer.post(`/payments/${last.body.id}/reverse`, { reason: 'clerical_error' });
  const open = await tenant.officer.get(`/loans/${id}`);

  expect(last.body).toMatchObject({ remaining_balance: '0.00', principal_applied: '9999.20' });
  expect(closed.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(books).toEqual({ cash: '-0.80', rounding: '0.80' });
  expect(open.body).toMatchObject({ status: 'active', principal_balance: '10000.00' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '-10000.00', loans_receivable: '10000.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('an overpayment is accepted, and the excess waits in suspense', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, { amount: '10500.00' });

  expect(paid.body).toMatchObject({ status: 'paid_off', suspense_balance: '500.00' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '500.00', borrower_suspense: '-500.00' });
});

test('a payoff creates one reminder for suspense and one for collateral', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const item = { loan_id: id, collateral_type: 'vehicle' };
  const { body: pledged } = await tenant.officer.post('/collateral', item);
  await tenant.officer.post(`/collateral/${pledged.id}/liens`, { lien_type: 'security_agreement' });
  const payOff = () => tenant.officer.post(`/loans/${id}/pay-off`, { amount: '10500.00' });

  await payOff();
  const [payment] = (await tenant.officer.get(`/loans/${id}/payments`)).body;
  await tenant.officer.post(`/payments/${payment.id}/reverse`, { reason: 'clerical_error' });
  await payOff();
  const tasks = await tenant.officer.get('/tasks?status=open');

  expect(tasks.body.map(({ title }: { title: string }) => title).toSorted()).toEqual([
    'Refund the suspense balance of LN-2026-000001',
    'Release the liens of LN-2026-000001',
    'Review LN-2026-000001: earlier conclusions have changed',
  ]);
  expect(tasks.body[0]).toMatchObject({ loan_id: id, source: 'system', status: 'open' });
});

test('a backdated payoff counts only what was owed on that day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const future = await tenant.officer.post(`/loans/${id}/pay-off`, { payoff_date: '2026-01-26' });
  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, { payoff_date: '2026-01-20' });

  expect(future.status).toBe(422);
  expect(paid.body.status).toBe('paid_off');
  expect(await balancesByRole(tenant)).toEqual({ cash: '11.64', interest_income: '-11.64' });
});

test('a payoff that uses a quote charges the quote’s penalty once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { body: product } = await admin.get(`/products/${await tenant.first('/products')}`);
  const strict = await admin.post('/products', {
    ...product,
    code: 'STRICT',
    prepayment_penalty: { calculation: 'flat', amount: '75.00' },
  });
  const { id } = await newLoan(tenant, { product_id: strict.body.id });
  const other = await newLoan(tenant);
  const quote = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {});
  const quoted = { payoff_quote_id: quote.body.id };

  const foreign = await tenant.officer.post(`/loans/${other.id}/pay-off`, quoted);
  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, quoted);
  const answered = await tenant.officer.get(`/payoff-quotes/${quote.body.id}`);
  const payments = await tenant.officer.get(`/loans/${id}/payments`);

  expect(quote.body).toMatchObject({ payoff_amount: '10075.00' });
  expect(foreign).toMatchObject({
    status: 422,
    body: { errors: { payoff_quote_id: expect.any(String) } },
  });
  expect(paid.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(answered.body.status).toBe('accepted');
  expect(payments.body).toMatchObject([{ amount: '10075.00', fees_applied: '75.00' }]);
  expect(await violationsIn(stage)).toEqual([]);
});
