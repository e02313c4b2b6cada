import { expect, test } from 'vitest';
import { z } from 'zod';
import { runAutopay } from '../../jobs/payments/autopay.ts';
import { sql } from '../../sql/db.ts';
import { eventsOf, ledgerOf } from '../setup/books.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const ACCOUNT = {
  routing_number: '021000021',
  account_number: '000123456789',
  account_type: 'checking',
  account_holder_name: 'Grace Hopper',
};

type Body = Record<string, unknown>;

/** A loan of 10,000 in 36 instalments of 315.68, due on the 15th, whose borrower is enrolled. */
async function enrolled(plan: Body = {}, loanWish: Body = {}, start = '2026-01-15') {
  const tenant = await stage.tenant(start);
  const { officer } = tenant;
  const loan = await newLoan(tenant, loanWish);
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = await officer.post(`${path}/payment-instruments`, ACCOUNT);
  const enrolling = await officer.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.body.id,
    ...plan,
  });
  expect(enrolling.status, JSON.stringify(enrolling.body)).toBe(201);
  const id = enrolling.body.id as string;
  return {
    tenant,
    officer,
    loan,
    instrument: instrument.body as { id: string },
    first: enrolling.body as Body,
    id,
    plan: async () => (await officer.get(`/autopay-plans/${id}`)).body as Body,
    draws: async () =>
      (await officer.get(`/autopay-plans/${id}/draws?ordering=due_date`)).body as Body[],
    payments: async () =>
      (await officer.get(`/loans/${loan.id}/payments?ordering=payment_date`)).body as (Body & {
        id: string;
      })[],
    balances: async () => (await officer.get(`/loans/${loan.id}/get-balances`)).body as Body,
  };
}

const lastEvent = (tenant: Tenant, type: string) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ data: z.string() }))`
      select body::jsonb ->> 'data' as data from events
      where event_type = ${type} order by id desc limit 1
    `),
  );

test('the instalment is drawn on its due date, and on Monday when that is a Sunday', async () => {
  const { tenant, first, plan, draws, payments } = await enrolled();

  await travelTo(stage, tenant, '2026-02-16');
  const onSunday = await payments();
  await travelTo(stage, tenant, '2026-02-19');
  const drawn = await payments();

  // The 15th of February 2026 is a Sunday and the day after it a holiday.
  expect(first).toMatchObject({ next_due_date: '2026-02-15', next_run_date: '2026-02-17' });
  expect(onSunday).toEqual([]);
  expect(drawn).toMatchObject([
    {
      amount: '315.68',
      payment_date: '2026-02-17',
      source: 'autopay',
      payment_method: 'ach',
      status: 'completed',
    },
  ]);
  expect(await draws()).toMatchObject([
    { due_date: '2026-02-15', run_date: '2026-02-17', status: 'drawn', attempts: 1 },
  ]);
  expect(await plan()).toMatchObject({
    next_due_date: '2026-03-15',
    next_run_date: '2026-03-16',
    last_payment_id: drawn[0]?.id,
  });
});

test('a plan that draws days before the due date does so, and follows a moved due date', async () => {
  const { tenant, officer, loan, plan, draws } = await enrolled({ days_before_due: 4 });

  await travelTo(stage, tenant, '2026-02-12');
  const drawn = await draws();
  await officer.post(`/loans/${loan.id}/change-due-date`, { payment_day: 25 });
  await travelTo(stage, tenant, '2026-02-14');

  expect(drawn).toMatchObject([{ due_date: '2026-02-15', run_date: '2026-02-11' }]);
  const next = await plan();
  const schedule = await officer.get(`/loans/${loan.id}/amortization`);
  const due = schedule.body.map(({ due_date }: { due_date: string }) => due_date);
  expect(due).toContain(next['next_due_date']);
  expect(String(next['next_due_date']) > '2026-02-15').toBe(true);
});

test('what the borrower has paid already is not drawn again', async () => {
  const { tenant, officer, loan, draws, payments } = await enrolled();

  await officer.post(`/loans/${loan.id}/payments`, { amount: '300.00' });
  await travelTo(stage, tenant, '2026-02-20');
  await officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-03-20');

  expect(await draws()).toMatchObject([
    { due_date: '2026-02-15', amount: '15.68', status: 'drawn' },
    { due_date: '2026-03-15', amount: '0.00', status: 'skipped', reason: 'nothing_due' },
  ]);
  expect((await payments()).filter(({ source }) => source === 'autopay')).toHaveLength(1);
});

test('a day that is run twice, and at once, draws once', async () => {
  const { tenant, id, payments } = await enrolled();
  await travelTo(stage, tenant, '2026-02-17');
  const run = () => tenant.within((work) => runAutopay(work, id));

  await Promise.all([run(), run(), run()]);
  await run();
  await travelTo(stage, tenant, '2026-02-18');

  expect(await payments()).toHaveLength(1);
});

