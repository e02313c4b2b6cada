import { expect, test } from 'vitest';
import { readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { refoldLoan } from '../../../jobs/loans/history/refold-loan.ts';
import { boarder, INSTALLMENT, paid, parentsOf, TERMS } from '../../setup/boarding-histories.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** Everything that the loan shows, without what says how it came here. */
async function shown(tenant: Tenant, id: string) {
  const { body } = await tenant.officer.get(`/loans/${id}`);
  // The final payment is as of the last event, which is the boarding of one of the loans.
  const { id: _, ...loan } = body;
  const own = ['loan_number', 'created_at', 'updated_at', 'paid_off_at', 'final_payment_amount'];
  for (const field of own) delete loan[field];
  const payoff = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {
    payoff_date: loan.next_payment_date,
  });
  const { payoff_amount, per_diem } = payoff.body;
  const { state } = await tenant.within((work) => readLoan(work, id));
  const fees = state.fees.map(({ fee_id: __, ...fee }) => fee);
  return { loan, schedule: state.installments, payoff_amount, per_diem, fees };
}

test('a loan that lived elsewhere owes the same as one that lived here, and both continue alike', async () => {
  const tenant = await stage.tenant('2025-01-10');
  const parents = await parentsOf(tenant);
  const { body: lived } = await tenant.officer.post('/loans/board', { ...parents, ...TERMS });
  const pay = (id: string, amount = INSTALLMENT) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount });
  await travelTo(stage, tenant, '2025-02-08');
  await pay(lived.id);
  await travelTo(stage, tenant, '2025-03-14');
  const bounced = await pay(lived.id);
  await travelTo(stage, tenant, '2025-03-18');
  await tenant.officer.post(`/payments/${bounced.body.id}/reverse`, { reason: 'other' });
  await travelTo(stage, tenant, '2025-04-15');
  await pay(lived.id, '400.00');
  await travelTo(stage, tenant, '2025-05-20');

  const charged = (await tenant.officer.get(`/loans/${lived.id}/fees`)).body;
  const lateFees = charged.map((fee: Record<string, string>, n: number) => ({
    transaction_id: `L${n}`,
    date: fee['effective_date'],
    type: 'late_fee',
    amount: fee['amount'],
  }));
  const history = {
    transactions: [
      ...lateFees,
      paid('P1', '2025-02-08'),
      paid('P2', '2025-03-14'),
      { transaction_id: 'R2', date: '2025-03-18', type: 'payment_reversal', reverses: 'P2' },
      paid('P3', '2025-04-15', '400.00'),
    ],
  };
  const boarded = await tenant.officer.post('/loans/board', { ...parents, ...TERMS, history });
  expect(boarded.status, JSON.stringify(boarded.body)).toBe(201);
  const imported = boarded.body;

  expect(await violationsIn(stage)).toEqual([]);
  expect(await shown(tenant, imported.id)).toEqual(await shown(tenant, lived.id));
  const entries = (await tenant.officer.get(`/ledger/entries?loan_id=${imported.id}`)).body;
  await tenant.within((work) => refoldLoan(work, imported.id));
  expect((await tenant.officer.get(`/ledger/entries?loan_id=${imported.id}`)).body).toEqual(
    entries,
  );
  expect(entries).toHaveLength(1);

  const both = [lived.id, imported.id];
  const each = async (act: (id: string) => Promise<{ status: number; body: unknown }>) => {
    for (const id of both) {
      const { status, body } = await act(id);
      expect(status, JSON.stringify(body)).toBeLessThan(300);
    }
    expect(await shown(tenant, imported.id)).toEqual(await shown(tenant, lived.id));
    expect(await violationsIn(stage)).toEqual([]);
  };
  const paymentOf = async (id: string, date: string) => {
    const { body } = await tenant.officer.get(`/loans/${id}/payments`);
    return body.find((payment: Record<string, string>) => payment['effective_date'] === date).id;
  };
  const reverse = async (id: string, date: string) =>
    tenant.officer.post(`/payments/${await paymentOf(id, date)}/reverse`, { reason: 'other' });
  await each((id) => pay(id, '700.00'));
  await each((id) => reverse(id, '2025-02-08'));
  await each((id) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount: '50.00', effective_date: '2025-03-01' }),
  );
  await each(async (id) => {
    const fees = (await tenant.officer.get(`/loans/${id}/fees`)).body;
    const first = fees.find((fee: Record<string, unknown>) => fee['installment_number'] === 2);
    return tenant.officer.post(`/fees/${first.id}/waive`, { reason: 'Goodwill' });
  });
  await travelTo(stage, tenant, '2025-07-05');
  await each((id) => pay(id, '900.00'));
  await each((id) => reverse(id, '2025-04-15'));
  await travelTo(stage, tenant, '2025-08-12');
  await each((id) => tenant.officer.post(`/loans/${id}/pay-off`, {}));
  expect((await tenant.officer.get(`/loans/${imported.id}`)).body.status).toBe('paid_off');
});

