import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { filters } from '../../templates/filters.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { pageClient } from '../setup/pages.ts';
import { portalBorrowerId } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

type Wish = Record<string, unknown>;
type Story = { product?: Wish; loan?: Wish; paid?: [day: string, amount: string][] };

/** Loans of every rhythm and kind: on time, late, paid ahead, with fees and with money that waits. */
const STORIES: Record<string, Story> = {
  'monthly, never paid': {},
  'monthly, on time': {
    paid: [
      ['2026-02-15', '315.68'],
      ['2026-03-15', '315.68'],
    ],
  },
  'monthly, paid in part': { paid: [['2026-02-15', '100.00']] },
  'monthly, paid ahead': { paid: [['2026-02-15', '1200.00']] },
  'to the next installment': {
    product: { extra_payment_to: 'next_installment' },
    paid: [['2026-02-15', '700.00']],
  },
  weekly: { product: { payment_frequency: 'weekly' }, loan: { term_months: 12 } },
  'weekly, paid once': {
    product: { payment_frequency: 'weekly' },
    paid: [['2026-02-15', '150.00']],
  },
  biweekly: { product: { payment_frequency: 'biweekly' }, loan: { term_months: 24 } },
  'semi-monthly': { product: { payment_frequency: 'semi_monthly' } },
  quarterly: { product: { payment_frequency: 'quarterly' } },
  single: { product: { payment_frequency: 'single' }, loan: { term_months: 6 } },
  'single, overdue': { product: { payment_frequency: 'single' }, loan: { term_months: 1 } },
  'level principal': { product: { amortization: 'level_principal' } },
  balloon: { product: { amortization: 'balloon', balloon_amount: '4000.00' } },
  'interest only': { product: { amortization: 'interest_only' } },
  '30/360': { product: { day_count: '30_360' } },
  'actual/360': { product: { day_count: 'actual_360' }, loan: { interest_rate: '0.19' } },
  scheduled: { product: { interest_method: 'scheduled' } },
  flat: { product: { interest_method: 'flat' } },
  'without interest': { loan: { interest_rate: '0' } },
};

const Billed = z.object({ loan_id: z.string(), figures: z.looseObject({}) });
const money = (amount: unknown) =>
  filters['currency']?.(amount, { locale: 'en-US', currency: 'USD' }) ?? '';
const shown = (page: string, label: string) =>
  new RegExp(`<dt>${label}</dt><dd>([^<]*)<`).exec(page)?.[1];

test('twenty kinds of loans have the same amounts in statement, API, portal and payoff letter', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const [borrower, outside] = [await tenant.signedIn('borrower'), newOutside(stage.pool)];
  const admin = await tenant.signedIn('admin');
  const borrower_id = await portalBorrowerId(tenant);
  const loans: [name: string, id: string][] = [];
  for (const [name, { product, loan }] of Object.entries(STORIES)) {
    const product_id = product ? await newProduct(tenant, product, admin) : undefined;
    const wish = { borrower_id, ...loan, ...(product_id && { product_id }) };
    loans.push([name, (await newLoan(tenant, wish)).id]);
  }
  for (const day of ['2026-02-15', '2026-03-15']) {
    await travelTo(stage, tenant, day);
    for (const [name, id] of loans)
      for (const [paid_on, amount] of STORIES[name]?.paid ?? [])
        if (paid_on === day) await officer.post(`/loans/${id}/payments`, { amount });
  }
  await travelTo(stage, tenant, '2026-04-01');
  const billed = await tenant.within(({ tx }) =>
    tx.any(sql.type(Billed)`
      select loan_id, figures from statements where statement_month = '2026-03-01'
    `),
  );
  const pages = pageClient(borrower);

  const compared: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [name, id] of loans) {
    const { body: loan } = await officer.get(`/loans/${id}`);
    const { body: balances } = await officer.get(`/loans/${id}/get-balances`);
    const { body: seen } = await borrower.get(`/portal/loans/${id}`);
    const page = (await pages.get(`/loans/${id}`)).body;
    const quote = await officer.post(`/loans/${id}/payoff-quotes`, {
      good_through_date: '2026-04-01',
    });
    expect(quote.status, `${name} ${JSON.stringify(quote.body)}`).toBe(201);
    const statement = billed.find(({ loan_id }) => loan_id === id)?.figures as
      { due: Wish; loan: Wish; summary: Wish } | undefined;
    compared[name] = {
      total: [statement?.summary['new_balance'], balances.total_balance],
      principal: [statement?.loan['principal_balance'], shown(page, 'Principal balance')],
      due: [statement?.due['amount_due'], seen.amount_due, shown(page, 'Amount due')],
      late: [statement?.due['past_due'], seen.past_due_amount],
      payoff: [seen.payoff_amount, shown(page, 'Payoff amount today'), quote.body.payoff_amount],
      by: statement?.due['next_due_date'],
    };
    expected[name] = {
      total: [loan.total_balance, loan.total_balance],
      principal: [loan.principal_balance, money(loan.principal_balance)],
      due: [loan.amount_due, loan.amount_due, money(loan.amount_due)],
      late: [loan.past_due_amount, loan.past_due_amount],
      payoff: [quote.body.payoff_amount, money(quote.body.payoff_amount), quote.body.payoff_amount],
      by: loan.next_payment_date,
    };
  }
  await runJobs(stage, outside, ['render-document']);

  expect(compared).toEqual(expected);
  expect(Object.keys(compared)).toHaveLength(20);
  // Each letter says the amount of its quote.
  const letters = outside.pages.filter((html) => html.includes('Payoff amount'));
  for (const [, id] of loans) {
    const [quote] = (await officer.get(`/loans/${id}/payoff-quotes`)).body;
    const letter = letters.find((html) => html.includes(quote.quote_number));
    expect([quote.quote_number, letter?.includes(money(quote.payoff_amount))]).toEqual([
      quote.quote_number,
      true,
    ]);
  }
});
