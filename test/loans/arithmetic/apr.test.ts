import { Big } from 'big.js';
import { describe, expect, test } from 'vitest';
import { addDays, addMonths, dateInMonth } from '../../../jobs/dates.ts';
import { buildSchedule } from '../../../jobs/loans/arithmetic/amortize.ts';
import {
  annualPercentageRate,
  computeScheduleApr,
  singlePaymentRate,
  type CashFlow,
} from '../../../jobs/loans/arithmetic/apr.ts';
import type { UnitPeriod } from '../../../jobs/loans/arithmetic/unit-periods.ts';

function percent(rate: Big): string {
  return rate.times(100).toFixed(2);
}

function monthly(first: string, count: number, amount: string, every = 1): CashFlow[] {
  return Array.from({ length: count }, (_, index) => ({
    date: addMonths(first, index * every),
    amount,
  }));
}

function everyDays(first: string, count: number, amount: string, days: number): CashFlow[] {
  return Array.from({ length: count }, (_, index) => ({
    date: addDays(first, index * days),
    amount,
  }));
}

/** On the 1st and 16th, starting on March 1, 1978. */
function semimonthly(count: number, amount: string): CashFlow[] {
  return Array.from({ length: count }, (_, index) => {
    const months = 1978 * 12 + 2 + Math.floor(index / 2);
    const day = index % 2 === 0 ? 1 : 16;
    return { date: dateInMonth(Math.floor(months / 12), (months % 12) + 1, day), amount };
  });
}

const MONTH: UnitPeriod = { kind: 'month', count: 1 };

type Example = [string, CashFlow, CashFlow[], UnitPeriod, string];

/** 12 CFR Part 1026, Appendix J, (c): examples for the actuarial method, to two decimals. */
const EXAMPLES: Example[] = [
  ['(c)(1)(i)', on('1978-01-10', '5000.00'), monthly('1978-02-10', 24, '230.00'), MONTH, '9.69'],
  ['(c)(1)(ii)', on('1978-02-10', '6000.00'), monthly('1978-04-01', 36, '200.00'), MONTH, '11.82'],
  [
    '(c)(1)(iii)',
    on('1978-02-23', '5000.00'),
    semimonthly(24, '219.17'),
    { kind: 'semimonth' },
    '10.34',
  ],
  [
    '(c)(1)(iv)',
    on('1978-05-23', '10000.00'),
    monthly('1978-10-01', 40, '385.00', 3),
    { kind: 'month', count: 3 },
    '8.97',
  ],
  [
    '(c)(1)(v)',
    on('1978-03-20', '500.00'),
    everyDays('1978-04-21', 30, '17.60', 7),
    { kind: 'week', count: 1 },
    '14.96',
  ],
  [
    '(c)(2)(i)',
    on('1978-01-10', '5000.00'),
    [on('1978-02-10', '250.00'), ...monthly('1978-03-10', 23, '230.00')],
    MONTH,
    '10.08',
  ],
  [
    '(c)(2)(ii)',
    on('1978-03-18', '400.00'),
    [on('1978-04-20', '39.50'), ...everyDays('1978-05-18', 11, '38.31', 28)],
    { kind: 'week', count: 4 },
    '28.50',
  ],
  [
    '(c)(3)(i)',
    on('1978-01-10', '5000.00'),
    [...monthly('1978-02-10', 23, '230.00'), on('1980-01-10', '280.00')],
    MONTH,
    '10.50',
  ],
  [
    '(c)(3)(ii)',
    on('1978-04-03', '200.00'),
    [...everyDays('1978-04-11', 19, '9.50', 14), on('1979-01-02', '30.00')],
    { kind: 'week', count: 2 },
    '12.22',
  ],
  [
    '(c)(4)(i)',
    on('1978-01-10', '5000.00'),
    [
      on('1978-02-10', '250.00'),
      ...monthly('1978-03-10', 22, '230.00'),
      on('1980-01-10', '280.00'),
    ],
    MONTH,
    '10.90',
  ],
  [
    '(c)(4)(ii)',
    on('1978-01-10', '8000.00'),
    [
      on('1978-03-01', '449.36'),
      ...monthly('1978-05-01', 18, '465.00', 2),
      on('1981-05-01', '200.00'),
    ],
    { kind: 'month', count: 2 },
    '7.30',
  ],
];

function on(date: string, amount: string): CashFlow {
  return { date, amount };
}

describe('Regulation Z, Appendix J', () => {
  test.each(EXAMPLES)('example %s', (_name, advance, payments, unit, apr) => {
    expect(percent(annualPercentageRate([advance], payments, unit))).toBe(apr);
  });

  test.each([
    ['(c)(5)(i)', on('1978-01-03', '1000.00'), on('1978-09-15', '1080.00'), '11.45'],
    ['(c)(5)(ii)', on('1978-07-15', '1000.00'), on('1979-01-15', '1044.00'), '8.80'],
    ['(c)(5)(iii)', on('1978-01-17', '1000.00'), on('1979-07-17', '1135.19'), '8.76'],
    ['(c)(5)(iv)', on('1978-01-03', '1000.00'), on('1980-01-03', '1240.00'), '11.36'],
  ])('example %s, one advance and one payment', (_name, advance, payment, apr) => {
    expect(percent(singlePaymentRate(advance, payment))).toBe(apr);
  });

  test('example (c)(6)(i), payments every four weeks that skip a month’s second', () => {
    const payments = [on('1978-02-20', '100.00')];
    for (let date = '1978-02-20'; payments.length < 24; payments.push(on(date, '100.00'))) {
      const next = addDays(date, 28);
      date = next.slice(0, 7) === date.slice(0, 7) ? addDays(next, 14) : next;
    }

    const unit = { kind: 'week', count: 4 } as const;
    const rate = annualPercentageRate([on('1978-01-25', '2135.00')], payments, unit);

    expect(percent(rate)).toBe('12.00');
  });

  test('example (c)(7)(i), a construction loan of three advances', () => {
    const advances = [
      on('1979-04-10', '20000.00'),
      on('1979-06-12', '20000.00'),
      on('1979-09-18', '20000.00'),
    ];

    const rate = annualPercentageRate(advances, monthly('1979-12-10', 240, '612.36'), MONTH);

    expect(percent(rate)).toBe('10.25');
  });
});

describe('the rate of a schedule', () => {
  test('is the contract rate if nothing was charged in advance', () => {
    const schedule = buildSchedule({
      principal: '10000.00',
      interest_rate: '0.085',
      payment_frequency: 'monthly',
      number_of_payments: 36,
      start_date: '2026-01-15',
    });

    const plan = { schedule, start_date: '2026-01-15', payment_frequency: 'monthly' } as const;

    expect(percent(new Big(computeScheduleApr({ ...plan, amount_financed: '10000.00' })))).toBe(
      '8.50',
    );
    expect(percent(new Big(computeScheduleApr({ ...plan, amount_financed: '9700.00' })))).toBe(
      '10.59',
    );
  });

  test('is zero if nothing is charged at all', () => {
    const schedule = [
      { due_date: '2026-02-15', payment_amount: '50.00' },
      { due_date: '2026-03-15', payment_amount: '50.00' },
    ];

    const plan = { schedule, start_date: '2026-01-15', payment_frequency: 'monthly' } as const;

    expect(computeScheduleApr({ ...plan, amount_financed: '100.00' })).toBe('0.000000');
  });
});
