import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { completeTerms, type Terms } from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { payoff } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import { money, toCents } from '../../../jobs/money.ts';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

vi.setConfig({ testTimeout: 120_000 });
const stage = await newStage();

/** 10,000.00 at one percent a month, due on the 15th. */
const START = '2026-01-15';
const funded: LoanEvent = {
  id: 'd',
  kind: 'disbursement',
  effective_date: START,
  amount: '10000.00',
};

function loan(given: Partial<Terms> = {}) {
  const terms = completeTerms({ interest_rate: '0.12', interest_method: 'scheduled', ...given });
  const schedule = buildSchedule({
    ...terms,
    principal: '10000.00',
    number_of_payments: 12,
    start_date: START,
  });
  return { terms, schedule };
}

const on = (as_of: string, events: readonly LoanEvent[], given: Partial<Terms> = {}) =>
  fold({ ...loan(given), events: [funded, ...events], as_of });

const paid = (effective_date: string, amount: string, id = `p${effective_date}`): LoanEvent => ({
  id,
  kind: 'payment',
  effective_date,
  amount,
});

describe('scheduled interest', () => {
  test('uses the actual balance after most of the principal was prepaid', () => {
    const events = [paid('2026-02-15', '9600.00')];

    expect(on('2026-02-15', events).principal_balance).toBe('500.00');
    expect(on('2026-03-15', events).accrued_interest).toBe('5.00');
  });

  test.each([
    ['an extra payment', { kind: 'payment', payment_type: 'extra_principal' }],
    ['a service credit', { kind: 'service_credit', apply_to: 'principal' }],
  ] as const)('does not fall within the period of %s, but with the next', (_what, how) => {
    const events: LoanEvent[] = [
      paid('2026-02-15', '888.49'),
      { id: 'x', effective_date: '2026-02-16', amount: '4211.51', ...how },
    ];
    const state = on('2026-03-15', events);
    const left = new Big(state.principal_balance).div(100);

    // 10,000.00 minus 788.49 at the start of the period.
    expect(new Big(state.interest_accrued).toFixed(2)).toBe('192.12');
    expect(on('2026-04-15', events).interest_earned).toBe(money(left.plus('192.12')));
  });

  test.each([
    ['scheduled', '32.26', '967.74', '67.74', '820.75'],
    ['flat', '32.26', '967.74', '67.74', '820.75'],
  ] as const)(
    'of %s loans is paid to date by extra principal, and the installment pays the rest',
    (interest_method, toDate, extra, rest, principal) => {
      const events: LoanEvent[] = [
        {
          id: 'x',
          kind: 'payment',
          effective_date: '2026-01-25',
          amount: '1000.00',
          payment_type: 'extra_principal',
        },
        paid('2026-02-15', '888.49', 'y'),
      ];
      const { allocations, ...state } = on('2026-02-15', events, { interest_method });
      const applied = (id: string, component: string) =>
        money(
          allocations
            .filter((line) => line.event_id === id && line.component === component)
            .reduce((total, { amount }) => total.plus(amount), new Big(0)),
        );

      expect([applied('x', 'interest'), applied('x', 'principal')]).toEqual([toDate, extra]);
      expect([applied('y', 'interest'), applied('y', 'principal')]).toEqual([rest, principal]);
      expect(state).toMatchObject({ past_due_amount: '0.00', accrued_interest: '0.00' });
      // The whole period earns interest on its beginning balance.
      expect(new Big(state.interest_earned).toFixed(2)).toBe('100.00');
    },
  );

  test('stops for the charged-off part', () => {
    const events: LoanEvent[] = [
      { id: 'c', kind: 'charge_off', effective_date: '2026-02-01', principal_amount: '4000.00' },
    ];

    expect(on('2026-02-15', events).interest_earned).toBe('100.00');
    expect(on('2026-03-15', events).interest_earned).toBe('160.00');
  });

  test('follows the schedule for a borrower who pays some days early', () => {
    const { schedule } = loan();
    const events = schedule.map(({ due_date, payment_amount }, index) =>
      paid(addDays(due_date, index === 11 ? 0 : -9), payment_amount),
    );

    const state = on('2027-01-15', events);

    expect(state).toMatchObject({ is_paid_off: true, suspense_balance: '0.00' });
    const interest = state.allocations.filter(({ component }) => component === 'interest');
    expect(interest.map(({ amount }) => amount)).toEqual(
      schedule.map(({ interest_amount }) => interest_amount),
    );
  });

  test('of a late payment’s period uses the balance at its start', () => {
    const late = [paid('2026-03-01', '888.49')];

    expect(on('2026-03-15', late).interest_earned).toBe('200.00');
    expect(on('2026-04-15', late).interest_earned).toBe('292.12');
  });

  test('and is paid before principal, even if the row planned less', () => {
    const events = [paid('2026-03-01', '888.49'), paid('2026-03-15', '888.49')];
    const { allocations } = on('2026-03-15', events);

    expect(allocations.slice(-2)).toMatchObject([
      { component: 'interest', installment_number: 2, amount: '100.00' },
      { component: 'principal', installment_number: 2, amount: '788.49' },
    ]);
  });

  test('is returned as far as it is unearned when the loan is repaid within a period', () => {
    const events = [paid('2026-02-15', '9600.00'), paid('2026-03-01', '105.00')];
    const quote = payoff({ ...loan(), events: [funded, ...events] }, { payoff_date: '2026-03-01' });

    // Half of the 28 days of a period that earns 5.00 in total.
    expect(quote).toMatchObject({
      principal_amount: '400.00',
      unearned_interest: '2.50',
      payoff_amount: '397.50',
    });
  });

  test('of money disbursed within a period is earned from that day on', () => {
    const events: LoanEvent[] = [
      { id: 'w', kind: 'draw', effective_date: '2026-03-01', amount: '2800.00' },
    ];

    expect(on('2026-03-15', events).interest_earned).toBe('214.00');
  });

  test('is lower for the days of a promotion', () => {
    const promo: LoanEvent = {
      id: 'm',
      kind: 'promo',
      effective_date: '2026-02-15',
      to: '2026-02-28',
      interest_rate: '0.06',
    };

    expect(on('2026-03-15', [promo]).interest_earned).toBe('175.00');
  });

  test('is on the original principal if interest is flat', () => {
    const prepaid = [paid('2026-02-15', '9000.00')];

    expect(on('2026-03-15', prepaid, { interest_method: 'flat' }).interest_earned).toBe('200.00');
  });
});

