import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import { addMonths } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import { computeScheduleApr } from '../../../jobs/loans/arithmetic/apr.ts';
import { interestFor } from '../../../jobs/loans/arithmetic/day-count.ts';
import { levelPayment } from '../../../jobs/loans/arithmetic/level-payment.ts';
import { completeTerms } from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { dailyInterest } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import { divide, money } from '../../../jobs/money.ts';

/** Figures published by lenders and servicers. Each test names its source. */

/**
 * OneMain Financial, "How Daily Simple Interest Works", on-time payments: 6,000 at 24.36 percent over 60
 * months, actual/365, 173.86 due on the 15th. Date, interest, principal, balance.
 */
const ONEMAIN = [
  ['2013-01-15', '124.13', '49.73', '5950.27'],
  ['2013-02-15', '123.11', '50.75', '5899.52'],
  ['2013-03-15', '110.24', '63.62', '5835.90'],
  ['2013-04-15', '120.74', '53.12', '5782.78'],
  ['2013-05-15', '115.78', '58.08', '5724.70'],
  ['2013-06-15', '118.44', '55.42', '5669.28'],
] as const;

describe('OneMain Financial’s example of daily simple interest', () => {
  const start = { start_date: '2012-12-15', interest_rate: '0.2436' } as const;
  const schedule = buildSchedule({
    ...start,
    principal: '6000.00',
    payment_frequency: 'monthly',
    number_of_payments: 60,
  });

  test('has the published installment', () => {
    expect(schedule[0]?.payment_amount).toBe('173.86');
  });

  const events: LoanEvent[] = [
    { id: 'd', kind: 'disbursement', effective_date: start.start_date, amount: '6000.00' },
    ...ONEMAIN.map(([effective_date], index) => ({
      id: `p${index}`,
      kind: 'payment' as const,
      effective_date,
      amount: '173.86',
    })),
  ];
  const on = (as_of: string, interest_rate: string) =>
    fold({ terms: completeTerms({ interest_rate, term_months: 60 }), schedule, events, as_of });

  test('splits six payments as published, with the daily factor cut to eight places', () => {
    const factor = divide(new Big('0.2436'), 365).round(8, 0);

    const { allocations } = on('2013-06-15', factor.times(365).toFixed());

    expect(
      ONEMAIN.map(([date], index) => {
        const [interest, principal] = allocations.filter((line) => line.event_id === `p${index}`);
        return [date, interest?.amount, principal?.amount, principal?.balance_after];
      }),
    ).toEqual(ONEMAIN);
  });

  test('differs by at most a cent with the exact daily factor', () => {
    for (const [date, , , balance] of ONEMAIN) {
      const ours = new Big(on(date, '0.2436').principal_balance);
      expect(ours.minus(balance).abs().lte('0.01')).toBe(true);
    }
  });
});

describe('published daily interest', () => {
  test.each([
    ['Santander Consumer USA, "What is simple interest"', '10000', '0.18', '4.93'],
    ['Tufts University, "Student Loans"', '40500', '0.0654', '7.26'],
  ])('%s', (_source, balance, rate, daily) => {
    const date = '2026-01-15';

    expect(money(dailyInterest(new Big(balance), new Big(rate), 'actual_365', date))).toBe(daily);
  });

  test('AccountingTools, "Simple interest": 10,000 for 30 days at 0.0002 a day is 60', () => {
    const rate = new Big('0.073');
    const interest = interestFor(new Big(10000), rate, 'actual_365', '2026-04-01', '2026-05-01');

    expect(money(interest)).toBe('60.00');
  });
});

describe('published level payments', () => {
  test.each([
    ['CarsDirect, "How Simple Interest Car Loans Work"', '18000', '0.06', 60, '347.99'],
    ['RefiJet, "What is Simple Interest Anyway?"', '20000', '0.05', 48, '460.59'],
  ])('%s', (_source, principal, rate, count, payment) => {
    const periodic = divide(new Big(rate), 12);

    expect(money(levelPayment(new Big(principal), periodic, count))).toBe(payment);
  });
});

/**
 * 12 CFR Part 1026 (Federal Reserve Board, now CFPB), Appendix H, sample disclosures: amount financed,
 * number and amount of monthly payments, finance charge, annual percentage rate.
 */
describe('the sample disclosures of Regulation Z, Appendix H', () => {
  test.each([
    ['H-13, mortgage with demand feature', '44605.66', 360, '558.77', '156551.54', '14.85'],
    ['H-14, variable-rate mortgage', '44002.00', 360, '558.77', '157155.20', '15.07'],
  ])('%s', (_name, financed, count, amount, charge, percent) => {
    const payments = Array.from({ length: count }, (_, index) => ({
      due_date: addMonths('1981-06-01', index),
      payment_amount: amount,
    }));

    const apr = computeScheduleApr({
      amount_financed: financed,
      start_date: '1981-05-01',
      payment_frequency: 'monthly',
      schedule: payments,
    });

    expect(new Big(apr).times(100).toFixed(2)).toBe(percent);
    expect(money(new Big(amount).times(count).minus(financed))).toBe(charge);
  });
});
