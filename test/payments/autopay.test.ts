import { expect, test } from 'vitest';
import { runAutopay } from '../../jobs/payments/autopay/run-autopay.ts';
import { newEnrolledLoan, lastEventData } from '../setup/autopay.ts';
import { eventTypes, balancesByRole } from '../setup/ledger.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('the installment is drawn on its due date, and on Monday when that is a Sunday', async () => {
  const { tenant, first, plan, draws, payments } = await newEnrolledLoan(stage);

  await travelTo(stage, tenant, '2026-02-16');
  const onSunday = await payments();
  await travelTo(stage, tenant, '2026-02-19');
  const drawn = await payments();

  // February 15, 2026 is a Sunday, and the next day is a holiday.
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

test('a plan that draws some days early follows a moved due date', async () => {
  const { tenant, officer, loan, plan, draws } = await newEnrolledLoan(stage, {
    days_before_due: 4,
  });

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

test('an amount that the borrower has already paid is not drawn again', async () => {
  const { tenant, officer, loan, draws, payments } = await newEnrolledLoan(stage);

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

test('a day that runs twice, also concurrently, draws once', async () => {
  const { tenant, id, payments } = await newEnrolledLoan(stage);
  await travelTo(stage, tenant, '2026-02-17');
  const run = () => tenant.within((work) => runAutopay(work, id));

  await Promise.all([run(), run(), run()]);
  await run();
  await travelTo(stage, tenant, '2026-02-18');

  expect(await payments()).toHaveLength(1);
});

test('canceling during the run leaves a draw and a canceled plan, or only the canceled plan', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { tenant, officer, id, plan, payments, loan } = await newEnrolledLoan(stage);
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
    expect((await balancesByRole(tenant))['loans_receivable']).toBe(body.principal_balance);
  }
});

test('a loan has one open autopay plan, and twenty concurrent enrollments create one', async () => {
  const { officer, loan, instrument, id } = await newEnrolledLoan(stage);
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

test('an instrument that was blocked meanwhile causes a failed payment without an entry', async () => {
  const { tenant, officer, plan, payments, instrument } = await newEnrolledLoan(stage);
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
  expect(await balancesByRole(tenant)).not.toHaveProperty('borrower_suspense');
  expect(JSON.parse(await lastEventData(tenant, 'payment.failed'))).toMatchObject({
    will_retry: false,
  });
});

test('a custom frequency with an extra amount keeps its day through short months', async () => {
  const { tenant, draws } = await newEnrolledLoan(stage, {
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

test('a scheduled payment from a deleted account fails on its date', async () => {
  const { tenant, officer, loan, instrument, id, balances } = await newEnrolledLoan(stage);
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
  expect(await eventTypes(tenant)).not.toContain('payment.received');
});

test('no installment is drawn during a forbearance', async () => {
  const { tenant, officer, loan, draws, plan } = await newEnrolledLoan(stage);
  const agreed = await officer.post(`/loans/${loan.id}/forbearances`, {
    forbearance_type: 'full',
    start_date: '2026-02-01',
    end_date: '2026-02-28',
    reason: 'disaster',
    end_treatment: 'reinstatement',
  });

  await travelTo(stage, tenant, '2026-03-18');

  expect(agreed.status, JSON.stringify(agreed.body)).toBe(201);
  expect(await draws()).toMatchObject([
    { due_date: '2026-02-15', status: 'skipped', reason: 'payments_paused' },
    { due_date: '2026-03-15', status: 'drawn', amount: '315.68' },
  ]);
  expect(await plan()).toMatchObject({ status: 'active', next_due_date: '2026-04-15' });
});

test('a retry draws from the other account what the borrower has not paid meanwhile', async () => {
  const { tenant, officer, loan, id, draws, payments } = await newEnrolledLoan(stage);
  const other = await officer.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
    routing_number: '121000248',
    account_number: '77778888',
    account_type: 'savings',
  });
  await officer.put(`/autopay-plans/${id}`, { backup_payment_instrument_id: other.body.id });
  await travelTo(stage, tenant, '2026-02-18');
  const [drawn] = await payments();

  await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R09' });
  await officer.post(`/loans/${loan.id}/payments`, { amount: '300.00' });
  await travelTo(stage, tenant, '2026-02-24');

  expect(await draws()).toMatchObject([{ status: 'drawn', attempts: 2 }]);
  expect((await payments()).at(-1)).toMatchObject({
    amount: '15.68',
    payment_date: '2026-02-23',
    payment_instrument_id: other.body.id,
  });
});

test('an incomplete plan is refused with what is missing, and an ended one stays ended', async () => {
  const { officer, id, loan, instrument } = await newEnrolledLoan(stage, {
    end_date: '2026-02-28',
  });
  const path = `/borrowers/${loan.borrower_id}/autopay-plans`;
  const named = { loan_id: loan.id, payment_instrument_id: instrument.id };

  const fixed = await officer.put(`/autopay-plans/${id}`, { amount_type: 'fixed' });
  const backwards = await officer.put(`/autopay-plans/${id}`, { end_date: '2026-01-01' });
  const odd = await officer.put(`/autopay-plans/${id}`, { status: 'completed' });
  const off = await officer.put(`/autopay-plans/${id}`, {
    status: 'canceled',
    cancel_reason: 'borrower',
  });
  const on = await officer.put(`/autopay-plans/${id}`, { status: 'active' });
  const extra = await officer.post(path, { ...named, amount_type: 'minimum_due_plus' });

  expect(fixed.body.errors).toHaveProperty('fixed_amount');
  expect(backwards.body.errors).toHaveProperty('end_date');
  expect(odd.body.errors).toHaveProperty('status');
  expect(off.body).toMatchObject({ status: 'canceled', cancel_reason: 'borrower' });
  expect(on).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(extra.body.errors).toHaveProperty('extra_amount');
});

test('a plan that begins in a later century is refused, and changes nothing', async () => {
  const { officer, id, loan, instrument, plan } = await newEnrolledLoan(stage);
  const path = `/borrowers/${loan.borrower_id}/autopay-plans`;
  const before = await plan();

  const changed = await officer.put(`/autopay-plans/${id}`, { start_date: '9999-12-31' });
  await officer.put(`/autopay-plans/${id}`, { status: 'canceled' });
  const added = await officer.post(path, {
    loan_id: loan.id,
    payment_instrument_id: instrument.id,
    start_date: '9999-12-31',
  });

  expect([changed.status, added.status]).toEqual([422, 422]);
  expect(changed.body.errors).toHaveProperty('start_date');
  expect(added.body.errors).toHaveProperty('start_date');
  const [only, ...more] = (await officer.get('/autopay-plans')).body as Record<string, unknown>[];
  expect(only).toMatchObject({ id, start_date: before['start_date'] });
  expect(more).toEqual([]);
});
