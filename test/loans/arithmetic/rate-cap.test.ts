import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, daysBetween } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import {
  completeTerms,
  INTEREST_METHODS,
  type Terms,
} from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { anyLife } from '../arbitraries.ts';
import { closedThrough, LINE, OPENED, stateOn } from '../line-fixtures.ts';
import { anyServicedLife } from '../serviced-life.ts';

/** A legal cap of the rate: 50 USC 3937. */

const START = '2026-01-15';
const LENT: LoanEvent = {
  id: 'lent',
  kind: 'disbursement',
  effective_date: START,
  amount: '12000.00',
};

function loanOf(given: Partial<Terms> = {}) {
  const terms = completeTerms({
    interest_rate: '0.12',
    term_months: 12,
    payment_day: 15,
    ...given,
  });
  const schedule = buildSchedule({
    ...terms,
    principal: '12000.00',
    number_of_payments: 12,
    start_date: START,
  });
  return { terms, schedule };
}

const cap = (from: string, to: string | null, interest_rate = '0.06'): LoanEvent => ({
  id: `cap-${from}`,
  kind: 'rate_cap',
  effective_date: from,
  interest_rate,
  to,
});

const payment = (on: string, amount: string): LoanEvent => ({
  id: `paid-${on}`,
  kind: 'payment',
  effective_date: on,
  amount,
});

describe('during a legal cap', () => {
  test('interest above it is never owed, and the agreed rate returns the day after', () => {
    const loan = loanOf();
    const events = [LENT, cap('2026-02-01', '2026-02-20')];

    const { interest_segments, current_rate, rate_cap } = fold({
      ...loan,
      events,
      as_of: '2026-03-01',
    });
    const within = fold({ ...loan, events, as_of: '2026-02-20' });

    expect(
      interest_segments.map(({ from, to, rate, agreed_rate }) => [from, to, rate, agreed_rate]),
    ).toEqual([
      ['2026-01-15', '2026-02-01', '0.12', undefined],
      ['2026-02-01', '2026-02-21', '0.06', '0.12'],
      ['2026-02-21', '2026-03-01', '0.12', undefined],
    ]);
    expect([within.current_rate, within.rate_cap]).toEqual(['0.06', '0.06']);
    expect([current_rate, rate_cap]).toEqual(['0.12', null]);
  });

  test('each installment falls by the forgiven interest of its period, and principal is repaid as agreed', () => {
    const loan = loanOf();

    const { installments } = fold({
      ...loan,
      events: [LENT, cap('2026-02-01', '2026-04-30')],
      as_of: '2026-02-01',
    });

    // Days of the cap in each period: from the 1st of February, then through the 30th of April.
    const capped = [
      ['2026-02-15', 14],
      ['2026-03-15', 28],
      ['2026-04-15', 31],
      ['2026-05-15', 16],
      ['2026-06-15', 0],
    ] as const;
    for (const [due_date, days] of capped) {
      const agreed = loan.schedule.find((row) => row.due_date === due_date);
      const row = installments.find((one) => one.due_date === due_date);
      const forgiven = new Big(agreed?.beginning_balance ?? '0')
        .times('0.06')
        .times(days)
        .div(365)
        .round(2);
      const asked = new Big(agreed?.payment_amount ?? '0').minus(forgiven).toFixed(2);
      expect([due_date, row?.payment_amount]).toEqual([due_date, asked]);
      expect(row?.principal_amount).toBe(agreed?.principal_amount);
    }
  });

  test('fees are forgiven, and what paid them repays other dues', () => {
    const loan = loanOf();
    const fee: LoanEvent = {
      id: 'fee',
      kind: 'fee',
      effective_date: '2026-02-26',
      amount: '25.00',
      fee_type: 'late',
    };
    const paid = payment('2026-02-27', '500.00');
    const events = [LENT, fee, paid];

    const charged = fold({ ...loan, events, as_of: '2026-03-01' });
    const forgiven = fold({
      ...loan,
      events: [...events, cap('2026-02-26', null)],
      as_of: '2026-03-01',
    });

    expect(charged.total_paid_fees).toBe('25.00');
    expect(forgiven.fees).toMatchObject([{ amount_waived: '25.00', outstanding_amount: '0.00' }]);
    expect(forgiven.total_paid_fees).toBe('0.00');
  });

  test('a flat rate counts on the balance, which is lower than the amount on which it was agreed', () => {
    const loan = loanOf({ interest_method: 'flat', interest_rate: '0.06' });
    const [, second] = loan.schedule;
    const paid = payment('2026-02-15', loan.schedule[0]?.payment_amount ?? '');

    const state = fold({
      ...loan,
      events: [LENT, cap('2026-02-01', null), paid],
      as_of: '2026-03-15',
    });

    // 6 percent of the original 12,000 are 60 a month. The balance at the start of March's period is 11,000.
    const expected = new Big(second?.beginning_balance ?? '0').times('0.06').div(12);
    expect(new Big(second?.interest_amount ?? '0').gt(expected)).toBe(true);
    const row = state.installments[1];
    expect(row?.interest_amount).toBe(expected.toFixed(2));
  });
});

