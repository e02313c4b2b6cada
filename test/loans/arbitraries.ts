import { Big } from 'big.js';
import * as fc from 'fast-check';
import { buildSchedule } from '../../jobs/loans/arithmetic/amortize.ts';
import { numberOfPayments } from '../../jobs/loans/arithmetic/due-dates.ts';
import {
  COMPONENTS,
  completeTerms,
  DAY_COUNTS,
  EXTRA_PAYMENT_TARGETS,
  INTEREST_ROUNDINGS,
  isBilledByCycle,
  accruesBySchedule,
  type InterestMethod,
} from '../../jobs/loans/arithmetic/terms.ts';
import { WATERFALLS } from '../../jobs/loans/arithmetic/waterfalls.ts';
import { CREDIT_TARGETS, type LoanEvent } from '../../jobs/loans/engine/events.ts';
import type { FoldInput } from '../../jobs/loans/engine/fold.ts';
import { withFees } from '../../jobs/loans/schedule/spread-fees.ts';
import { anyAgreement, anyAmount, day, START } from './agreed/any-agreement.ts';

/** Random loans and their lives for property tests: any product, any events, in any order. */
const anyRate = fc.constantFrom('0', '0.0399', '0.085', '0.1299', '0.2999');

/** Usually the standard waterfall, sometimes a product's own. */
const anyOrder = fc.constantFrom(
  null,
  null,
  WATERFALLS.delinquency_first.steps,
  WATERFALLS.interest_first.steps,
);

/** The minimum payment of a line of credit that is billed by cycle. */
const MINIMUM = { percentage: '0.02', floor_amount: '30.00', plus_interest_and_fees: true };

const METHODS: readonly InterestMethod[] = ['simple_daily', 'scheduled', 'flat'];

export const anyLoan = fc
  .record({
    principal: fc.integer({ min: 50_000, max: 5_000_000 }).map((cents) => (cents / 100).toFixed(2)),
    interest_rate: anyRate,
    day_count: fc.constantFrom(...DAY_COUNTS),
    interest_method: fc.constantFrom(...METHODS),
    payment_frequency: fc.constantFrom('monthly', 'biweekly', 'semi_monthly', 'quarterly'),
    extra_payment_to: fc.constantFrom(...EXTRA_PAYMENT_TARGETS),
    loan_type: fc.constantFrom('installment', 'installment', 'line_of_credit'),
    allocation_order: anyOrder,
    term_months: fc.integer({ min: 3, max: 24 }),
    rounding_mode: fc.constantFrom(...INTEREST_ROUNDINGS),
    delinquency_grace_days: fc.constantFrom(0, 0, 5, 40),
    spread: fc.constantFrom('0.00', '0.00', '0.20', '120.35'),
    minimum_payment: fc.constantFrom(null, MINIMUM),
    payment_due_days: fc.integer({ min: 14, max: 27 }),
    grace_on_purchases: fc.boolean(),
  })
  .map(({ principal, spread, ...given }) => {
    const terms = completeTerms(given);
    if (isBilledByCycle(terms) && !accruesBySchedule(terms))
      return { terms, schedule: [], principal, spread };
    const schedule = buildSchedule({
      ...given,
      principal,
      number_of_payments: numberOfPayments(given.payment_frequency, given.term_months),
      start_date: START,
    });
    return { terms, schedule: withFees(schedule, new Big(spread)), principal, spread };
  });

export type Draft = LoanEvent extends infer Event
  ? Event extends LoanEvent
    ? Omit<Event, 'id'>
    : never
  : never;

function at(draft: fc.Arbitrary<object>): fc.Arbitrary<Draft> {
  return (
    fc
      .tuple(day, draft)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each draft below names its kind.
      .map(([effective_date, facts]) => ({ effective_date, ...facts }) as Draft)
  );
}

const payment = at(
  fc.record({
    kind: fc.constant('payment'),
    amount: anyAmount,
    payment_type: fc.constantFrom(
      'regular',
      'regular',
      'regular',
      'extra_principal',
      'payoff',
      'settlement',
      'fee_only',
      'recovery',
    ),
    allocation_override: fc.option(
      fc.array(fc.record({ component: fc.constantFrom(...COMPONENTS), amount: anyAmount }), {
        maxLength: 3,
      }),
      { freq: 1 },
    ),
  }),
);

const fee = at(
  fc.record({ kind: fc.constant('fee'), amount: fc.constantFrom('5.00', '25.00', '39.99') }),
);

const portion = fc.oneof(fc.constant('all'), anyAmount);

