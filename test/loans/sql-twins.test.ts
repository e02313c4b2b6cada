import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addDays, daysBetween } from '../../jobs/dates.ts';
import { yearFraction } from '../../jobs/loans/arithmetic/day-count.ts';
import { DAY_COUNTS } from '../../jobs/loans/arithmetic/terms.ts';
import { bucketOf, daysPastDue } from '../../jobs/loans/engine/delinquency.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';
import { happen, openLoan, readLoan } from '../../jobs/loans/history/happen.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import { termsOf } from '../../jobs/loans/products/terms-of.ts';
import { sum } from '../../jobs/money.ts';
import { sql } from '../../sql/database/db.ts';
import { loans } from '../../sql/loans/loans.ts';
import { find } from '../../sql/table.ts';
import { setToday } from '../setup/books.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const START = '2023-11-20';
const aDay = fc.integer({ min: 0, max: 1500 }).map((days) => addDays(START, days));

test('a part of a year is the same fraction in SQL and in TypeScript', async () => {
  const tenant = await stage.tenant();
  const cases = fc.sample(
    fc.record({ day_count: fc.constantFrom(...DAY_COUNTS), from: aDay, to: aDay }),
    3000,
  );

  const answers = await tenant.within(({ tx }) =>
    tx.anyFirst(sql.type(z.object({ fraction: z.string() }))`
      select app.year_fraction(day_count, "from", "to") as fraction
      from jsonb_to_recordset(${JSON.stringify(cases)}::jsonb) as one (day_count text, "from" date, "to" date)
    `),
  );

  const wrong = cases.filter(
    ({ day_count, from, to }, index) => !yearFraction(day_count, from, to).eq(answers[index] ?? ''),
  );
  expect(wrong).toEqual([]);
});

test('days past due and buckets are the same in SQL and in TypeScript, pauses and grace included', async () => {
  const tenant = await stage.tenant();
  const pause = fc
    .record({ from: aDay, days: fc.integer({ min: 0, max: 90 }) })
    .map(({ from, days }) => ({ from, to: addDays(from, days) }));
  const cases = fc.sample(
    fc.record({
      oldest: aDay,
      day: aDay,
      pauses: fc.array(pause, { maxLength: 3 }),
      grace_days: fc.constantFrom(0, 0, 1, 5, 15, 40),
    }),
    2000,
  );

  const answers = await tenant.within(({ tx }) =>
    tx.any(sql.type(z.object({ days: z.int(), bucket: z.string() }))`
      select late.days, app.bucket(late.days) as bucket
      from jsonb_to_recordset(${JSON.stringify(cases)}::jsonb)
        as one (oldest date, day date, pauses jsonb, grace_days integer)
      cross join lateral (select app.days_past_due(oldest, day, pauses, grace_days)) as late (days)
    `),
  );

  const expected = cases.map(({ oldest, day, ...leniency }) => {
    const days = daysPastDue(oldest, day, leniency);
    return { days, bucket: bucketOf(days) };
  });
  expect(answers).toEqual(expected);
});

