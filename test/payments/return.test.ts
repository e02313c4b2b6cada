import { expect, test } from 'vitest';
import { newEnrolledLoan, lastEventData, type Body } from '../setup/autopay.ts';
import { eventTypes, balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a return restores balances and books and is retried; a second one pauses the plan', async () => {
  const { tenant, officer, loan, plan, draws, payments, balances } = await newEnrolledLoan(stage);
  const twin = await newEnrolledLoan(stage);
  await twin.officer.delete(`/autopay-plans/${twin.id}`);
  await travelTo(stage, tenant, '2026-02-18');
  await travelTo(stage, twin.tenant, '2026-02-18');
  const [drawn] = await payments();

  const returned = await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R01' });
  const again = await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R01' });
  const event = JSON.parse(await lastEventData(tenant, 'payment.failed')) as Body;

  expect(returned).toMatchObject({
    status: 200,
    body: {
      status: 'returned',
      return_code: 'R01',
      failure_reason: 'Insufficient funds',
      reversal_reason: 'return',
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  const { next_draw, ...afterReturn } = await balances();
  const { next_draw: _, ...never } = await twin.balances();
  expect(afterReturn).toEqual(never);
  expect(next_draw).toEqual({ date: '2026-02-23', amount: '315.68' });
  expect(await balancesByRole(tenant)).toEqual(await balancesByRole(twin.tenant));
  expect(event).toMatchObject({
    payment_id: drawn?.id,
    will_retry: true,
    // Three days after the 18th is a Saturday.
    next_retry_date: '2026-02-23',
  });
  expect(await draws()).toMatchObject([{ status: 'retrying', retry_on: '2026-02-23' }]);

  await travelTo(stage, tenant, '2026-02-24');
  const retried = (await payments()).find(({ status }) => status === 'completed');
  expect(retried).toMatchObject({ payment_date: '2026-02-23', amount: '315.68' });
  expect(await draws()).toMatchObject([{ status: 'drawn', attempts: 2, payment_id: retried?.id }]);

  await officer.post(`/payments/${retried?.id}/return`, { return_code: 'R01' });
  await travelTo(stage, tenant, '2026-03-20');
  expect(await plan()).toMatchObject({ status: 'paused', consecutive_failures: 2 });
  expect(await payments()).toHaveLength(2);
  const { body } = await officer.get(`/loans/${loan.id}`);
  expect((await balancesByRole(tenant))['loans_receivable']).toBe(body.principal_balance);
  expect(body.principal_balance).toBe('10000.00');

  const resumed = await officer.put(`/autopay-plans/${(await plan())['id']}`, { status: 'active' });
  expect(resumed.body).toMatchObject({
    status: 'active',
    consecutive_failures: 0,
    next_due_date: '2026-04-15',
  });
});

test('a closed account pauses the plan immediately and blocks the instrument', async () => {
  const { tenant, officer, plan, payments, instrument } = await newEnrolledLoan(stage);
  await travelTo(stage, tenant, '2026-02-18');
  const [drawn] = await payments();

  await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R02' });
  const account = await officer.get(`/payment-instruments/${instrument.id}`);
  const resumed = await officer.put(`/autopay-plans/${(await plan())['id']}`, { status: 'active' });
  await travelTo(stage, tenant, '2026-03-20');

  expect(await plan()).toMatchObject({ status: 'paused', consecutive_failures: 1 });
  expect(account.body).toMatchObject({ status: 'blocked', last_return_code: 'R02' });
  expect(resumed).toMatchObject({ status: 409, body: { code: 'instrument_not_usable' } });
  expect(await payments()).toHaveLength(1);
});

test('the returned payment fee is charged once, and only for insufficient funds', async () => {
  const start = '2026-01-15';
  const tenant = await stage.tenant(start);
  const admin = await tenant.signedIn('admin');
  const product = await admin.post('/products', {
    program_id: await tenant.first('/programs'),
    name: 'With a return fee',
    code: 'NSF',
    fee_rules: [
      {
        fee_type: 'returned_payment',
        calculation: 'flat',
        amount: '20.00',
        trigger: 'payment_returned',
      },
    ],
  });
  const loan = await newLoan(tenant, { product_id: product.body.id });
  const pay = async () =>
    (await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '100.00' })).body.id;
  const [first, second, third] = [await pay(), await pay(), await pay()];

  await tenant.officer.post(`/payments/${first}/return`, { return_code: 'R01' });
  await tenant.officer.post(`/payments/${first}/return`, { return_code: 'R01' });
  await tenant.officer.post(`/payments/${second}/return`, { return_code: 'R10' });
  await tenant.officer.post(`/payments/${third}/return`, { return_code: 'R09', waive_fee: true });
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(body).toMatchObject({ outstanding_fees: '20.00', principal_balance: '10000.00' });
  expect(await balancesByRole(tenant)).toEqual({
    loans_receivable: '10000.00',
    cash: '-10000.00',
    fees_receivable: '20.00',
    fee_income: '-20.00',
  });
  expect((await eventTypes(tenant)).filter((type) => type === 'payment.failed')).toHaveLength(3);
});

test('the last draw pays the loan off and ends the plan; its return reopens both', async () => {
  const { tenant, officer, loan, plan, payments } = await newEnrolledLoan(stage, {
    amount_type: 'payoff',
  });
  await travelTo(stage, tenant, '2026-02-18');
  const [drawn] = await payments();
  const paidOff = await officer.get(`/loans/${loan.id}`);
  const ended = await plan();

  await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R01' });
  const reopened = await officer.get(`/loans/${loan.id}`);
  await travelTo(stage, tenant, '2026-02-24');

  expect(paidOff.body).toMatchObject({ status: 'paid_off', principal_balance: '0.00' });
  expect(ended).toMatchObject({ status: 'canceled', cancel_reason: 'loan_closed' });
  expect(reopened.body).toMatchObject({ status: 'active', principal_balance: '10000.00' });
  expect((await officer.get(`/loans/${loan.id}`)).body.status).toBe('active');
  expect((await payments()).filter(({ status }) => status === 'completed')).toHaveLength(1);
});