test('the stated balances are compared with the history, and a difference must be accepted', async () => {
  const tenant = await stage.tenant('2025-03-01');
  const board = await boarder(tenant);
  const history = [paid('P1', '2025-02-10')];
  const stated = { current_principal_balance: '9756.53', accrued_interest: '43.17' };

  const refused = await board(history, { ...stated, outstanding_fees: '0.00' });
  const accepted = await board(history, { ...stated, accept_difference: true });
  const equal = await board(history, {
    current_principal_balance: accepted.body.principal_balance,
    accrued_interest: accepted.body.accrued_interest,
  });

  expect(refused.status).toBe(422);
  expect(refused.body.errors).toEqual({
    current_principal_balance: expect.stringContaining(accepted.body.principal_balance),
  });
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(201);
  expect(equal.status).toBe(201);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a mistake in a history is refused with its place, and so is a status that the history contradicts', async () => {
  const tenant = await stage.tenant('2025-03-01');
  const board = await boarder(tenant);

  const late = await board([paid('P1', '2025-03-02')]);
  const twice = await board([paid('P1', '2025-02-10'), paid('P1', '2025-02-11')]);
  const unknown = await board([
    { transaction_id: 'R', date: '2025-02-10', type: 'payment_reversal', reverses: 'P9' },
  ]);
  const repaid = await board([paid('P1', '2025-02-10', '20000.00')]);
  const early = await board([], { history: { from: '2025-01-09' } });
  const unopened = await board([], { history: { from: '2025-02-01' } });
  const pending = await board([], { status: 'pending' });

  expect(Object.keys(late.body.errors)).toEqual(['history.transactions[0].date']);
  expect(Object.keys(twice.body.errors)).toEqual(['history.transactions[1].transaction_id']);
  expect(Object.keys(unknown.body.errors)).toEqual(['history.transactions[0].reverses']);
  expect(repaid.body.errors).toEqual({
    status: 'By its history, the loan is paid off. Correct the status or the history.',
  });
  expect(Object.keys(early.body.errors)).toEqual(['history.from']);
  expect(Object.keys(unopened.body.errors)).toEqual(['history.opening']);
  expect(Object.keys(pending.body.errors)).toEqual(['history']);
});

test('a history can begin later than the loan, with the balances of that day', async () => {
  const tenant = await stage.tenant('2025-05-20');
  const board = await boarder(tenant);
  const opening = { principal_balance: '9513.12', paid_through_date: '2025-03-10' };

  const { status, body } = await board([paid('P3', '2025-04-10')], {
    history: { from: '2025-03-15', opening: { ...opening, accrued_interest: '11.08' } },
  });
  const early = await tenant.officer.post(`/loans/${body.id}/payments`, {
    amount: '1.00',
    effective_date: '2025-03-14',
  });
  const between = await tenant.officer.post(`/loans/${body.id}/payments`, {
    amount: '10.00',
    payment_date: '2025-04-01',
  });

  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject({ days_past_due: 10, last_payment_date: '2025-04-10' });
  expect(early.body).toMatchObject({ code: 'before_boarding' });
  expect(between.status, JSON.stringify(between.body)).toBe(201);
  expect(between.body.posted_at).toBeNull();
  expect(await violationsIn(stage)).toEqual([]);
  await tenant.within((work) => refoldLoan(work, body.id));
  expect(await violationsIn(stage)).toEqual([]);
});

