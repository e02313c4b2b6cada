import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { buildSchedule, type ScheduleRow } from '../../../jobs/loans/arithmetic/amortize.ts';
import { numberOfPayments, paymentsPerYear } from '../../../jobs/loans/arithmetic/due-dates.ts';
import { flatPayment, levelPayment } from '../../../jobs/loans/arithmetic/level-payment.ts';
import { completeTerms, type Terms } from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { divide, money, ROUNDINGS, sum, toCents } from '../../../jobs/money.ts';

vi.setConfig({ testTimeout: 120_000 });

/**
 * Amounts are rounded once, from their exact value. A quotient that misses half a cent by its last digit is
 * noise.
 */

const START = '2026-01-15';
const funded = (amount: string): LoanEvent => ({
  id: 'd',
  kind: 'disbursement',
  effective_date: START,
  amount,
});

const interestOf = (rows: readonly ScheduleRow[]) =>
  sum(rows.map(({ interest_amount }) => new Big(interest_amount)));

/** 150,000.00 at 3.625 percent earns 453.125 in a month. */
const HALF_CENT = { principal: '150000.00', interest_rate: '0.03625' };

describe('half a cent', () => {
  test('of a month of interest is billed by an interest-only installment', () => {
    const rows = buildSchedule({
      ...HALF_CENT,
      start_date: START,
      payment_frequency: 'monthly',
      number_of_payments: 12,
      amortization: 'interest_only',
      interest_method: 'scheduled',
    });

    expect(rows[0]).toMatchObject({ payment_amount: '453.13', interest_amount: '453.13' });
    expect(rows.at(-1)).toMatchObject({ payment_amount: '150453.13', ending_balance: '0.00' });
  });

  test('is both earned and billed by the fold in that period', () => {
    const terms = completeTerms({
      interest_rate: HALF_CENT.interest_rate,
      interest_method: 'scheduled',
      amortization: 'interest_only',
    });
    const schedule = buildSchedule({
      ...terms,
      ...HALF_CENT,
      start_date: START,
      number_of_payments: 12,
    });
    const state = fold({
      terms,
      schedule,
      events: [funded(HALF_CENT.principal)],
      as_of: '2026-02-15',
    });

    expect(state.accrued_interest).toBe('453.13');
  });

  test.each([
    ['half_up', '453.13'],
    ['half_even', '453.12'],
    ['down', '453.12'],
  ] as const)('of a scheduled period goes %s, billed and earned', (rounding_mode, interest) => {
    const terms = completeTerms({
      interest_rate: HALF_CENT.interest_rate,
      interest_method: 'scheduled',
      rounding_mode,
    });
    const plan = { ...terms, ...HALF_CENT, start_date: START, number_of_payments: 12 };
    const schedule = buildSchedule(plan);
    const events = [funded(HALF_CENT.principal)];

    expect(schedule[0]?.interest_amount).toBe(interest);
    expect(fold({ terms, schedule, events, as_of: '2026-02-15' }).accrued_interest).toBe(interest);
  });

  test.each([
    ['half_up', '453.13'],
    ['half_even', '453.12'],
    ['up', '453.13'],
    ['down', '453.12'],
  ] as const)('of a level payment that is all interest goes %s', (rounding, payment) => {
    const rate = divide(new Big(HALF_CENT.interest_rate), 12);
    const principal = new Big(HALF_CENT.principal);
    const exact = levelPayment(principal, rate, 12, { rounding, balloon: principal });

    expect(money(exact)).toBe(payment);
  });

  test.each(ROUNDINGS)('that does not occur is not rounded, %s', (rounding) => {
    const twelfth = divide(new Big('0.12'), 12);
    const payment = flatPayment(new Big('1200.00'), [twelfth, twelfth, twelfth], rounding);

    expect(money(payment)).toBe('412.00');
  });
});

/** Fixed-point numbers with sixty places, calculated period by period. */
const UNIT = 10n ** 60n;

