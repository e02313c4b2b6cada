import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const START = '2026-01-31';

const KINDS: Record<string, Record<string, unknown>> = {
  'level payments': {},
  'actual/360, half cents to even': { day_count: 'actual_360', rounding_mode: 'half_even' },
  '30/360': { day_count: '30_360' },
  'level principal': { amortization: 'level_principal' },
  'interest alone': { amortization: 'interest_only' },
  balloon: { amortization: 'balloon', balloon_amount: '1000.00' },
  'scheduled interest': { interest_method: 'scheduled' },
  'flat interest': { interest_method: 'flat' },
  'every two weeks': { payment_frequency: 'biweekly' },
};

const FIGURES = [
  'principal_balance',
  'accrued_interest',
  'outstanding_fees',
  'total_balance',
  'next_payment_amount',
  'next_payment_date',
  'payoff_amount',
  'past_due_amount',
  'days_past_due',
] as const;

type Row = { period_number: number; due_date: string; payment_amount: string };
type Figures = Record<string, unknown>;

test('the projection for the year equals the balance once the payments were made', async () => {
  const tenant = await stage.tenant(START);
  const admin = await tenant.signedIn('admin');
  // At the end of each month, when most loans are due, and in the middle of the next.
  const days = Array.from({ length: 12 }, (_, index) =>
    new Date(Date.UTC(2026, 2 + index, index % 2 === 0 ? 0 : 10)).toISOString().slice(0, 10),
  );
  const loans = [];
  for (const [name, kind] of Object.entries(KINDS)) {
    const product_id = await newProduct(tenant, kind, admin);
    const { id } = await newLoan(tenant, { product_id, term_months: 11, interest_rate: '0.1299' });
    const rows = (await tenant.officer.get(`/loans/${id}/amortization`)).body as Row[];
    const projected: Figures[] = [];
    for (const day of days) {
      const path = `/loans/${id}/get-future-balance-projection?as_of_date=${day}`;
      projected.push((await tenant.officer.get(path)).body);
    }
    loans.push({ name, id, rows, projected });
  }

  const dues = new Set(loans.flatMap(({ rows }) => rows.map(({ due_date }) => due_date)));
  for (const today of [...new Set([...dues, ...days])].toSorted()) {
    await travelTo(stage, tenant, today);
    for (const { name, id, rows, projected } of loans) {
      for (const { due_date, payment_amount: amount } of rows) {
        if (due_date !== today) continue;
        const body = { amount, effective_date: today, payment_method: 'check' };
        const reply = await tenant.officer.post(`/loans/${id}/payments`, body);
        expect(reply.status, `${name} ${today} ${JSON.stringify(reply.body)}`).toBe(201);
      }
      if (!days.includes(today)) continue;
      const { body } = await tenant.officer.get(`/loans/${id}/get-balances?as_of_date=${today}`);
      const told = projected[days.indexOf(today)] ?? {};
      const expected = Object.fromEntries(FIGURES.map((figure) => [figure, told[figure]]));
      expect(body, `${name} on ${today}`).toMatchObject(expected);
    }
  }
  for (const { name, id } of loans) {
    const { body } = await tenant.officer.get(`/loans/${id}`);
    expect(body, name).toMatchObject({ status: 'paid_off', total_balance: '0.00' });
  }
}, 300_000);
