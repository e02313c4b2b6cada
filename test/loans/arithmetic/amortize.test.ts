import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import {
  buildSchedule,
  type ScheduleInput,
  type ScheduleRow,
} from '../../../jobs/loans/arithmetic/amortize.ts';
import { levelPayment } from '../../../jobs/loans/arithmetic/level-payment.ts';
import { money, sum } from '../../../jobs/money.ts';

function schedule(given: Partial<ScheduleInput>): ScheduleRow[] {
  return buildSchedule({
    principal: '10000.00',
    interest_rate: '0.085',
    payment_frequency: 'monthly',
    number_of_payments: 36,
    start_date: '2026-01-15',
    ...given,
  });
}

function total(rows: ScheduleRow[], field: 'payment_amount' | 'interest_amount'): string {
  return money(sum(rows.map((row) => new Big(row[field]))));
}

describe('a level payment schedule', () => {
  test.each([
    ['10000.00', '0.085', 36, '315.68', '315.48', '1364.28', '11364.28'],
    ['25000.00', '0.0699', 60, '494.91', '495.09', '4694.78', '29694.78'],
    ['1200.00', '0', 12, '100.00', '100.00', '0.00', '1200.00'],
    ['5000.00', '0.24', 24, '264.36', '264.20', '1344.48', '6344.48'],
  ])('of %s at %s over %i months', (principal, rate, count, payment, last, interest, paid) => {
    const rows = schedule({ principal, interest_rate: rate, number_of_payments: count });

    expect(rows).toHaveLength(count);
    expect(rows[0]?.payment_amount).toBe(payment);
    expect(rows.at(-1)).toMatchObject({ payment_amount: last, ending_balance: '0.00' });
    expect(total(rows, 'interest_amount')).toBe(interest);
    expect(total(rows, 'payment_amount')).toBe(paid);
  });

  test('keeps the intended day through short months', () => {
    const rows = schedule({
      start_date: '2025-12-31',
      number_of_payments: 4,
    });

    expect(rows.map((row) => row.due_date)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
    ]);
    expect(rows.map((row) => row.days_in_period)).toEqual([31, 28, 31, 30]);
  });

  test('rounds its installment up where the lender does', () => {
    const exact = levelPayment(new Big('25000'), new Big('0.005825'), 60, { rounding: 'up' });

    expect(money(exact)).toBe('494.92');
  });
});

describe('other schedules', () => {
  test('level principal repays equal parts and falling interest', () => {
    const rows = schedule({ amortization: 'level_principal', number_of_payments: 3 });

    expect(rows.map((row) => row.principal_amount)).toEqual(['3333.33', '3333.33', '3333.34']);
    expect(rows.map((row) => row.interest_amount)).toEqual(['70.83', '47.22', '23.61']);
  });

  test('interest only leaves the principal to the last installment', () => {
    const rows = schedule({ amortization: 'interest_only', number_of_payments: 3 });

    expect(rows.map((row) => row.payment_amount)).toEqual(['70.83', '70.83', '10070.83']);
  });

  test('a balloon is what the last installment adds', () => {
    const rows = schedule({ amortization: 'balloon', balloon_amount: '4000.00' });
    const regular = new Big(rows[0]?.payment_amount ?? 0);
    const last = new Big(rows.at(-1)?.payment_amount ?? 0);

    expect(last.minus(regular).minus(4000).abs().lt(1)).toBe(true);
    expect(rows.at(-1)?.ending_balance).toBe('0.00');
  });

  test.each([
    ['weekly', 52, '2026-01-22', '2026-01-29'],
    ['biweekly', 26, '2026-01-29', '2026-02-12'],
    ['semi_monthly', 24, '2026-01-31', '2026-02-15'],
    ['quarterly', 4, '2026-04-15', '2026-07-15'],
  ] as const)('%s installments fall on their intended dates', (frequency, count, first, second) => {
    const rows = schedule({ payment_frequency: frequency, number_of_payments: count });

    expect(rows.slice(0, 2).map((row) => row.due_date)).toEqual([first, second]);
    expect(rows.at(-1)?.ending_balance).toBe('0.00');
  });

  test('a single payment carries the interest of its real days', () => {
    const rows = schedule({
      payment_frequency: 'single',
      number_of_payments: 1,
      first_payment_date: '2026-04-15',
    });

    expect(rows).toMatchObject([{ payment_amount: '10209.59', interest_amount: '209.59' }]);
  });

  test('an odd first period is paid for if installments are solved from actual days', () => {
    const odd = {
      first_payment_date: '2026-03-15',
      installment_calculation: 'actual_days',
    } as const;
    const rows = schedule(odd);
    const last = new Big(rows.at(-1)?.payment_amount ?? 0);

    expect(rows[0]?.interest_amount).toBe('137.40');
    expect(
      last
        .minus(rows[0]?.payment_amount ?? 0)
        .abs()
        .lt('0.36'),
    ).toBe(true);
  });

  test('a boarded loan keeps the installment that its lender bills', () => {
    const rows = schedule({
      principal: '9781.51',
      payment_amount: '315.68',
      number_of_payments: 35,
      first_period_number: 2,
    });

    expect(rows[0]).toMatchObject({ period_number: 2, payment_amount: '315.68' });
    expect(rows.at(-1)?.ending_balance).toBe('0.00');
  });

  test('an installment that is too small to pay the interest carries it to the end', () => {
    const rows = schedule({ payment_amount: '50.00', number_of_payments: 3 });

    expect(rows.map((row) => row.principal_amount)).toEqual(['0.00', '0.00', '10000.00']);
    expect(rows.at(-1)?.interest_amount).toBe('112.49');
  });
});
