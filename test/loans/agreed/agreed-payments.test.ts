import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { newLoan } from '../../setup/loans.ts';
import { addBankAccount } from '../../setup/nacha.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Row = {
  due_date: string;
  open_amount: string;
  principal_amount: string;
  beginning_balance: string;
  ending_balance: string;
};
const rowsOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/amortization`)).body as Row[];
const loanOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body as Record<string, string>;

const askedOn = (rows: readonly Row[], day: string) =>
  rows.find(({ due_date }) => due_date === day)?.open_amount ?? '0.00';

async function pay(tenant: Tenant, id: string, payment: Record<string, unknown>) {
  const body = { payment_method: 'check', ...payment };
  const made = await tenant.officer.post(`/loans/${id}/payments`, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body as { id: string; status: string };
}

type Late = { tenant: Tenant; id: string; borrower_id: string };

const plan =
  (details: object) =>
  async ({ tenant, id, borrower_id }: Late) => {
    const payment_instrument_id = await addBankAccount(tenant.officer, borrower_id);
    const body = { plan_type: 'catch_up', auto_collect: true, payment_instrument_id, ...details };
    const made = await tenant.officer.post(`/loans/${id}/payment-plans`, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  };

/** Payments by which the borrower catches up with the first installment, 2,562.81. */
const CATCHING_UP: Record<string, (late: Late) => Promise<unknown>> = {
  'by a plan between due dates': plan({
    frequency: 'weekly',
    number_of_payments: 4,
    start_date: '2026-03-01',
  }),
  'by a plan on due dates': plan({
    installments: [
      { due_date: '2026-03-15', amount: '1281.41' },
      { due_date: '2026-04-15', amount: '1281.40' },
    ],
  }),
  'by a payment before the next due date': ({ tenant, id }) =>
    pay(tenant, id, { amount: '2562.81', payment_date: '2026-03-02' }),
  'by a plan for more than is past due': plan({
    plan_type: 'repayment',
    frequency: 'weekly',
    number_of_payments: 3,
    amount: '1000.00',
    start_date: '2026-02-25',
  }),
  'in part today, in part by a payment before the next due date': async ({ tenant, id }) => {
    await pay(tenant, id, { amount: '500.00', payment_date: '2026-03-02' });
  },
};

/**
 * Loans of 10,000.00 at 12 % for 4 months, whose installment of February 15, 2,562.81, is not paid on
 * February 20. The borrowers catch up in different ways, and pay on each due date what the schedule asks.
 */
test('a past-due amount that scheduled payments will pay is counted once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = new Map<string, { id: string; borrower_id: string }>();
  for (const way of Object.keys(CATCHING_UP))
    loans.set(way, await newLoan(tenant, { interest_rate: '0.12', term_months: 4 }));
  await travelTo(stage, tenant, '2026-02-20');
  const told = new Map<string, { rows: Row[]; final: string | undefined }>();
  for (const [way, loan] of loans) {
    expect(await loanOf(tenant, loan.id)).toMatchObject({ past_due_amount: '2562.81' });
    await CATCHING_UP[way]?.({ tenant, ...loan });
    const { final_payment_amount: final } = await loanOf(tenant, loan.id);
    told.set(way, { rows: await rowsOf(tenant, loan.id), final });
    if (way.startsWith('in part today')) await pay(tenant, loan.id, { amount: '2062.81' });
  }

  const asked = new Map<string, string[]>([...loans.keys()].map((way) => [way, []]));
  for (const day of ['2026-03-15', '2026-04-15', '2026-05-15']) {
    await travelTo(stage, tenant, day);
    for (const [way, { id }] of loans) {
      const amount = askedOn(await rowsOf(tenant, id), day);
      asked.get(way)?.push(amount);
      await pay(tenant, id, { amount });
    }
  }

  for (const [way, { id }] of loans) {
    const { rows = [], final } = told.get(way) ?? {};
    const [late, ...ahead] = rows;
    expect(late?.open_amount, way).toBe('2562.81');
    if (!way.includes('more than')) {
      expect(asked.get(way), way).toEqual(ahead.map(({ open_amount }) => open_amount));
    }
    expect(asked.get(way)?.at(-1), way).toBe(final);
    expect(
      ahead.map((row) => row.beginning_balance),
      way,
    ).toEqual(rows.slice(0, -1).map((row) => row.ending_balance));
    expect(rows.at(-1)?.ending_balance, way).toBe('0.00');
    expect(await loanOf(tenant, id), way).toMatchObject({ status: 'paid_off' });
  }
}, 600_000);

test('the final payment follows when a returned payment breaks a plan and cancels its payments', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, borrower_id } = await newLoan(tenant, { interest_rate: '0.12', term_months: 12 });
  const plan = await tenant.officer.post(`/loans/${id}/payment-plans`, {
    installments: [
      { due_date: '2026-01-20', amount: '100.00' },
      { due_date: '2026-03-01', amount: '100.00' },
    ],
    grace_days: 0,
    auto_collect: true,
    payment_instrument_id: await addBankAccount(tenant.officer, borrower_id),
  });
  const check = await pay(tenant, id, { amount: '200.00' });
  await travelTo(stage, tenant, '2026-01-25');
  const completed = await tenant.officer.get(`/payment-plans/${plan.body.id}`);
  const { body: payments } = await tenant.officer.get(`/loans/${id}/payments`);
  const drawn = payments.find(
    ({ amount, status }: Record<string, string>) => amount === '100.00' && status === 'completed',
  );

  for (const payment of [drawn, check]) {
    const reversed = await tenant.officer.post(`/payments/${payment.id}/reverse`, {
      reason: 'nsf',
    });
    expect(reversed.status, JSON.stringify(reversed.body)).toBe(200);
  }
  const { body: broken } = await tenant.officer.get(`/payment-plans/${plan.body.id}`);
  const rows = await rowsOf(tenant, id);

  expect([completed.body.status, broken.status]).toEqual(['completed', 'broken']);
  expect(await loanOf(tenant, id)).toMatchObject({
    final_payment_amount: rows.at(-1)?.open_amount,
  });
});

/** A deferment with a fee of 25.00 that starts at the close of the payoff date, February 1. */
async function quotedLoan(good_through_date: string) {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { interest_rate: '0.12', term_months: 12 });
  const deferment = await tenant.officer.post(`/loans/${id}/deferments`, {
    periods: 1,
    start_date: '2026-02-01',
    fee_amount: '25.00',
    reason: 'Holiday',
  });
  const quote = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {
    payoff_date: '2026-02-01',
    good_through_date,
  });
  expect([deferment.status, quote.status]).toEqual([201, 201]);
  const quoteNow = async () => (await tenant.officer.get(`/payoff-quotes/${quote.body.id}`)).body;
  const defermentNow = async () =>
    (await tenant.officer.get(`/deferments/${deferment.body.id}`)).body;
  return { tenant, id, quote: quote.body as Record<string, string>, quoteNow, defermentNow };
}

test('a fee agreed for the close of the payoff date leaves the quote valid for its later days', async () => {
  const { tenant, id, quote, quoteNow, defermentNow } = await quotedLoan('2026-02-05');
  await travelTo(stage, tenant, '2026-02-01');
  const onTheDay = (await tenant.officer.get(`/loans/${id}/get-balances`)).body;
  await travelTo(stage, tenant, '2026-02-05');
  const later = (await tenant.officer.get(`/loans/${id}/get-balances`)).body;

  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, {
    payoff_quote_id: quote['id'],
    amount: quote['payoff_amount_good_through'],
  });

  expect(onTheDay.payoff_amount).toBe(quote['payoff_amount']);
  expect(later.payoff_amount).toBe(quote['payoff_amount_good_through']);
  expect(await defermentNow()).toMatchObject({ status: 'active' });
  expect(paid.status, JSON.stringify(paid.body)).toBe(200);
  expect(await quoteNow()).toMatchObject({ status: 'accepted' });
  expect(await loanOf(tenant, id)).toMatchObject({ status: 'paid_off', suspense_balance: '0.00' });
});

test('a quote expires at the close of its last day, even if a change starts at that close', async () => {
  const { tenant, quoteNow } = await quotedLoan('2026-02-01');

  await travelTo(stage, tenant, '2026-02-02');

  expect(await quoteNow()).toMatchObject({ status: 'expired', superseded_reason: null });
});

test('a payoff scheduled for the quoted day repays the loan before a deferment starts', async () => {
  const { tenant, id, quote, defermentNow } = await quotedLoan('2026-02-01');
  const amount = quote['payoff_amount'];
  const payment = { amount, payment_date: '2026-02-01', payment_type: 'payoff' };
  await pay(tenant, id, payment);
  const { final_payment_amount } = await loanOf(tenant, id);

  await travelTo(stage, tenant, addDays('2026-02-01', 1));

  expect(final_payment_amount).toBeNull();
  expect(await loanOf(tenant, id)).toMatchObject({
    status: 'paid_off',
    total_balance: '0.00',
    suspense_balance: '0.00',
  });
  expect(await defermentNow()).toMatchObject({ status: 'canceled' });
  expect((await tenant.officer.get(`/loans/${id}/fees`)).body).toEqual([]);
});
