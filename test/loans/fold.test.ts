import { describe, expect, test } from 'vitest';
import { buildSchedule } from '../../jobs/loans/amortize.ts';
import type { LoanEvent } from '../../jobs/loans/events.ts';
import { fold } from '../../jobs/loans/fold.ts';
import type { LoanState } from '../../jobs/loans/state.ts';
import { completeTerms } from '../../jobs/loans/terms.ts';
import type { Terms } from '../../jobs/loans/terms.ts';

const START = '2026-01-15';

const schedule = buildSchedule({
  principal: '10000.00',
  interest_rate: '0.085',
  payment_frequency: 'monthly',
  number_of_payments: 36,
  start_date: START,
});

const disbursed: LoanEvent = {
  id: 'd1',
  kind: 'disbursement',
  effective_date: START,
  amount: '10000.00',
};

function payment(id: string, effective_date: string, amount: string, rest = {}): LoanEvent {
  return { id, kind: 'payment', effective_date, amount, ...rest };
}

function stateOn(as_of: string, events: LoanEvent[], terms: Partial<Terms> = {}): LoanState {
  const all = completeTerms({ interest_rate: '0.085', term_months: 36, ...terms });
  return fold({ terms: all, schedule, events: [disbursed, ...events], as_of });
}

describe('interest', () => {
  test.each([
    ['actual_365', '2026-01-16', '2.33'],
    ['actual_365', '2026-02-15', '72.19'],
    ['actual_360', '2026-01-16', '2.36'],
    ['actual_360', '2026-02-15', '73.19'],
  ] as const)('accrues by %s to %s: %s', (day_count, as_of, interest) => {
    expect(stateOn(as_of, [], { day_count }).accrued_interest).toBe(interest);
  });

  test('keeps ten places and says where each cent comes from', () => {
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

  test('does not count the days of a freeze, unless they are caught up', () => {
    const freeze: LoanEvent[] = [
      { id: 'f1', kind: 'accrual_stop', effective_date: '2026-01-25', reason: 'freeze' },
      { id: 'f2', kind: 'accrual_start', effective_date: '2026-02-04', reason: 'freeze' },
    ];
    const caughtUp = freeze.map((event) => ({ ...event, catch_up: true }));

    expect(stateOn('2026-02-15', freeze).accrued_interest).toBe('48.90');
    expect(stateOn('2026-02-15', caughtUp as LoanEvent[]).accrued_interest).toBe('72.19');
  });

  test('follows the lowest rate of each day through a promotion', () => {
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

  test('changes its pace on the day of a rate change', () => {
    const change: LoanEvent = {
      id: 'r',
      kind: 'rate_change',
      effective_date: '2026-01-25',
      interest_rate: '0.0365',
    };

    expect(stateOn('2026-02-15', [change]).accrued_interest).toBe('44.29');
  });
});

describe('a payment', () => {
  const lateFee: LoanEvent = {
    id: 'fee1',
    kind: 'fee',
    effective_date: '2026-02-01',
    amount: '25.00',
    fee_type: 'late',
  };

  test('pays fees, then interest, then principal', () => {
    const state = stateOn('2026-02-15', [lateFee, payment('p1', '2026-02-15', '315.68')]);

    expect(state).toMatchObject({
      principal_balance: '9781.51',
      accrued_interest: '0.00',
      outstanding_fees: '0.00',
      total_balance: '9781.51',
      oldest_unpaid_due_date: '2026-03-15',
      next_payment_date: '2026-03-15',
      next_payment_amount: '315.68',
      days_past_due: 0,
    });
    expect(state.allocations.slice(1)).toMatchObject([
      { component: 'fee', fee_id: 'fee1', amount: '25.00', rule: 'standard: fee' },
      { component: 'interest', amount: '72.19', balance_before: '72.19', balance_after: '0.00' },
      { component: 'principal', amount: '218.49', balance_after: '9781.51' },
    ]);
    expect(state.coverage).toEqual([{ event_id: 'p1', installment_number: 1, amount: '315.68' }]);
  });

  test('some days early pays the bill, and what is more goes to principal', () => {
    const state = stateOn('2026-02-10', [payment('p1', '2026-02-10', '500.00')]);

    expect(state.oldest_unpaid_due_date).toBe('2026-03-15');
    expect(state.coverage).toEqual([{ event_id: 'p1', installment_number: 1, amount: '315.68' }]);
  });

  test('covers ahead where the surplus is meant for the next instalment', () => {
    const state = stateOn('2026-02-10', [
      payment('p1', '2026-02-10', '500.00', { extra_payment_to: 'next_installment' }),
    ]);

    expect(state.coverage).toMatchObject([{ amount: '315.68' }, { amount: '184.32' }]);
    expect(state.next_payment_amount).toBe('131.36');
  });

  test('of extra principal answers no bill', () => {
    const state = stateOn('2026-02-16', [
      payment('p1', '2026-02-15', '500.00', { payment_type: 'extra_principal' }),
    ]);

    expect(state).toMatchObject({ days_past_due: 1, past_due_amount: '315.68', coverage: [] });
    expect(state.principal_balance).toBe('9572.19');
  });

  test('of more than the debt leaves the rest in suspense and the loan paid off', () => {
    const state = stateOn('2026-02-20', [payment('p1', '2026-02-15', '11000.00')]);

    expect(state).toMatchObject({
      is_paid_off: true,
      total_balance: '0.00',
      suspense_balance: '927.81',
      oldest_unpaid_due_date: null,
      next_payment_date: null,
    });
  });

  test('that is reversed is as if it had never been', () => {
    const reversal: LoanEvent = {
      id: 'x',
      kind: 'reversal',
      effective_date: '2026-02-20',
      reverses: 'p1',
    };

    const events = [payment('p1', '2026-02-15', '315.68'), reversal];

    expect(stateOn('2026-03-20', events)).toEqual(stateOn('2026-03-20', []));
  });

  test('goes where a person says, as far as it is owed', () => {
    const allocation_override = [{ component: 'principal' as const, amount: '300.00' }];
    const state = stateOn('2026-02-15', [
      payment('p1', '2026-02-15', '315.68', { allocation_override }),
    ]);

    expect(state).toMatchObject({ principal_balance: '9700.00', accrued_interest: '56.51' });
  });

  test('of last-minute cents on a matured loan is still owed', () => {
    const state = stateOn('2029-02-15', [payment('p1', '2029-01-15', '11364.28')]);

    expect(state).toMatchObject({ oldest_unpaid_due_date: '2029-01-15', days_past_due: 31 });
    expect(state.past_due_amount).toBe(state.total_balance);
  });
});

describe('days past due', () => {
  test('count from the oldest unpaid instalment and pass over pauses', () => {
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
      { id: 'r', kind: 'recovery', effective_date: '2026-07-20', amount: '1000.00' },
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

  test('acceleration makes everything due, and its reversal restores the plan', () => {
    const accelerated: LoanEvent = { id: 'a', kind: 'acceleration', effective_date: '2026-03-01' };
    const back: LoanEvent = {
      id: 'b',
      kind: 'acceleration_reversed',
      effective_date: '2026-03-10',
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

  test('capitalized interest becomes principal and earns interest itself', () => {
    const state = stateOn('2026-02-15', [
      { id: 'm', kind: 'capitalization', effective_date: '2026-02-15', interest: 'all' },
    ]);

    expect(state).toMatchObject({ principal_balance: '10072.19', accrued_interest: '0.00' });
  });

  test('a boarded loan starts with its balances, and what was due before is history', () => {
    const state = fold({
      terms: completeTerms({ interest_rate: '0.085', term_months: 36 }),
      schedule,
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

  test('proceeds of collateral above the debt belong to the borrower', () => {
    const state = stateOn('2026-02-15', [
      { id: 'l', kind: 'liquidation', effective_date: '2026-02-15', net_proceeds: '10100.00' },
    ]);

    expect(state).toMatchObject({ total_balance: '0.00', surplus_balance: '27.81' });
  });
});

describe('interest that follows the plan', () => {
  test('is what the plan says, and an early instalment pays all of its own', () => {
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
