import { describe, expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { payment, SCHEDULE, stateOn, TERMS } from '../fixtures.ts';

describe('interest', () => {
  test.each([
    ['actual_365', '2026-01-16', '2.33'],
    ['actual_365', '2026-02-15', '72.19'],
    ['actual_360', '2026-01-16', '2.36'],
    ['actual_360', '2026-02-15', '73.19'],
  ] as const)('accrues by %s to %s: %s', (day_count, as_of, interest) => {
    expect(stateOn(as_of, [], { day_count }).accrued_interest).toBe(interest);
  });

  test('keeps ten decimal places and explains each cent', () => {
    const state = stateOn('2026-01-16', []);

    expect(state.interest_accrued).toBe('2.3287671233');
    expect(state.interest_segments).toEqual([
      {
        from: '2026-01-15',
        to: '2026-01-16',
        days: 1,
        balance: '10000.00',
        rate: '0.085',
        amount: '2.3287671233',
        rule: 'accrued',
      },
    ]);
  });

  test('skips the days of a freeze unless they are caught up', () => {
    const freeze: LoanEvent[] = [
      { id: 'f1', kind: 'accrual_stop', effective_date: '2026-01-25', reason: 'freeze' },
      { id: 'f2', kind: 'accrual_start', effective_date: '2026-02-04', reason: 'freeze' },
    ];
    const caughtUp = freeze.map((event) => ({ ...event, catch_up: true }));

    expect(stateOn('2026-02-15', freeze).accrued_interest).toBe('48.90');
    expect(stateOn('2026-02-15', caughtUp as LoanEvent[]).accrued_interest).toBe('72.19');
  });

  test('uses the lowest rate of each day during a promotion', () => {
    const promo: LoanEvent = {
      id: 'p',
      kind: 'promo',
      effective_date: '2026-01-15',
      to: '2026-01-24',
      interest_rate: '0',
    };
    const state = stateOn('2026-02-15', [promo]);

    expect(state.accrued_interest).toBe('48.90');
    expect(state.interest_segments).toMatchObject([
      { days: 10, rate: '0', amount: '0.0000000000' },
      { from: '2026-01-25', days: 21, rate: '0.085' },
    ]);
  });

  test('changes on the day of a rate change', () => {
    const change: LoanEvent = {
      id: 'r',
      kind: 'rate_change',
      effective_date: '2026-01-25',
      interest_rate: '0.0365',
    };

    expect(stateOn('2026-02-15', [change]).accrued_interest).toBe('44.29');
  });
});

describe('days past due', () => {
  test('count from the oldest unpaid installment and skip pauses', () => {
    const pause: LoanEvent = {
      id: 'z',
      kind: 'delinquency_pause',
      effective_date: '2026-02-20',
      to: '2026-03-01',
    };

    expect(stateOn('2026-02-15', []).days_past_due).toBe(0);
    expect(stateOn('2026-03-20', [])).toMatchObject({
      days_past_due: 33,
      delinquency_bucket: 'dpd_30_59',
      past_due_amount: '631.36',
    });
    expect(stateOn('2026-03-20', [pause]).days_past_due).toBe(23);
  });
});

describe('losses and changes', () => {
  test('a charge-off turns the principal into a claim that recoveries reduce', () => {
    const state = stateOn('2026-08-01', [
      { id: 'c', kind: 'charge_off', effective_date: '2026-07-15' },
      payment('r', '2026-07-20', '1000.00', { payment_type: 'recovery' }),
    ]);

    expect(state).toMatchObject({
      principal_balance: '0.00',
      total_balance: '0.00',
      charge_off_balance: '9000.00',
      is_charged_off: true,
      is_paid_off: false,
      is_accruing: false,
    });
  });

  test('acceleration makes everything due, and its reversal restores the schedule', () => {
    const accelerated: LoanEvent = { id: 'a', kind: 'acceleration', effective_date: '2026-03-01' };
    const back: LoanEvent = {
      id: 'b',
      kind: 'reversal',
      effective_date: '2026-03-10',
      reverses: 'a',
    };

    expect(stateOn('2026-03-05', [accelerated])).toMatchObject({
      is_accelerated: true,
      oldest_unpaid_due_date: '2026-02-15',
      days_past_due: 18,
      past_due_amount: '10114.11',
      next_payment_amount: '10114.11',
    });
    expect(stateOn('2026-03-20', [accelerated, back]).past_due_amount).toBe('631.36');
  });

  test('capitalized interest becomes principal and earns interest', () => {
    const state = stateOn('2026-02-15', [
      { id: 'm', kind: 'capitalization', effective_date: '2026-02-15', interest: 'all' },
    ]);

    expect(state).toMatchObject({ principal_balance: '10072.19', accrued_interest: '0.00' });
  });

  test('a boarded loan starts with its balances, and earlier due dates are history', () => {
    const state = fold({
      terms: TERMS,
      schedule: SCHEDULE,
      events: [
        {
          id: 'b',
          kind: 'boarding',
          effective_date: '2026-06-01',
          principal_balance: '9000.00',
          accrued_interest: '35.62',
          outstanding_fees: '10.00',
          paid_through_date: '2026-04-15',
        },
      ],
      as_of: '2026-06-02',
    });

    expect(state).toMatchObject({
      principal_balance: '9000.00',
      accrued_interest: '37.72',
      outstanding_fees: '10.00',
      oldest_unpaid_due_date: '2026-05-15',
      days_past_due: 18,
    });
  });

  test('collateral proceeds above the debt belong to the borrower', () => {
    const state = stateOn('2026-02-15', [
      { id: 'l', kind: 'liquidation', effective_date: '2026-02-15', net_proceeds: '10100.00' },
    ]);

    expect(state).toMatchObject({ total_balance: '0.00', surplus_balance: '27.81' });
  });
});

describe('interest that follows the schedule', () => {
  test('equals the schedule, and an early installment pays all of its own', () => {
    const events = [payment('p1', '2026-02-10', '315.68'), payment('p2', '2026-03-15', '315.68')];
    const state = stateOn('2026-03-15', events, { interest_method: 'scheduled' });

    expect(state.allocations.slice(1)).toMatchObject([
      { component: 'interest', installment_number: 1, amount: '70.83' },
      { component: 'principal', installment_number: 1, amount: '244.85' },
      { component: 'interest', installment_number: 2, amount: '69.10' },
      { component: 'principal', installment_number: 2, amount: '246.58' },
    ]);
    expect(state).toMatchObject({ principal_balance: '9508.57', accrued_interest: '0.00' });
  });
});
