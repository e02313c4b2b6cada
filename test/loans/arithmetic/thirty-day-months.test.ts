import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { dueDates } from '../../../jobs/loans/arithmetic/due-dates.ts';
import { completeTerms, type Terms } from '../../../jobs/loans/arithmetic/terms.ts';
import { daysOfPeriod } from '../../../jobs/loans/arithmetic/thirty-day-months.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { payoff } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';

vi.setConfig({ testTimeout: 120_000 });

/** 36,000.00 at ten percent earns 10.00 on each day of a 360-day year. */
const PRINCIPAL = '36000.00';
const START = '2025-12-31';

function loan(given: Partial<Terms> = {}, first_payment_date = '2026-01-31') {
  const terms = completeTerms({
    interest_rate: '0.10',
    day_count: '30_360',
    amortization: 'interest_only',
    ...given,
  });
  const schedule = buildSchedule({
    ...terms,
    principal: PRINCIPAL,
    number_of_payments: 12,
    start_date: START,
    first_payment_date,
  });
  return { terms, schedule };
}

const funded: LoanEvent = {
  id: 'd',
  kind: 'disbursement',
  effective_date: START,
  amount: PRINCIPAL,
};

const paid = (effective_date: string, amount: string, index = 0): LoanEvent => ({
  id: `p${index}`,
  kind: 'payment',
  effective_date,
  amount,
});

function earned(from: string, to: string, events: readonly LoanEvent[] = []): string {
  const on = (as_of: string) =>
    new Big(fold({ ...loan(), events: [funded, ...events], as_of }).interest_accrued);
  return on(to).minus(on(from)).toFixed(2);
}

describe('by 30/360', () => {
  test.each([
    ['monthly', '2026-01-31', '2026-02-28', 30],
    ['monthly', '2026-02-28', '2026-03-31', 30],
    ['monthly', '2026-02-28', '2026-03-28', 30],
    ['monthly', '2026-01-15', '2026-02-15', 30],
    ['monthly', '2026-01-30', '2026-02-28', 30],
    ['monthly', '2025-12-31', '2026-02-28', 60],
    ['quarterly', '2025-11-30', '2026-02-28', 90],
    ['semi_monthly', '2026-02-15', '2026-02-28', 15],
    ['semi_monthly', '2026-02-28', '2026-03-15', 15],
    ['semi_monthly', '2026-01-15', '2026-01-31', 15],
    ['semi_monthly', '2026-01-16', '2026-02-01', 15],
    ['weekly', '2026-02-26', '2026-03-05', 7],
    ['biweekly', '2026-02-19', '2026-03-05', 14],
    // The days of an odd first period are counted by the NASD rule.
    ['monthly', '2026-01-31', '2026-03-15', 45],
    ['monthly', '2026-01-10', '2026-01-31', 21],
    ['weekly', '2026-02-20', '2026-03-01', 11],
  ] as const)('a %s period from %s to %s has %i days', (frequency, from, to, days) => {
    expect(daysOfPeriod(frequency, { from, to })).toBe(days);
  });

  test('every regular month has 30 days and every half month 15', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          ['monthly', 30] as const,
          ['semi_monthly', 15] as const,
          ['quarterly', 90] as const,
        ),
        fc.integer({ min: 0, max: 1500 }).map((days) => addDays('2023-01-01', days)),
        ([frequency, days], first) => {
          const dates = dueDates(frequency, first, 30, Number(first.slice(8)));
          const periods = dates.slice(1).map((to, index) => ({ from: dates[index] ?? '', to }));

          expect(new Set(periods.map((period) => daysOfPeriod(frequency, period)))).toEqual(
            new Set([days]),
          );
        },
      ),
    );
  });

  test('all periods between due dates earn the same, February included', () => {
    expect(earned('2025-12-31', '2026-01-31')).toBe('300.00');
    expect(earned('2026-01-31', '2026-02-28')).toBe('300.00');
    expect(earned('2026-02-28', '2026-03-31')).toBe('300.00');
    expect(earned('2025-12-31', '2026-12-31')).toBe('3600.00');
  });

  test('a period’s interest is spread evenly over its days', () => {
    expect(earned('2026-01-31', '2026-02-14')).toBe('150.00');
    expect(earned('2026-02-28', '2026-03-30')).toBe('290.32');
    expect(earned('2026-03-30', '2026-03-31')).toBe('9.68');
  });

  test('a payment within a period neither gains nor loses a day', () => {
    const onTheDay = [paid('2026-02-28', '18000.00')];

    expect(earned('2026-01-31', '2026-03-31', onTheDay)).toBe('455.00');
    // Half of the principal is repaid in the middle of a period of 28 days.
    const inside = [paid('2026-01-31', '300.00', 1), paid('2026-02-14', '18150.00', 2)];
    expect(earned('2026-01-31', '2026-02-28', inside)).toBe('225.00');
  });

  test('an odd first period is counted by the NASD method', () => {
    const odd = loan({}, '2026-02-15');

    expect(odd.schedule[0]).toMatchObject({ interest_amount: '450.00', days_in_period: 46 });
    expect(fold({ ...odd, events: [funded], as_of: '2026-02-15' }).accrued_interest).toBe('450.00');
  });

  test('after the last due date, months continue', () => {
    expect(earned('2026-12-31', '2027-01-31')).toBe('300.00');
    expect(earned('2027-01-31', '2027-02-28')).toBe('300.00');
    expect(earned('2027-02-28', '2027-03-31')).toBe('300.00');
  });

  test('a line without a schedule accrues by calendar months', () => {
    const { terms } = loan({ loan_type: 'line_of_credit' });
    const drawn: LoanEvent = { ...funded, kind: 'draw', effective_date: '2026-02-01' };
    const on = (as_of: string) =>
      fold({ terms, schedule: [], events: [drawn], as_of }).accrued_interest;

    expect([on('2026-02-15'), on('2026-03-01'), on('2026-04-01')]).toEqual([
      '150.00',
      '300.00',
      '600.00',
    ]);
  });

  test('a payoff in February is quoted with the actual interest per day', () => {
    const quote = payoff({ ...loan(), events: [funded] }, { payoff_date: '2026-02-14' });

    expect(quote).toMatchObject({ accrued_interest: '450.00', per_diem: '10.71' });
  });
});

