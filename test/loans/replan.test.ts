import { describe, expect, test } from 'vitest';
import type { ScheduleRow } from '../../jobs/loans/arithmetic/amortize.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import {
  changePaymentDay,
  nextNumber,
  reamortize,
  shiftPlan,
} from '../../jobs/loans/plans/replan.ts';
import { payment, SCHEDULE, stateOn, TERMS } from './fixtures.ts';

function replaced(effective_date: string, schedule: ScheduleRow[]): LoanEvent {
  return { id: 's', kind: 'schedule_replaced', effective_date, schedule };
}

describe('amortizing again', () => {
  test('spreads what is left over more instalments', () => {
    const paid = payment('p', '2026-02-15', '315.68');
    const state = stateOn('2026-02-20', [paid]);
    const plan = reamortize(state, TERMS, { effective_date: '2026-02-20', number_of_payments: 47 });

    expect(plan[0]).toMatchObject({
      period_number: 2,
      due_date: '2026-03-15',
      beginning_balance: '9756.51',
    });
    expect(plan).toHaveLength(47);
    expect(plan.at(-1)?.ending_balance).toBe('0.00');

    const after = stateOn('2026-02-20', [paid, replaced('2026-02-20', plan)]);
    expect(after.installments).toHaveLength(48);
    expect(after.installments[0]).toMatchObject({ status: 'paid', paid_amount: '315.68' });
    expect(after.next_payment_amount).toBe(plan[0]?.payment_amount);
  });

  test('leaves what is past due as it is, and repays only the rest', () => {
    const state = stateOn('2026-02-20', []);
    const plan = reamortize(state, TERMS, { effective_date: '2026-02-20' });

    expect(plan[0]).toMatchObject({ period_number: 2, beginning_balance: '9755.15' });
    expect(stateOn('2026-02-20', [replaced('2026-02-20', plan)]).days_past_due).toBe(5);
  });

  test('from the oldest unpaid instalment cures the loan', () => {
    const state = stateOn('2026-04-20', []);
    const plan = reamortize(state, TERMS, {
      effective_date: '2026-04-20',
      from: 'oldest_unpaid',
      interest_rate: '0.06',
    });

    expect(state.days_past_due).toBe(64);
    expect(plan[0]).toMatchObject({ period_number: 1, due_date: '2026-05-15' });
    expect(plan).toHaveLength(36);
    expect(stateOn('2026-04-20', [replaced('2026-04-20', plan)])).toMatchObject({
      days_past_due: 0,
      past_due_amount: '0.00',
      next_payment_date: '2026-05-15',
    });
  });
});

describe('moving due dates', () => {
  test('by two periods extends the maturity by two', () => {
    const plan = shiftPlan(SCHEDULE, { from_number: 3, frequency: 'monthly', periods: 2 });

    expect(plan[0]).toMatchObject({
      period_number: 3,
      due_date: '2026-06-15',
      days_in_period: 92,
      payment_amount: '315.68',
    });
    expect(plan.at(-1)?.due_date).toBe('2029-03-15');
  });

  test('by days keeps their distance', () => {
    const plan = shiftPlan(SCHEDULE, { from_number: 35, frequency: 'monthly', days: 10 });

    expect(plan.map((row) => row.due_date)).toEqual(['2028-12-25', '2029-01-25']);
  });

  test('to another day of the month never asks earlier', () => {
    const change = { from_number: 2, frequency: 'monthly' } as const;
    const later = changePaymentDay(SCHEDULE, { ...change, payment_day: 31 });
    const earlier = changePaymentDay(SCHEDULE, { ...change, payment_day: 1 });

    expect(later.slice(0, 2).map((row) => row.due_date)).toEqual(['2026-03-31', '2026-04-30']);
    expect(earlier[0]).toMatchObject({ due_date: '2026-04-01', days_in_period: 45 });
  });

  test('starts at the next unpaid instalment', () => {
    const state = stateOn('2026-02-10', [payment('p', '2026-02-10', '315.68')]);

    expect(nextNumber(state, '2026-02-10')).toBe(2);
  });
});