const anEvent = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('payment'),
      amount: fc.integer({ min: 100, max: 90_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fee'),
      amount: fc.integer({ min: 100, max: 5_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('accrual_stop', 'accrual_start'),
      reason: fc.constant('freeze'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rate_change'),
      rate: fc.integer({ min: 0, max: 3000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delinquency_pause'),
      days: fc.integer({ min: 1, max: 40 }),
    }),
  },
);
const aStory = fc.record({
  term_months: fc.integer({ min: 3, max: 24 }),
  rate: fc.integer({ min: 0, max: 3000 }),
  events: fc.array(fc.record({ after: fc.integer({ min: 0, max: 500 }), what: anEvent }), {
    maxLength: 12,
  }),
  looks: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 4 }),
});

const cents = (amount: number) => (amount / 100).toFixed(2);
function eventOn(date: string, what: { kind: string } & Record<string, unknown>) {
  const on = { effective_date: date };
  const amount = cents(what['amount'] as number);
  if (what.kind === 'payment') return newEvent({ ...on, kind: 'payment', amount });
  if (what.kind === 'fee') return newEvent({ ...on, kind: 'fee', amount });
  if (what.kind === 'rate_change') {
    const interest_rate = ((what['rate'] as number) / 10_000).toFixed(4);
    return newEvent({ ...on, kind: 'rate_change', interest_rate });
  }
  if (what.kind === 'delinquency_pause') {
    const to = addDays(date, what['days'] as number);
    return newEvent({ ...on, kind: 'delinquency_pause', to });
  }
  const reason = 'freeze';
  return what.kind === 'accrual_stop'
    ? newEvent({ ...on, kind: 'accrual_stop', reason })
    : newEvent({ ...on, kind: 'accrual_start', reason });
}

test('what the API reads off a loan on any later day is what its whole history folds to', async () => {
  const tenant = await stage.tenant(START);

  await fc.assert(
    fc.asyncProperty(aStory, async ({ term_months, rate, events, looks }) => {
      await setToday(tenant, START);
      const { id } = await newLoan(tenant, {
        term_months,
        interest_rate: (rate / 10_000).toFixed(4),
      });
      const dated = events.toSorted((one, other) => one.after - other.after);
      for (const { after, what } of dated) {
        await setToday(tenant, addDays(START, after));
        await tenant.within(async (work) =>
          happen(work, await openLoan(work, id), [eventOn(work.today, what)]),
        );
      }
      const last = dated.at(-1)?.after ?? 0;
      for (const later of looks) {
        const day = addDays(START, last + later);
        await setToday(tenant, day);
        const { row, loan } = await tenant.within(async (work) => ({
          row: await find(work.tx, loans, id),
          loan: await readLoan(work, id),
        }));
        const state = fold({
          terms: termsOf(loan.row),
          schedule: loan.schedule,
          events: loan.events,
          as_of: day,
        });
        const {
          principal_balance,
          accrued_interest,
          outstanding_fees,
          total_balance,
          past_due_amount,
          days_past_due,
          delinquency_bucket,
          next_payment_date,
          next_payment_amount,
        } = state;
        expect(row, `as of ${day}, ${daysBetween(START, day)} days on`).toMatchObject({
          principal_balance,
          accrued_interest,
          outstanding_fees,
          total_balance,
          past_due_amount,
          days_past_due,
          delinquency_bucket,
          next_payment_date,
          next_payment_amount,
        });
        const amountIn = (name: string) => new Big(String(row?.[name]));
        const parts = [
          amountIn('past_due_principal'),
          amountIn('past_due_interest'),
          amountIn('past_due_fees'),
        ];
        const owed = [
          amountIn('principal_balance'),
          amountIn('accrued_interest'),
          amountIn('outstanding_fees'),
        ];
        expect(sum(parts).toFixed(2)).toBe(past_due_amount);
        expect(parts.every((part, index) => part.gte(0) && part.lte(owed[index] ?? 0))).toBe(true);
        expect(amountIn('past_due_30_amount').lte(past_due_amount)).toBe(true);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('the last instalment asks for a fee that is left when all are covered, in SQL too', async () => {
  const tenant = await stage.tenant(START);
  const product_id = await newProduct(tenant, { extra_payment_to: 'next_installment' });
  const { id } = await newLoan(tenant, { product_id, term_months: 3, interest_rate: '0' });
  const events = [
    newEvent({ kind: 'fee', effective_date: START, amount: '25.00' }),
    newEvent({ kind: 'payment', effective_date: START, amount: '10000.00' }),
  ];
  const { state, row } = await tenant.within(async (work) => ({
    state: await happen(work, await openLoan(work, id), events),
    row: await find(work.tx, loans, id),
  }));

  expect(state).toMatchObject({ next_payment_amount: '25.00', past_due_amount: '0.00' });
  expect(row).toMatchObject({
    next_payment_amount: '25.00',
    next_payment_date: state.next_payment_date,
    final_payment_amount: '25.00',
    payments_remaining: 1,
    past_due_amount: '0.00',
  });
});