test('histories that end with a payoff, or with a charge-off and recoveries, are kept', async () => {
  const tenant = await stage.tenant('2025-12-01');
  const board = await boarder(tenant);

  const repaid = await board([paid('P1', '2025-02-10', '10072.19')], { status: 'paid_off' });
  const lost = await board(
    [
      paid('P1', '2025-02-10'),
      { transaction_id: 'C', date: '2025-08-30', type: 'charge_off' },
      { transaction_id: 'R1', date: '2025-10-01', type: 'recovery', amount: '150.00' },
      paid('R2', '2025-11-01', '50.00'),
    ],
    { status: 'charged_off' },
  );
  await travelTo(stage, tenant, '2025-12-03');
  const recovered = await tenant.officer.post(`/loans/${lost.body.id}/payments`, {
    amount: '25.00',
  });
  const payments = (await tenant.officer.get(`/loans/${lost.body.id}/payments`)).body;
  const bounced = payments.find((one: Record<string, string>) => one['amount'] === '150.00');
  await tenant.officer.post(`/payments/${bounced.id}/reverse`, { reason: 'other' });
  const after = (await tenant.officer.get(`/loans/${lost.body.id}`)).body;

  expect(repaid.status, JSON.stringify(repaid.body)).toBe(201);
  expect(repaid.body).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  expect(lost.status, JSON.stringify(lost.body)).toBe(201);
  expect(lost.body).toMatchObject({
    status: 'charged_off',
    recovered_amount: '200.00',
    charge_off_amount: '9756.51',
    charge_off_balance: '9556.51',
    first_delinquency_date: '2025-03-10',
    times_delinquent_90: 1,
  });
  expect(recovered.body).toMatchObject({ payment_type: 'recovery' });
  expect(after.recovered_amount).toBe('75.00');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan that was settled for less is kept as a loan that is over, and the rest was never paid', async () => {
  const tenant = await stage.tenant('2025-12-01');
  const board = await boarder(tenant);

  const settled = await board(
    [
      paid('P1', '2025-02-10'),
      paid('P2', '2025-09-15', '6000.00'),
      { transaction_id: 'S', date: '2025-09-15', type: 'settlement' },
    ],
    { status: 'paid_off', current_principal_balance: '0.00' },
  );
  const payments = (await tenant.officer.get(`/loans/${settled.body.id}/payments`)).body;

  expect(settled.status, JSON.stringify(settled.body)).toBe(201);
  expect(settled.body).toMatchObject({ status: 'settled', total_balance: '0.00' });
  expect(payments.map(({ amount }: { amount: string }) => amount).toSorted()).toEqual([
    INSTALLMENT,
    '6000.00',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a line of credit brings its draws and billing cycles', async () => {
  const tenant = await stage.tenant('2025-05-01');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const product_id = await newProduct(tenant, {
    loan_type: 'line_of_credit',
    minimum_payment: {
      percentage: '0.01',
      floor_amount: '25.00',
      plus_interest_and_fees: true,
    },
    cycle_day: 15,
    payment_due_days: 21,
  });
  const parents = { borrower_id, program_id: await tenant.first('/programs'), product_id };
  const transactions = [
    { transaction_id: 'D1', date: '2025-01-10', type: 'draw', amount: '4000.00' },
    paid('P1', '2025-02-20', '200.00'),
    { transaction_id: 'D2', date: '2025-03-20', type: 'draw', amount: '500.00' },
  ];

  const { status, body } = await tenant.officer.post('/loans/board', {
    ...parents,
    ...TERMS,
    history: { transactions },
  });
  const draws = (await tenant.officer.get(`/loans/${body.id}/draws`)).body;
  await travelTo(stage, tenant, '2025-05-17');

  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject({ cycle_start_date: '2025-04-16', cycle_end_date: '2025-05-15' });
  expect(draws).toHaveLength(2);
  expect(await violationsIn(stage)).toEqual([]);
});