const rare = fc.oneof(
  at(
    fc.record({
      kind: fc.constant('service_credit'),
      amount: anyAmount,
      apply_to: fc.constantFrom(...CREDIT_TARGETS),
    }),
  ),
  at(fc.record({ kind: fc.constant('rate_change'), interest_rate: anyRate })),
  at(fc.record({ kind: fc.constant('promo'), interest_rate: anyRate, to: day })),
  at(
    fc.record({
      kind: fc.constant('rate_cap'),
      interest_rate: fc.constantFrom('0.01', '0.06'),
      to: fc.option(day),
    }),
  ),
  at(
    fc.record({
      kind: fc.constant('accrual_stop'),
      reason: fc.constantFrom('freeze', 'non_accrual'),
    }),
  ),
  at(
    fc.record({
      kind: fc.constant('accrual_start'),
      reason: fc.constantFrom('freeze', 'non_accrual'),
      catch_up: fc.boolean(),
    }),
  ),
  at(fc.record({ kind: fc.constant('capitalization'), interest: portion, fees: portion })),
  at(fc.record({ kind: fc.constant('forgiveness'), principal: portion, interest: portion })),
  at(fc.record({ kind: fc.constant('suspense_application'), amount: portion })),
  at(fc.record({ kind: fc.constant('reimbursement'), amount: anyAmount })),
  at(fc.record({ kind: fc.constant('schedule_agreed'), agreement: anyAgreement })),
  at(fc.record({ kind: fc.constant('draw'), amount: anyAmount })),
  at(fc.record({ kind: fc.constant('write_off'), amount: fc.constantFrom('0.50', 'all') })),
  at(fc.record({ kind: fc.constant('delinquency_pause'), to: day })),
  at(fc.record({ kind: fc.constant('acceleration') })),
  at(
    fc.record({
      kind: fc.constant('charge_off'),
      waive_fees: fc.boolean(),
      reverse_accrued_interest: fc.boolean(),
    }),
  ),
  at(fc.record({ kind: fc.constant('charge_off'), principal_amount: anyAmount })),
  at(fc.record({ kind: fc.constant('liquidation'), net_proceeds: anyAmount })),
  at(fc.record({ kind: fc.constant('fee_waiver'), fee_id: fc.constantFrom('e2', 'e3', 'e4') })),
  at(
    fc.record({
      kind: fc.constant('reversal'),
      reverses: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5'),
    }),
  ),
);

export const anyEvent: fc.Arbitrary<Draft> = fc.oneof(
  { weight: 6, arbitrary: payment },
  { weight: 2, arbitrary: fee },
  { weight: 5, arbitrary: rare },
);

/** Charges paid from the proceeds of a disbursement and added to its principal. */
const FINANCED = [
  { fee_id: 'f1', fee_type: 'origination', amount: '12.34', treatment: 'deducted' },
  { fee_id: 'f2', fee_type: 'other', amount: '56.78', treatment: 'capitalized' },
] as const;

/** A disbursement on the first day, or a boarded loan with its balances. */
function funding(
  principal: string,
  boarded: { interest: string; fees: string } | null,
  hasFees: boolean,
): LoanEvent {
  const first = { id: 'e0', effective_date: START } as const;
  const fees = hasFees ? { fees: FINANCED } : {};
  if (boarded === null) return { ...first, kind: 'disbursement', amount: principal, ...fees };
  const { interest: accrued_interest, fees: outstanding_fees } = boarded;
  const balances = { principal_balance: principal, accrued_interest, outstanding_fees };
  return { ...first, kind: 'boarding', ...balances, paid_through_date: '2025-12-31' };
}

/** A fee that the schedule spreads over its installments. */
const spreadFee = (amount: string): LoanEvent[] =>
  amount === '0.00'
    ? []
    : [{ id: 'f3', kind: 'fee', effective_date: START, fee_id: 'f3', amount, is_spread: true }];

/** A funded loan with its life so far, and an as-of date. */
export const anyLife: fc.Arbitrary<FoldInput & { events: LoanEvent[] }> = fc
  .record({
    loan: anyLoan,
    hasFees: fc.boolean(),
    boarded: fc.option(fc.record({ interest: anyAmount, fees: anyAmount }), { freq: 1 }),
    drafts: fc.array(anyEvent, { maxLength: 14 }),
    as_of: day,
  })
  .map(({ loan: { terms, schedule, principal, spread }, boarded, hasFees, drafts, as_of }) => ({
    terms,
    schedule,
    as_of,
    events: [
      funding(principal, boarded, hasFees),
      ...spreadFee(spread),
      ...drafts.map((draft, index) => ({ ...draft, id: `e${index + 1}` })),
    ],
  }));
