import { expect, test } from 'vitest';
import { z } from 'zod';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { drawAmount } from '../../../jobs/loans/history/autopay/draw-amount.ts';
import { money } from '../../../jobs/money.ts';
import type { AutopayPlan } from '../../../sql/loans/open-autopay-plan.ts';
import { sql } from '../../../sql/database/db.ts';
import type { Client } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant('2026-01-10');
const admin = await tenant.signedIn('admin');
const rule = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' };
const product_id = await newProduct(tenant, { fee_rules: [rule], late_fee_grace_days: 10 });

type Story = [day: string, does: (id: string, staff: Client) => Promise<unknown>][];
const pay =
  (amount: string, more: object = {}) =>
  (id: string, staff: Client) =>
    staff.post(`/loans/${id}/payments`, { amount, ...more });
const doing =
  (action: string, body: object = {}) =>
  async (id: string, staff: Client) => {
    const { status, body: reply } = await staff.post(`/loans/${id}/${action}`, body);
    if (status >= 300) throw new Error(JSON.stringify(reply));
  };

/** How each loan reaches its state on April 1, 2026. Installments are due on the 10th. */
const STANDINGS: Record<string, { wish?: object; story: Story; asks: object }> = {
  current: {
    story: [
      ['2026-02-10', pay('315.68')],
      ['2026-03-10', pay('315.68')],
    ],
    asks: { due_date: '2026-04-10', amount_due: '315.68', last_day_on_time: '2026-04-20' },
  },
  'past due': {
    story: [['2026-02-10', pay('315.68')]],
    asks: { due_date: '2026-04-10', amount_due: '656.36', fees_due: '25.00' },
  },
  'in grace': {
    wish: { payment_day: 25 },
    story: [
      ['2026-01-25', pay('315.68')],
      ['2026-02-25', pay('315.68')],
    ],
    asks: { due_date: '2026-04-25', amount_due: '631.36', fees_due: '0.00' },
  },
  'paying its last installment': {
    wish: { term_months: 3 },
    story: [
      ['2026-02-10', pay('3380.67')],
      ['2026-03-10', pay('3380.67')],
    ],
    asks: { due_date: '2026-04-10', past_due: expect.objectContaining({ amount: '0.00' }) },
  },
  'paying its last installment, with an earlier one past due and a fee': {
    wish: { term_months: 3 },
    story: [['2026-02-10', pay('3380.67')]],
    asks: { due_date: '2026-04-10', fees_due: '0.00' },
  },
  matured: { wish: { term_months: 2 }, story: [], asks: { due_date: null, fees_due: '0.00' } },
  accelerated: { story: [['2026-03-20', doing('accelerate')]], asks: { due_date: null } },
  'with fees besides': {
    story: [
      ['2026-02-10', pay('315.68')],
      ['2026-03-10', pay('315.68')],
      ['2026-03-20', doing('fees', { fee_type: 'other', amount: '12.34' })],
    ],
    asks: { due_date: '2026-04-10', amount_due: '328.02', fees_due: '12.34' },
  },
  'in forbearance': {
    story: [
      [
        '2026-02-01',
        doing('forbearances', {
          start_date: '2026-02-01',
          end_date: '2026-05-31',
          reason: 'Out of work',
        }),
      ],
    ],
    asks: {},
  },
  'paid ahead': {
    story: [['2026-02-10', pay('1500.00')]],
    asks: {},
  },
  'with a payment plan': {
    story: [
      [
        '2026-03-20',
        doing('payment-plans', {
          plan_type: 'catch_up',
          start_date: '2026-04-05',
          frequency: 'monthly',
          number_of_payments: 2,
          amount: '350.00',
        }),
      ],
    ],
    asks: { due_date: '2026-04-10', amount_due: '972.04' },
  },
};

const Figures = z.object({ figures: z.looseObject({ due: z.record(z.string(), z.any()) }) });
/** Draws everything due by an installment's date, which is also the statement's amount. */
const AUTOPAY = { amount_type: 'statement_balance', frequency: 'on_due_date' } as AutopayPlan;

const loans = new Map<string, string>();

test('statement, reminder, balances, autopay and the loan itself show one amount and one due date', async () => {
  for (const [name, { wish }] of Object.entries(STANDINGS))
    loans.set(name, (await newLoan(tenant, { product_id, ...wish })).id);
  const steps = Object.entries(STANDINGS).flatMap(([name, { story }]) =>
    story.map(([day, does]) => ({ day, does, id: loans.get(name) ?? '' })),
  );
  for (const { day, does, id } of steps.toSorted((one, other) => (one.day < other.day ? -1 : 1))) {
    await travelTo(stage, tenant, day);
    await does(id, admin);
  }
  await travelTo(stage, tenant, '2026-04-01');

  for (const [name, { asks }] of Object.entries(STANDINGS)) {
    const id = loans.get(name) ?? '';
    const { body: loan } = await admin.get(`/loans/${id}`);
    const { body: balances } = await admin.get(`/loans/${id}/get-balances`);
    const { bill } = balances;
    expect(bill, name).toMatchObject(asks);
    const asked = { date: loan.next_payment_date, amount: loan.amount_due };
    expect(Number(asked.amount), name).toBeGreaterThan(0);
    expect(bill.amount_due, name).toBe(asked.amount);
    if (bill.due_date !== null) expect(bill.due_date, name).toBe(asked.date);

    const { figures } = await tenant.within(({ tx }) =>
      tx
        .oneFirst(
          sql.type(Figures)`
        select figures from statements where loan_id = ${id} and statement_month = '2026-03-01'
      `,
        )
        .then((found) => ({ figures: found })),
    );
    expect(figures.due, name).toMatchObject({
      next_due_date: asked.date,
      amount_due: asked.amount,
      regular_payment: bill.installment.amount,
      past_due: bill.past_due.amount,
      fees: bill.fees_due,
    });

    const reminder = await admin.post('/communications/preview', {
      borrower_id: loan.borrower_id,
      loan_id: id,
      channel: 'sms',
      template_type: 'payment_reminder',
    });
    const shown = Number(asked.amount).toLocaleString('en-US', { minimumFractionDigits: 2 });
    expect(reminder.body.body, name).toContain(`$${shown}`);

    if (bill.due_date === null) continue;
    const { row, schedule, events } = await tenant.within((work) => readLoan(work, id));
    const state = fold({ terms: readTerms(row), schedule, events, as_of: bill.due_date });
    expect(money(drawAmount(AUTOPAY, state, bill.due_date)), name).toBe(asked.amount);
  }
}, 120_000);
