import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import type { ScheduleRow } from '../../jobs/loans/arithmetic/amortize.ts';
import {
  AMORTIZATIONS,
  completeTerms,
  DAY_COUNTS,
  EXTRA_PAYMENT_TARGETS,
  INSTALLMENT_CALCULATIONS,
  INTEREST_METHODS,
  INTEREST_ROUNDINGS,
  PAYMENT_FREQUENCIES,
} from '../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';
import { firstSchedule } from '../../jobs/loans/plans/first-schedule.ts';

vi.setConfig({ testTimeout: 300_000 });

const START = '2026-01-31';

const anyContract = fc
  .record({
    principal: fc.integer({ min: 50_000, max: 50_000_000 }).map((c) => (c / 100).toFixed(2)),
    interest_rate: fc.constantFrom('0', '0.0399', '0.03625', '0.085', '0.1299', '0.2999'),
    day_count: fc.constantFrom(...DAY_COUNTS),
    interest_method: fc.constantFrom(...INTEREST_METHODS),
    amortization: fc.constantFrom(...AMORTIZATIONS),
    payment_frequency: fc.constantFrom(...PAYMENT_FREQUENCIES),
    installment_calculation: fc.constantFrom(...INSTALLMENT_CALCULATIONS),
    rounding_mode: fc.constantFrom(...INTEREST_ROUNDINGS),
    extra_payment_to: fc.constantFrom(...EXTRA_PAYMENT_TARGETS),
    term_months: fc.integer({ min: 1, max: 60 }),
    payment_day: fc.option(fc.integer({ min: 1, max: 31 })),
    first: fc.option(fc.integer({ min: 1, max: 90 })),
  })
  .map(({ principal, first, ...given }) => {
    const terms = {
      ...completeTerms(given),
      first_payment_rule: 'next_month_on_payment_day',
      min_days_to_first_payment: 15,
    } as never;
    const first_payment_date = first === null ? null : addDays(START, first);
    const spread_fees = new Big(0);
    const plan = { principal: new Big(principal), on: START, first_payment_date, spread_fees };
    return { principal, terms, schedule: firstSchedule(terms, plan) };
  });

const funded = (amount: string): LoanEvent => ({
  id: 'd',
  kind: 'disbursement',
  effective_date: START,
  amount,
});

const paidAsAsked = (rows: readonly ScheduleRow[]): LoanEvent[] =>
  rows
    .filter(({ payment_amount }) => payment_amount !== '0.00')
    .map(({ due_date, payment_amount, period_number }) => ({
      id: `p${String(period_number).padStart(4, '0')}`,
      kind: 'payment',
      effective_date: due_date,
      amount: payment_amount,
    }));

test('whoever pays what the schedule asks for, when it asks for it, owes nothing at its end', () => {
  fc.assert(
    fc.property(anyContract, ({ principal, terms, schedule }) => {
      const events = [funded(principal), ...paidAsAsked(schedule)];
      const as_of = schedule.at(-1)?.due_date ?? START;

      const state = fold({ terms, schedule, events, as_of });

      expect(state.total_balance).toBe('0.00');
      expect(state.suspense_balance).toBe('0.00');
    }),
    { numRuns: Number(process.env['LIVES'] ?? 250) },
  );
});
