import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { dailyInterest, payoff } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import { money, sum } from '../../../jobs/money.ts';
import { DISBURSED, payment, SCHEDULE, stateOn, TERMS } from '../fixtures.ts';

function quote(payoff_date: string, events: LoanEvent[], rest = {}) {
  const input = { terms: TERMS, schedule: SCHEDULE, events: [DISBURSED, ...events] };
  return payoff(input, { payoff_date, ...rest });
}

describe('a payoff quote', () => {
  test('multiplies exact daily interest and rounds once', () => {
    const daily = dailyInterest(new Big(10000), new Big('0.085'), 'actual_365', '2026-01-15');

    expect(daily.toFixed(10)).toBe('2.3287671233');
    expect(quote('2026-02-15', [])).toMatchObject({
      principal_amount: '10000.00',
      accrued_interest: '72.19',
      per_diem: '2.33',
      payoff_amount: '10072.19',
    });
  });

  test('is valid through a later day for that day’s amount', () => {
    const quoted = quote('2026-02-15', [], { good_through_date: '2026-02-25' });

    expect(quoted.payoff_amount_good_through).toBe('10095.48');
    expect(quoted.payoff_amount_good_through).toBe(quote('2026-02-25', []).payoff_amount);
  });

  test('adds fees and the prepayment penalty, and subtracts suspense', () => {
    const events: LoanEvent[] = [
      { id: 'f', kind: 'fee', effective_date: '2026-02-01', amount: '25.00' },
      payment('s', '2026-01-31', '40.00', { payment_type: 'fee_only' }),
    ];

    expect(quote('2026-02-15', events, { prepayment_penalty: '100.00' })).toMatchObject({
      fees_amount: '25.00',
      prepayment_penalty: '100.00',
      credits_amount: '40.00',
      payoff_amount: '10157.19',
    });
  });

  test('explains its interest with the days since it was last paid', () => {
    const quoted = quote('2026-03-15', [payment('p1', '2026-02-15', '315.68')]);

    expect(quoted.explanation).toMatchObject([
      { from: '2026-02-15', days: 0, amount: '0.0017808219', rule: 'brought_forward' },
      { from: '2026-02-15', to: '2026-03-15', days: 28, balance: '9756.51', rate: '0.085' },
    ]);
    const total = sum(quoted.explanation.map((line) => new Big(line.amount)));
    expect(money(total)).toBe(quoted.accrued_interest);
  });

  test('has no per diem while accrual is paused', () => {
    const frozen: LoanEvent = {
      id: 'f',
      kind: 'accrual_stop',
      effective_date: '2026-02-01',
      reason: 'freeze',
    };

    expect(quote('2026-02-15', [frozen])).toMatchObject({
      per_diem: '0.00',
      accrued_interest: '39.59',
    });
  });

  test('of a loan that follows its schedule includes only earned interest', () => {
    const terms = { ...TERMS, interest_method: 'scheduled' as const };
    const input = { terms, schedule: SCHEDULE, events: [DISBURSED] };
    const quoted = payoff(input, { payoff_date: '2026-01-30' });
    const paid = payment('z', '2026-01-30', quoted.payoff_amount, { payment_type: 'payoff' });

    const state = fold({ ...input, events: [DISBURSED, paid], as_of: '2026-03-30' });

    expect(quoted).toMatchObject({ accrued_interest: '34.27', per_diem: '2.28' });
    expect(state).toMatchObject({ is_paid_off: true, total_balance: '0.00' });
  });
});

test('a payoff payment uses suspense for the missing amount', () => {
  const state = stateOn('2026-02-15', [
    payment('s', '2026-01-31', '40.00', { payment_type: 'fee_only' }),
    payment('p', '2026-02-15', '10032.19', { payment_type: 'payoff' }),
  ]);

  expect(state).toMatchObject({
    is_paid_off: true,
    suspense_balance: '0.00',
    last_payment_amount: '10032.19',
  });
});

test('interest that was paid with an early installment is returned when the loan is repaid', () => {
  const terms = { ...TERMS, interest_method: 'scheduled' as const };
  const early = payment('p', '2026-02-10', '315.68');
  const input = { terms, schedule: SCHEDULE, events: [DISBURSED, early] };
  const quoted = payoff(input, { payoff_date: '2026-02-12' });
  const paid = payment('z', '2026-02-12', quoted.payoff_amount, { payment_type: 'payoff' });

  const state = fold({ ...input, events: [...input.events, paid], as_of: '2026-02-12' });

  expect(quoted).toMatchObject({
    principal_amount: '9755.15',
    unearned_interest: '6.85',
    payoff_amount: '9748.30',
  });
  expect(state).toMatchObject({ is_paid_off: true, total_paid_interest: '63.98' });
});
