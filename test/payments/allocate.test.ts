import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPONENTS, DUE_STATES } from '../../jobs/loans/arithmetic/terms.ts';
import {
  customWaterfall,
  WATERFALL_NAMES,
  WATERFALLS,
  type WaterfallName,
} from '../../jobs/loans/arithmetic/waterfalls.ts';
import { allocate, allocateByInstruction, type Due } from '../../jobs/loans/engine/allocate.ts';
import { sum } from '../../jobs/money.ts';

function due(
  component: Due['component'],
  due_state: Due['due_state'],
  due_date: string,
  amount: string,
  installment_number: number | null = null,
): Due {
  return {
    component,
    due_state,
    due_date,
    amount: new Big(amount),
    installment_number,
    fee_id: null,
  };
}

/** Two installments past due with a fee on the first, one due today, and future principal. */
const DUES = [
  due('fee', 'past_due', '2026-01-01', '25.00', 1),
  due('interest', 'past_due', '2026-01-01', '10.00', 1),
  due('principal', 'past_due', '2026-01-01', '90.00', 1),
  due('interest', 'past_due', '2026-02-01', '9.00', 2),
  due('principal', 'past_due', '2026-02-01', '91.00', 2),
  due('interest', 'due', '2026-03-01', '8.00', 3),
  due('principal', 'due', '2026-03-01', '92.00', 3),
  due('principal', 'in_advance', '2026-03-01', '500.00'),
];

function split(name: WaterfallName, amount: string): string[] {
  const { shares, rest } = allocate(new Big(amount), DUES, WATERFALLS[name]);
  const parts = shares.map(
    (share) => `${share.component} ${share.installment_number ?? '-'} ${share.amount.toFixed(2)}`,
  );
  return rest.eq(0) ? parts : [...parts, `rest ${rest.toFixed(2)}`];
}

describe('a waterfall', () => {
  test.each([
    [
      'standard',
      '130',
      ['fee 1 25.00', 'interest 1 10.00', 'principal 1 90.00', 'interest 2 5.00'],
    ],
    [
      'delinquency_first',
      '110',
      ['interest 1 10.00', 'principal 1 90.00', 'interest 2 9.00', 'principal 2 1.00'],
    ],
    ['interest_first', '40', ['interest 1 10.00', 'fee 1 25.00', 'principal 1 5.00']],
    [
      'non_accrual',
      '800',
      [
        'principal 1 90.00',
        'principal 2 91.00',
        'principal 3 92.00',
        'principal - 500.00',
        'interest 1 10.00',
        'interest 2 9.00',
        'interest 3 8.00',
      ],
    ],
    [
      'accelerated',
      '60',
      ['fee 1 25.00', 'interest 1 10.00', 'interest 2 9.00', 'interest 3 8.00', 'principal 1 8.00'],
    ],
    [
      'extra_principal',
      '30',
      ['interest 1 10.00', 'interest 2 9.00', 'interest 3 8.00', 'principal 1 3.00'],
    ],
    ['fee_only', '40', ['fee 1 25.00', 'rest 15.00']],
  ] as const)('called %s puts %s where it says', (name, amount, parts) => {
    expect(split(name, amount)).toEqual(parts);
  });

  test('of a product may list only some targets', () => {
    const own = customWaterfall([{ due_state: 'due', component: 'principal' }]);
    const { shares } = allocate(new Big('100'), DUES, own);

    expect(shares[0]).toMatchObject({ component: 'principal', installment_number: 3 });
    expect(shares[1]).toMatchObject({ component: 'fee', installment_number: 1 });
  });
});

const anyDue = fc
  .record({
    component: fc.constantFrom(...COMPONENTS),
    due_state: fc.constantFrom(...DUE_STATES),
    month: fc.integer({ min: 1, max: 9 }),
    cents: fc.integer({ min: 0, max: 100_000 }),
    number: fc.option(fc.integer({ min: 1, max: 5 })),
  })
  .map(({ component, due_state, month, cents, number }) =>
    due(component, due_state, `2026-0${month}-01`, new Big(cents).div(100).toFixed(2), number),
  );

test('the parts always add up to the whole, and none exceeds its target', () => {
  fc.assert(
    fc.property(
      fc.array(anyDue, { maxLength: 12 }),
      fc.integer({ min: 1, max: 500_000 }),
      fc.constantFrom(...WATERFALL_NAMES),
      (dues, cents, name) => {
        const amount = new Big(cents).div(100);
        const { shares, rest } = allocate(amount, dues, WATERFALLS[name]);
        const applied = sum(shares.map((share) => share.amount));
        expect(applied.plus(rest).eq(amount)).toBe(true);
        expect(rest.gte(0)).toBe(true);
        for (const component of COMPONENTS) {
          const owed = sum(dues.filter((due) => due.component === component).map((d) => d.amount));
          const paid = sum(shares.filter((s) => s.component === component).map((s) => s.amount));
          expect(paid.lte(owed)).toBe(true);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

test('a person may choose the allocation, up to what is owed', () => {
  const told = allocateByInstruction(new Big('150'), DUES, [
    { component: 'interest', amount: new Big('100') },
    { component: 'principal', amount: new Big('50') },
  ]);

  expect(
    sum(told.shares.filter((s) => s.component === 'interest').map((s) => s.amount)).eq(27),
  ).toBe(true);
  expect(told.rest.eq(73)).toBe(true);
});