test('a minimum payment falls by the forgiven interest of its cycle, also if it is a share of the balance', () => {
  const rule = { percentage: '0.05', floor_amount: '25.00', plus_interest_and_fees: false };
  const terms = { ...LINE, minimum_payment: rule };
  const agreed = stateOn('2026-02-16', closedThrough('2026-02-15', [OPENED], terms), terms);
  const capped = stateOn(
    '2026-02-16',
    closedThrough('2026-02-15', [OPENED, cap('2026-01-31', null)], terms),
    terms,
  );

  // 14 percent of 3,650.00 for the 16 days from the 31st of January through the 15th of February.
  const forgiven = new Big('3650.00').times('0.14').times(16).div(365);
  const asked = (state: typeof capped) => new Big(state.installments[0]?.payment_amount ?? '0');
  expect(asked(agreed).minus(asked(capped)).toFixed(2)).toBe(forgiven.toFixed(2));
});

describe('a legal cap in any life of a loan', () => {
  const anyCappedLife = fc.record({
    life: fc.oneof(anyServicedLife(24), anyLife),
    after: fc.integer({ min: 0, max: 120 }),
    days: fc.option(fc.integer({ min: 1, max: 200 })),
  });

  test('no day earns more than the cap on its balance', () => {
    fc.assert(
      fc.property(anyCappedLife, ({ life, after, days }) => {
        // Draws within the grace period of a line bear no interest.
        fc.pre(!life.terms.grace_on_purchases);
        const from = addDays(life.events[0]?.effective_date ?? '', after);
        const to = days === null ? null : addDays(from, days);

        const { interest_segments } = fold({ ...life, events: [...life.events, cap(from, to)] });

        const within = interest_segments.filter(
          ({ rule, ...segment }) =>
            rule === 'accrued' &&
            segment.from >= from &&
            (to === null || segment.to <= addDays(to, 1)),
        );
        // Under a schedule, a repayment lowers the interest from the next period on.
        const balance = interest_segments.reduce(
          (most, segment) => (most.gt(segment.balance) ? most : new Big(segment.balance)),
          new Big(0),
        );
        for (const { from: first, to: last, amount } of within) {
          // A regular period counts as a twelfth or a 26th of a year, whatever its days.
          const days = daysBetween(first, last) + 3;
          const most = balance.times('0.06').times(days).div(360).times('1.12').plus('0.01');
          expect(new Big(amount).lte(most), `${first} to ${last}: ${amount}`).toBe(true);
        }
      }),
    );
  });

  test('without the cap, the loan is as if it had never been recorded', () => {
    fc.assert(
      fc.property(anyCappedLife, ({ life, after }) => {
        const from = addDays(life.events[0]?.effective_date ?? '', after);
        const wrong = cap(from, null);
        const undone: LoanEvent = {
          id: 'undone',
          kind: 'reversal',
          effective_date: life.as_of,
          reverses: wrong.id,
        };

        const events = [...life.events, wrong, undone];

        expect(fold({ ...life, events })).toEqual(fold(life));
      }),
    );
  });

  test('an end that is recorded later gives the same loan as one that was known before', () => {
    fc.assert(
      fc.property(anyCappedLife, ({ life, after, days }) => {
        const from = addDays(life.events[0]?.effective_date ?? '', after);
        const open = { ...cap(from, null), id: 'open' };
        const ended = cap(from, addDays(from, days ?? 30));
        const undone: LoanEvent = {
          id: 'undone',
          kind: 'reversal',
          effective_date: life.as_of,
          reverses: open.id,
        };

        const late = fold({ ...life, events: [...life.events, open, undone, ended] });
        const early = fold({ ...life, events: [ended, ...life.events] });

        expect(late).toEqual(early);
      }),
    );
  });
});

test.each(INTEREST_METHODS)(
  'a borrower who pays every %s bill owes nothing in the end',
  (interest_method) => {
    const loan = loanOf({ interest_method });
    const events: LoanEvent[] = [LENT, cap('2026-03-01', '2026-09-10')];
    for (const { due_date } of loan.schedule) {
      const { next_payment_amount } = fold({ ...loan, events, as_of: due_date });
      events.push(payment(due_date, next_payment_amount));
    }

    const end = fold({ ...loan, events, as_of: '2027-01-16' });

    expect(end).toMatchObject({
      total_balance: '0.00',
      past_due_amount: '0.00',
      is_paid_off: true,
    });
  },
);
