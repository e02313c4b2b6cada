import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { projectState } from '../../../jobs/loans/engine/projection/project.ts';
import type { LoanState } from '../../../jobs/loans/engine/state.ts';
import { minimumPaymentOutlook } from '../../../jobs/loans/schedule/minimum-outlook.ts';
import {
  closedThrough,
  drawn,
  LINE,
  MINIMUM,
  OPENED,
  paid,
  stateOn,
  undone,
} from '../line-fixtures.ts';

const asked = ({ installments }: LoanState) =>
  installments.map(({ period_number, due_date, payment_amount, status }) => [
    period_number,
    due_date,
    payment_amount,
    status,
  ]);

describe('the minimum payment of a cycle', () => {
  test('is a share of the balance including the cycle’s interest through its last day', () => {
    const events = closedThrough('2026-02-15', [OPENED]);

    const state = stateOn('2026-02-16', events);

    // 32 days of 2.00. One percent of 3714.00 is 37.14.
    expect(state).toMatchObject({
      total_balance: '3714.00',
      next_payment_date: '2026-03-13',
      next_payment_amount: '101.14',
      maturity_date: null,
      cycle: {
        number: 2,
        begins: '2026-02-16',
        ends: '2026-03-15',
        statement_remainder: '3714.00',
      },
    });
    expect(state.installments).toMatchObject([
      { interest_amount: '64.00', principal_amount: '37.14', days_in_period: 32 },
    ]);
  });

  test('does not bill again what an older cycle bills', () => {
    const events = closedThrough('2026-03-15', [OPENED]);

    const state = stateOn('2026-03-16', events);

    // 28 more days of 2.00, and one percent of 3770.00.
    expect(asked(state)).toEqual([
      [1, '2026-03-13', '101.14', 'past_due'],
      [2, '2026-04-10', '93.70', 'due'],
    ]);
    expect(state).toMatchObject({ days_past_due: 3, past_due_amount: '101.14' });
  });

  test('is never below the floor or above the balance', () => {
    const low = { ...LINE, minimum_payment: { ...MINIMUM, plus_interest_and_fees: false } };
    const amountOf = (amount: string) => {
      const events = closedThrough('2026-02-15', [drawn('d0', '2026-01-15', amount)], low);
      return stateOn('2026-02-16', events, low).next_payment_amount;
    };

    expect(amountOf('3650.00')).toBe('37.14');
    expect(amountOf('1000.00')).toBe('25.00');
    expect(amountOf('20.00')).toBe('20.35');
  });

  test('changes when a payment of the cycle bounces or a draw is reversed', () => {
    const more = [paid('p', '2026-02-10', '1000.00'), drawn('d1', '2026-02-15', '365.00')];
    const events = closedThrough('2026-02-15', [OPENED, ...more]);
    const back = [undone('r', '2026-02-20', 'p'), undone('s', '2026-02-20', 'd1')];

    expect(stateOn('2026-02-20', events).next_payment_amount).not.toBe('101.14');
    expect(stateOn('2026-02-20', [...events, ...back]).next_payment_amount).toBe('101.14');
  });

  test('of a line without a balance is zero, and the line stays open', () => {
    const events = closedThrough('2026-04-15', [OPENED, paid('p', '2026-02-01', '3684.00')]);

    expect(stateOn('2026-04-16', events)).toMatchObject({
      installments: [],
      next_payment_date: null,
      next_payment_amount: '0.00',
      days_past_due: 0,
      is_paid_off: false,
      cycle: { number: 4 },
    });
  });

  test('includes a draw and a payment on the cycle’s last day', () => {
    const last = [drawn('d1', '2026-02-15', '365.00'), paid('p', '2026-02-15', '64.00')];
    const events = closedThrough('2026-02-15', [OPENED, ...last]);

    // 62.00 of interest and 2.00 of principal are paid. The last day earns interest on 4013.00.
    expect(stateOn('2026-02-16', events)).toMatchObject({
      total_balance: '4015.20',
      next_payment_amount: '42.35',
    });
  });

  test('is paid by payments between the cycle’s end and the due date, which count once', () => {
    const events = closedThrough('2026-02-15', [OPENED]);
    const paying = [...events, paid('p', '2026-02-20', '60.00'), paid('q', '2026-03-01', '100.00')];

    expect(asked(stateOn('2026-03-20', paying))).toEqual([[1, '2026-03-13', '101.14', 'paid']]);
    expect(stateOn('2026-03-20', paying).cycle?.statement_remainder).toBe('3554.00');
  });

  test('is zero while the whole balance is due', () => {
    const accelerated: LoanEvent = { id: 'a', kind: 'acceleration', effective_date: '2026-02-01' };
    const events = closedThrough('2026-02-15', [OPENED, accelerated]);

    const during = stateOn('2026-02-16', events);
    const after = stateOn('2026-02-16', [...events, undone('r', '2026-02-16', 'a')]);

    expect(during).toMatchObject({ installments: [], next_payment_amount: '3714.00' });
    expect(after.next_payment_amount).toBe('101.14');
  });

  test('is zero after a charge-off', () => {
    const lost: LoanEvent = { id: 'l', kind: 'charge_off', effective_date: '2026-02-15' };
    const events = closedThrough('2026-03-15', [OPENED, lost]);

    expect(asked(stateOn('2026-03-16', events))).toEqual([[1, '2026-03-13', '101.14', 'canceled']]);
  });
});

test('cycles end on their day, or on the last day of a shorter month', () => {
  const ends = (opened: string, cycle_day: number | null) => {
    const terms = { ...LINE, cycle_day };
    const events = closedThrough('2026-05-20', [drawn('d0', opened, '100.00')], terms);
    return events.slice(1).map(({ effective_date }) => effective_date);
  };

  expect(ends('2026-01-31', null)).toEqual(['2026-02-28', '2026-03-31', '2026-04-30']);
  expect(ends('2026-02-11', 10)).toEqual(['2026-03-10', '2026-04-10', '2026-05-10']);
  expect(ends('2026-02-09', 10)).toEqual(['2026-02-10', '2026-03-10', '2026-04-10', '2026-05-10']);
});

test('a borrower who pays each minimum payment eventually owes nothing', () => {
  const input = { terms: LINE, schedule: [], events: [OPENED] };

  const { state, payments } = projectState(input, { today: '2026-01-20', as_of: '2050-01-01' });

  expect(state).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
  expect(payments[0]).toEqual({ installment_number: 1, due_date: '2026-03-13', amount: '101.14' });
  expect(payments.length).toBeGreaterThan(60);
});

test('a statement estimates how long minimum payments alone take, and their total', () => {
  const outlook = (percentage: string, floor_amount: string) =>
    minimumPaymentOutlook(
      { ...MINIMUM, percentage, floor_amount },
      { balance: new Big('1000'), rate: new Big('0.12'), first_payment: new Big('500') },
    );

  // 500.00, then half of 505.00 including its 5.00 of interest, and so on.
  expect(outlook('0.5', '1000.00')).toEqual({ months: 2, total: '1005.00' });
  expect(outlook('0.5', '300.00')).toEqual({ months: 3, total: '1007.05' });
  expect(outlook('0', '0.00')).toEqual({ months: null, total: null });
});