test('canceling while the day runs leaves a draw and a canceled plan, or only that', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { tenant, officer, id, plan, payments, loan } = await enrolled();
    await travelTo(stage, tenant, '2026-02-17');

    const [canceled] = await Promise.all([
      officer.delete(`/autopay-plans/${id}`),
      tenant.within((work) => runAutopay(work, id)),
    ]);
    await travelTo(stage, tenant, '2026-02-20');

    expect(canceled.status).toBe(200);
    expect(await plan()).toMatchObject({ status: 'canceled', next_run_date: null });
    const made = await payments();
    expect(made.length).toBeLessThanOrEqual(1);
    const { body } = await officer.get(`/loans/${loan.id}`);
    expect((await ledgerOf(tenant))['loans_receivable']).toBe(body.principal_balance);
  }
});

test('a loan has one open plan, and twenty enrolments at once make one', async () => {
  const { officer, loan, instrument, id } = await enrolled();
  const path = `/borrowers/${loan.borrower_id}/autopay-plans`;
  const again = { loan_id: loan.id, payment_instrument_id: instrument.id };

  const second = await officer.post(path, again);
  await officer.delete(`/autopay-plans/${id}`);
  const replies = await Promise.all(Array.from({ length: 20 }, () => officer.post(path, again)));

  expect(second).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201,
    ...Array(19).fill(409),
  ]);
});

test('a return restores balances and books and is asked for again; a second one pauses the plan', async () => {
  const { tenant, officer, loan, plan, draws, payments, balances } = await enrolled();
  const twin = await enrolled();
  await twin.officer.delete(`/autopay-plans/${twin.id}`);
  await travelTo(stage, tenant, '2026-02-18');
  await travelTo(stage, twin.tenant, '2026-02-18');
  const [drawn] = await payments();

  const returned = await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R01' });
  const again = await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R01' });
  const event = JSON.parse(await lastEvent(tenant, 'payment.failed')) as Body;

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
  expect(await balances()).toEqual(await twin.balances());
  expect(await ledgerOf(tenant)).toEqual(await ledgerOf(twin.tenant));
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
  expect((await ledgerOf(tenant))['loans_receivable']).toBe(body.principal_balance);
  expect(body.principal_balance).toBe('10000.00');

  const resumed = await officer.put(`/autopay-plans/${(await plan())['id']}`, { status: 'active' });
  expect(resumed.body).toMatchObject({
    status: 'active',
    consecutive_failures: 0,
    next_due_date: '2026-04-15',
  });
});

test('a closed account pauses the plan at once and blocks the instrument', async () => {
  const { tenant, officer, plan, payments, instrument } = await enrolled();
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

test('the fee for a returned payment is charged once, and only for want of money', async () => {
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
  expect(await ledgerOf(tenant)).toEqual({
    loans_receivable: '10000.00',
    cash: '-10000.00',
    fees_receivable: '20.00',
    fee_income: '-20.00',
  });
  expect((await eventsOf(tenant)).filter((type) => type === 'payment.failed')).toHaveLength(3);
});

test('the last draw pays the loan off and ends the plan; its return opens both again', async () => {
  const { tenant, officer, loan, plan, payments } = await enrolled({ amount_type: 'payoff' });
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

test('an instrument that is blocked meanwhile makes a failed payment and no entry', async () => {
  const { tenant, officer, plan, payments, instrument } = await enrolled();
  await officer.put(`/payment-instruments/${instrument.id}`, { status: 'blocked' });

  await travelTo(stage, tenant, '2026-02-18');

  expect(await payments()).toMatchObject([
    {
      status: 'failed',
      principal_applied: '0.00',
      failure_reason: expect.stringMatching(/instrument/),
    },
  ]);
  expect(await plan()).toMatchObject({ status: 'paused' });
  expect(await ledgerOf(tenant)).not.toHaveProperty('borrower_suspense');
  expect(JSON.parse(await lastEvent(tenant, 'payment.failed'))).toMatchObject({
    will_retry: false,
  });
});

test('a rhythm of its own, with something extra, is kept through short months', async () => {
  const { tenant, draws } = await enrolled({
    frequency: 'monthly',
    day_of_month: 31,
    amount_type: 'minimum_due_plus',
    extra_amount: '50.00',
  });

  await travelTo(stage, tenant, '2026-04-02');

  expect(await draws()).toMatchObject([
    { due_date: '2026-01-31', run_date: '2026-02-02', amount: '365.68' },
    { due_date: '2026-02-28', run_date: '2026-03-02', amount: '365.68' },
    { due_date: '2026-03-31', run_date: '2026-03-31', amount: '365.68' },
  ]);
});

test('a scheduled payment from an account that was deleted since fails on its day', async () => {
  const { tenant, officer, loan, instrument, id, balances } = await enrolled();
  const scheduled = await officer.post(`/loans/${loan.id}/payments`, {
    amount: '50.00',
    payment_date: '2026-01-20',
    payment_instrument_id: instrument.id,
  });
  await officer.delete(`/autopay-plans/${id}`);
  await officer.delete(`/payment-instruments/${instrument.id}`);

  await travelTo(stage, tenant, '2026-01-21');

  const payment = await officer.get(`/payments/${scheduled.body.id}`);
  expect(payment.body).toMatchObject({ status: 'failed', principal_applied: '0.00' });
  expect(await balances()).toMatchObject({ principal_balance: '10000.00' });
  expect(await eventsOf(tenant)).not.toContain('payment.received');
});