const anyDeed = fc.record({
  day: fc.integer({ min: 0, max: 364 }),
  cents: fc.integer({ min: 100, max: 150_000 }),
  kind: fc.constantFrom('payment', 'service_credit', 'extra'),
});

test('each period earns its part of the rate on its beginning balance, regardless of repayments', () => {
  fc.assert(
    fc.property(fc.array(anyDeed, { maxLength: 12 }), (deeds) => {
      const { schedule } = loan();
      const events = deeds.map(({ day, cents, kind }, index): LoanEvent => ({
        id: `e${index}`,
        effective_date: addDays(START, day),
        amount: (cents / 100).toFixed(2),
        ...(kind === 'extra' ? { kind: 'payment', payment_type: 'extra_principal' } : { kind }),
      }));
      const dates = [START, ...schedule.map(({ due_date }) => due_date)];
      for (const [index, from] of dates.slice(0, -1).entries()) {
        const [begin, end] = [on(from, events), on(dates[index + 1] ?? '', events)];
        if (end.principal_balance === '0.00') break;
        const interest = new Big(end.interest_earned).minus(begin.interest_earned);

        expect(interest.toFixed(2)).toBe(
          toCents(new Big(begin.principal_balance).div(100)).toFixed(2),
        );
      }
    }),
    { numRuns: Number(process.env['LIVES'] ?? 80) },
  );
});

test.each([
  { interest_method: 'scheduled', day_count: 'actual_365' },
  { interest_method: 'simple_daily', day_count: '30_360' },
])(
  'the close books the interest that $interest_method loans earn by $day_count',
  async (product) => {
    const tenant = await stage.tenant(START);
    const product_id = await newProduct(tenant, product);
    const { id } = await newLoan(tenant, { product_id, interest_rate: '0.12', term_months: 12 });
    const owed = async () => (await tenant.officer.get(`/loans/${id}`)).body.accrued_interest;
    await travelTo(stage, tenant, '2026-02-15');
    const first = await owed();
    await tenant.officer.post(`/loans/${id}/payments`, { amount: '9600.00' });
    await travelTo(stage, tenant, '2026-03-01');
    const half = await owed();
    await travelTo(stage, tenant, '2026-03-15');
    const second = await owed();

    expect([first, half, second]).toEqual(['100.00', '2.50', '5.00']);
    expect(await balancesByRole(tenant)).toMatchObject({
      interest_receivable: '5.00',
      loans_receivable: '500.00',
      interest_income: '-105.00',
    });
    await travelTo(stage, tenant, '2026-03-20');
    expect(await violationsIn(stage)).toEqual([]);
  },
);
