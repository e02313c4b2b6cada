import { Big } from 'big.js';
import * as fc from 'fast-check';
import { addDays } from '../../jobs/dates.ts';
import {
  AMORTIZATIONS,
  completeTerms,
  DAY_COUNTS,
  EXTRA_PAYMENT_TARGETS,
  INSTALLMENT_CALCULATIONS,
  INTEREST_METHODS,
  INTEREST_ROUNDINGS,
  PAYMENT_FREQUENCIES,
  type Terms,
} from '../../jobs/loans/arithmetic/terms.ts';
import { WATERFALLS } from '../../jobs/loans/arithmetic/waterfalls.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { firstSchedule } from '../../jobs/loans/schedule/first-schedule.ts';
import type { LoanTerms } from '../../jobs/loans/products/loan-terms.ts';
import { START } from './agreed/any-agreement.ts';

/** The terms that determine a schedule, and the first payment's date. */
export type Contract = Partial<Terms> & {
  principal: string;
  /** Days from the disbursement to the first payment. Null: the product's rule applies. */
  first?: number | null;
  spread_fees?: string;
};

/** A loan funded on the first day according to its contract, with its schedule. */
export function fundedLoan({ principal, first = null, spread_fees = '0.00', ...given }: Contract) {
  const own = { first_payment_rule: 'next_month_on_payment_day', min_days_to_first_payment: 15 };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schedule needs only these fields of a product.
  const terms = { ...completeTerms(given), ...own } as Terms & LoanTerms;
  const schedule = firstSchedule(terms, {
    principal: new Big(principal),
    on: START,
    first_payment_date: first === null ? null : addDays(START, first),
    spread_fees: new Big(spread_fees),
  });
  const on = { effective_date: START } as const;
  const events: LoanEvent[] = [{ ...on, id: 'e000', kind: 'disbursement', amount: principal }];
  if (spread_fees !== '0.00') {
    const fee = { kind: 'fee', fee_id: 'f000', amount: spread_fees, is_spread: true } as const;
    events.push({ ...on, id: 'f000', ...fee });
  }
  return { terms, schedule, events };
}

const cents = (min: number, max: number) =>
  fc.integer({ min, max }).map((amount) => (amount / 100).toFixed(2));

const orNull = <It>(some: fc.Arbitrary<It>) => fc.option(some, { nil: null });

export const anyContract = (longest: number): fc.Arbitrary<Contract> =>
  fc.record({
    principal: cents(50_000, 50_000_000),
    interest_rate: fc.constantFrom('0', '0.0399', '0.03625', '0.085', '0.1299', '0.2999'),
    day_count: fc.constantFrom(...DAY_COUNTS),
    interest_method: fc.constantFrom(...INTEREST_METHODS),
    amortization: fc.constantFrom(...AMORTIZATIONS),
    balloon_amount: fc.constantFrom(null, '400.00'),
    payment_frequency: fc.constantFrom('monthly' as const, ...PAYMENT_FREQUENCIES),
    installment_calculation: fc.constantFrom(...INSTALLMENT_CALCULATIONS),
    installment_rounding: fc.constantFrom('half_up' as const, 'half_even' as const),
    rounding_mode: fc.constantFrom(...INTEREST_ROUNDINGS),
    extra_payment_to: fc.constantFrom(...EXTRA_PAYMENT_TARGETS),
    loan_type: fc.constantFrom('installment', 'installment', 'line_of_credit' as const),
    allocation_order: fc.constantFrom(
      null,
      null,
      WATERFALLS.delinquency_first.steps,
      WATERFALLS.interest_first.steps,
    ),
    installment_tolerance: fc.constantFrom('0.00', '0.00', '1.00'),
    delinquency_grace_days: fc.constantFrom(0, 0, 5),
    term_months: fc.integer({ min: 1, max: longest }),
    payment_day: orNull(fc.integer({ min: 1, max: 31 })),
    first: orNull(fc.integer({ min: 1, max: 90 })),
    spread_fees: fc.constantFrom('0.00', '0.00', '0.20', '120.35'),
  });