const anyTerms = fc.record({
  payment_frequency: fc.constantFrom('monthly', 'quarterly', 'semi_monthly', 'weekly', 'biweekly'),
  interest_rate: fc.constantFrom('0.0399', '0.085', '0.1299'),
}) satisfies fc.Arbitrary<Partial<Terms>>;

test('interest payments within periods do not change what a 30/360 loan earns', () => {
  fc.assert(
    fc.property(
      anyTerms,
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 600 }),
      (given, first, days, until) => {
        const input = loan(given, addDays(START, first));
        const as_of = addDays(START, until);
        const unpaid = fold({ ...input, events: [funded], as_of });
        const payments = days.map((day, index) => paid(addDays(START, day), '0.01', index));
        const fees = days.map((day, index): LoanEvent => ({
          id: `f${index}`,
          kind: 'fee',
          effective_date: addDays(START, day),
          amount: '5.00',
        }));

        const state = fold({ ...input, events: [funded, ...fees, ...payments], as_of });

        expect(state.principal_balance).toBe(unpaid.principal_balance);
        expect(state.interest_accrued).toBe(unpaid.interest_accrued);
      },
    ),
  );
});

test('after a repayment within a period, the days before and after it earn on each day’s balance', () => {
  fc.assert(
    fc.property(
      anyTerms,
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 100, max: 3_000_000 }),
      (given, day, cents) => {
        const input = loan(given, addDays(START, 20));
        const on = addDays(START, day);
        const principal = new Big(cents).div(100);
        const extra: LoanEvent = {
          id: 'x',
          kind: 'service_credit',
          effective_date: on,
          amount: principal.toFixed(2),
          apply_to: 'principal',
        };
        const as_of = addDays(on, 90);
        const accrued = (events: readonly LoanEvent[], date: string) =>
          new Big(fold({ ...input, events: [funded, ...events], as_of: date }).interest_accrued);
        const after = accrued([], as_of).minus(accrued([], on));
        const left = new Big(PRINCIPAL).minus(principal).div(PRINCIPAL);

        const expected = accrued([], on).plus(after.times(left));

        expect(accrued([extra], as_of).minus(expected).abs().lt('0.000001')).toBe(true);
      },
    ),
  );
});
