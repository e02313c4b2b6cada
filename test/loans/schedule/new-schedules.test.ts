import { describe, expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import type { LoanState } from '../../../jobs/loans/engine/state.ts';
import type { Agreement } from '../../../jobs/loans/schedule/agreement.ts';
import { nextUnpaidNumber } from '../../../jobs/loans/schedule/schedule-basis.ts';
import { payment, stateOn } from '../fixtures.ts';

const agreed = (effective_date: string, agreement: Agreement): LoanEvent => ({
  id: 's',
  kind: 'schedule_agreed',
  effective_date,
  agreement,
});

const datesFrom = ({ installments }: LoanState, number: number) =>
  installments.filter(({ period_number }) => period_number >= number).map((row) => row.due_date);

describe('reamortization', () => {
  const paid = payment('p', '2026-02-15', '315.68');

  test('spreads the balance over more installments', () => {
    const dates = { first: '2026-03-15', count: 47, payment_day: null };
    const after = stateOn('2026-02-20', [
      paid,
      agreed('2026-02-20', { rule: 'spread', from: 2, dates }),
    ]);

    expect(after.installments).toHaveLength(48);
    expect(after.installments[0]).toMatchObject({ status: 'paid', paid_amount: '315.68' });
    expect(after.installments[1]).toMatchObject({
      period_number: 2,
      due_date: '2026-03-15',
      beginning_balance: '9756.51',
    });
    expect(after.installments.at(-1)?.ending_balance).toBe('0.00');
    expect(after.next_payment_amount).toBe(after.installments[1]?.payment_amount);
  });

  test('leaves the past due amount as it is, and repays only the rest', () => {
    const after = stateOn('2026-02-20', [agreed('2026-02-20', { rule: 'spread', from: 2 })]);

    // By then, 315.68 pays 83.84 of interest and 231.84 of principal.
    expect(after.installments[1]?.beginning_balance).toBe('9768.16');
    expect(after).toMatchObject({ days_past_due: 5, past_due_amount: '315.68' });
  });

  test('from the oldest unpaid installment makes the loan current', () => {
    const change: LoanEvent = {
      id: 'r',
      kind: 'rate_change',
      effective_date: '2026-04-20',
      interest_rate: '0.06',
    };
    const dates = { first: '2026-05-15', count: 36, payment_day: null };
    const plan = agreed('2026-04-20', { rule: 'spread', from: 'oldest_unpaid', dates });

    expect(stateOn('2026-04-20', []).days_past_due).toBe(64);
    const after = stateOn('2026-04-20', [change, plan]);
    expect(after).toMatchObject({
      days_past_due: 0,
      past_due_amount: '0.00',
      next_payment_date: '2026-05-15',
    });
    expect(after.installments).toHaveLength(36);
  });

  test('adjusts when an earlier payment bounces', () => {
    const extra = payment('x', '2026-02-18', '4000.00', { payment_type: 'extra_principal' });
    const plan = agreed('2026-02-20', { rule: 'spread', from: 2 });
    const bounced: LoanEvent = {
      id: 'y',
      kind: 'reversal',
      effective_date: '2026-02-25',
      reverses: 'x',
    };

    const before = stateOn('2026-02-24', [paid, extra, plan]);
    const after = stateOn('2026-02-25', [paid, extra, plan, bounced]);

    expect(before.installments[1]?.payment_amount).toBe('186.50');
    expect(after.installments).toEqual(stateOn('2026-02-25', [paid, plan]).installments);
    expect(after.installments[1]?.payment_amount).toBe('315.72');
  });

  test('repays the balance after payments of its own day', () => {
    const extra = payment('x', '2026-02-20', '4000.00', { payment_type: 'extra_principal' });
    const plan = agreed('2026-02-20', { rule: 'spread', from: 2 });

    expect(stateOn('2026-02-20', [paid, extra, plan]).installments[1]?.payment_amount).toBe(
      '186.65',
    );
  });

  test('has nothing to spread if no installments remain', () => {
    const before = stateOn('2026-02-20', [paid]);

    expect(
      stateOn('2026-02-20', [paid, agreed('2026-02-20', { rule: 'spread', from: 50 })]),
    ).toEqual(before);
  });
});

describe('moving due dates', () => {
  const moved = (by: Extract<Agreement, { rule: 'moved' }>['by'], from: number) =>
    stateOn('2026-01-20', [agreed('2026-01-20', { rule: 'moved', from, by })]);

  test('by two periods extends the maturity by two', () => {
    const after = moved({ periods: 2, payment_day: null }, 3);

    expect(after.installments[2]).toMatchObject({
      period_number: 3,
      due_date: '2026-06-15',
      days_in_period: 92,
      payment_amount: '315.68',
    });
    expect(after.maturity_date).toBe('2029-03-15');
  });

  test('by days keeps the intervals', () => {
    expect(datesFrom(moved({ days: 10 }, 35), 35)).toEqual(['2028-12-25', '2029-01-25']);
  });

  test('to another day of the month never makes an installment due earlier', () => {
    expect(datesFrom(moved({ payment_day: 31 }, 2), 2).slice(0, 2)).toEqual([
      '2026-03-31',
      '2026-04-30',
    ]);
    expect(moved({ payment_day: 1 }, 2).installments[1]).toMatchObject({
      due_date: '2026-04-01',
      days_in_period: 45,
    });
  });

  test('starts with the next unpaid installment', () => {
    const state = stateOn('2026-02-10', [payment('p', '2026-02-10', '315.68')]);

    expect(nextUnpaidNumber(state, '2026-02-10')).toBe(2);
  });
});

test('an installment moved to a day that later ones have passed can be moved again, and remains one', () => {
  const moved = agreed('2026-01-20', { rule: 'moved', from: 2, by: { days: 90 } });
  const named = (id: string, amount: string): LoanEvent => ({
    ...agreed('2026-01-21', {
      rule: 'named',
      installments: [{ number: 2, due_date: '2026-06-20', amount }],
    }),
    id,
  });
  const undone: LoanEvent = {
    id: 'u',
    kind: 'reversal',
    effective_date: '2026-01-22',
    reverses: 's',
  };

  const { installments } = stateOn('2026-01-22', [
    moved,
    named('t', '400.00'),
    named('v', '500.00'),
    undone,
  ]);
  const numbers = installments.map(({ period_number }) => period_number);

  expect(numbers.slice(0, 6)).toEqual([1, 3, 4, 5, 2, 6]);
  expect(new Set(numbers).size).toBe(36);
  expect(installments).toHaveLength(36);
  expect(installments[4]).toMatchObject({ due_date: '2026-06-20', payment_amount: '500.00' });
});

describe('lowering installments', () => {
  test('bills the difference with the next installment, or with the last', () => {
    const less = { rule: 'lowered', numbers: [2, 3], to: '100.00' } as const;
    const next = stateOn('2026-01-20', [agreed('2026-01-20', { ...less, shortfall: 'next' })]);
    const last = stateOn('2026-01-20', [agreed('2026-01-20', { ...less, shortfall: 'last' })]);
    const asked = ({ installments }: LoanState) =>
      installments.map(({ payment_amount }) => payment_amount);

    expect(asked(next).slice(0, 5)).toEqual(['315.68', '100.00', '100.00', '747.04', '315.68']);
    expect(asked(last).slice(0, 4)).toEqual(['315.68', '100.00', '100.00', '315.68']);
    expect(asked(last).at(-1)).toBe('746.84');
  });
});