/** P·i / (1 − (1 + i)^−n) in cents, rounded half up, where i has thirty places. */
function levelByPeriods(cents: bigint, thirtyPlaces: bigint, count: number): bigint {
  const growth = UNIT + thirtyPlaces * 10n ** 30n;
  let [worth, annuity] = [UNIT, 0n];
  for (let period = 0; period < count; period += 1) {
    worth = (worth * UNIT) / growth;
    annuity += worth;
  }
  return (2n * cents * UNIT + annuity) / (2n * annuity);
}

test('the level payment’s present value equals the amount, for any number of periods', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 50_000, max: 500_000_000 }),
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 1, max: 480 }),
      (cents, points, count) => {
        const rate = divide(new Big(points).div(10_000), 12);
        const payment = levelPayment(new Big(cents).div(100), rate, count);

        const expected = levelByPeriods(
          BigInt(cents),
          BigInt(rate.times('1e30').toFixed(0)),
          count,
        );
        expect(payment.times(100).toFixed(0)).toBe(String(expected));
      },
    ),
    { numRuns: 100 },
  );
});

const anyFlat = fc
  .record({
    principal: fc.integer({ min: 50_000, max: 50_000_000 }).map((c) => (c / 100).toFixed(2)),
    interest_rate: fc.constantFrom('0.03625', '0.0399', '0.085', '0.1299', '0.2999'),
    payment_frequency: fc.constantFrom(
      'monthly',
      'biweekly',
      'semi_monthly',
      'weekly',
      'quarterly',
    ),
    amortization: fc.constantFrom('level_payment', 'level_principal', 'interest_only', 'balloon'),
    installment_rounding: fc.constantFrom(...ROUNDINGS),
    term_months: fc.integer({ min: 3, max: 60 }),
  } satisfies { [Key in keyof Terms]?: fc.Arbitrary<Terms[Key]> } & Record<string, unknown>)
  .map(({ principal, ...given }) => {
    const terms = completeTerms({ ...given, interest_method: 'flat' });
    const count = numberOfPayments(given.payment_frequency, given.term_months);
    const schedule = buildSchedule({
      ...terms,
      principal,
      number_of_payments: count,
      start_date: START,
    });
    const exact = new Big(principal).times(given.interest_rate).times(count);
    const total = divide(exact, paymentsPerYear(given.payment_frequency)).round(15);
    return { terms, principal, schedule, total: money(toCents(total)) };
  });

describe('flat interest', () => {
  test('is principal × rate × time, rounded once, however the installments are rounded', () => {
    fc.assert(
      fc.property(anyFlat, ({ schedule, total }) => {
        expect(money(interestOf(schedule))).toBe(total);
      }),
      { numRuns: 100 },
    );
  });

  test('stays exact if rounded-up installments repay the loan early', () => {
    const rows = buildSchedule({
      principal: '500.00',
      interest_rate: '0.085',
      interest_method: 'flat',
      payment_frequency: 'weekly',
      number_of_payments: 247,
      start_date: START,
      installment_rounding: 'up',
    });

    expect(money(interestOf(rows))).toBe('201.88');
    expect(rows.at(-1)?.ending_balance).toBe('0.00');
  });

  test('is earned to the cent, with or without scheduled payments', () => {
    fc.assert(
      fc.property(anyFlat, fc.boolean(), ({ terms, principal, schedule, total }, pays) => {
        const paid = schedule.map(({ due_date, payment_amount }, index): LoanEvent => ({
          id: `p${String(index).padStart(4, '0')}`,
          kind: 'payment',
          effective_date: due_date,
          amount: payment_amount,
        }));
        const events = [funded(principal), ...(pays ? paid : [])];
        const as_of = schedule.at(-1)?.due_date ?? START;

        const state = fold({ terms, schedule, events, as_of });

        expect(state.interest_earned).toBe(total);
        if (pays) expect(state.total_balance).toBe('0.00');
      }),
      { numRuns: 100 },
    );
  });
});
