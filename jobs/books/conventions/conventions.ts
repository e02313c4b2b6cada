import { dictionary } from '../../../sql/dictionary.ts';
import type { Rounding } from '../../money.ts';
import {
  DAY_COUNTS,
  INTEREST_ROUNDINGS,
  type AllocationStep,
  type DayCount,
  type InterestMethod,
  type Terms,
} from '../../loans/arithmetic/terms.ts';
import { WATERFALLS, type WaterfallName } from '../../loans/arithmetic/waterfalls.ts';
import type { FeeRule } from '../../loans/products/fee-amounts.ts';

/** The order in which a payment pays what is due. The names are those of a product's `allocation_order`. */
export const APPLICATION_ORDERS = [
  'standard',
  'interest_first',
  'delinquency_first',
] as const satisfies readonly WaterfallName[];
export type ApplicationOrder = (typeof APPLICATION_ORDERS)[number];

/** A rule for late fees, and the days after a due date during which it charges none. */
export type LateFeeRule = { rule: FeeRule; grace_days: number };

/**
 * The rules by which loan systems differ. `payment_lag_days` counts from the date of a payment in the file to its
 * effect. `late_fees`: the fees of the history, none, or those of a rule.
 */
export type Conventions = {
  interest_method: InterestMethod;
  day_count: DayCount;
  interest_rounding: Terms['rounding_mode'];
  /** `as_agreed`: the loan's own steps, which have no name. */
  application_order: ApplicationOrder | 'as_agreed';
  extra_payment_to: Terms['extra_payment_to'];
  installment: 'as_given' | Rounding;
  payment_lag_days: number;
  late_fees: 'as_recorded' | 'none' | LateFeeRule;
  interest_through: 'day_before' | 'same_day';
};
export type ConventionName = keyof Conventions;

/**
 * The kinds of differences between two systems. `several`: a pair of conventions. `not_kept`, `other_meaning` and
 * `inconsistent` are properties of the file.
 */
export const DIFFERENCE_KINDS = [
  'day_count',
  'interest_method',
  'rounding',
  'application_order',
  'effective_date',
  'fee_rule',
  'installment',
  'payment_applied_elsewhere',
  'missing_event',
  'as_of_day',
  'several',
  ...(['boarded_interest', 'paid_through', 'due_day', 'paid_to_date', 'status'] as const),
  ...(['not_kept', 'other_meaning', 'inconsistent'] as const),
  'unknown',
] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

type Alternatives = { [Name in ConventionName]: Convention<Name> };

/** A convention: the kind of difference that it causes, and the alternatives to try, the most common first. */
type Convention<Name extends ConventionName> = {
  kind: DifferenceKind;
  name: string;
  alternatives: readonly Conventions[Name][];
};

const LAGS = [0, 1, 2, 3, -1] as const;

export const CONVENTIONS: Alternatives = {
  day_count: { kind: 'day_count', name: 'day count', alternatives: DAY_COUNTS },
  interest_method: {
    kind: 'interest_method',
    name: 'interest method',
    alternatives: ['simple_daily', 'scheduled', 'flat'],
  },
  interest_rounding: {
    kind: 'rounding',
    name: 'interest rounding',
    alternatives: INTEREST_ROUNDINGS,
  },
  application_order: {
    kind: 'application_order',
    name: 'order of application',
    alternatives: APPLICATION_ORDERS,
  },
  payment_lag_days: {
    kind: 'effective_date',
    name: 'days until a payment takes effect',
    alternatives: LAGS,
  },
  late_fees: { kind: 'fee_rule', name: 'late fees', alternatives: ['as_recorded', 'none'] },
  extra_payment_to: {
    kind: 'payment_applied_elsewhere',
    name: 'use of extra payments',
    alternatives: ['principal', 'next_installment'],
  },
  installment: {
    kind: 'installment',
    name: 'installment',
    alternatives: ['as_given', 'half_up', 'up', 'down'],
  },
  interest_through: {
    kind: 'as_of_day',
    name: 'interest through',
    alternatives: ['day_before', 'same_day'],
  },
};

export const CONVENTION_NAMES = Object.keys(CONVENTIONS) as ConventionName[];

/** The steps of an order in a loan's terms. Null: the standard order. */
export const stepsOfOrder = (order: ApplicationOrder): readonly AllocationStep[] | null =>
  order === 'standard' ? null : WATERFALLS[order].steps;

/** The conventions by which a loan of ours is computed. */
export function conventionsOf(terms: Terms): Conventions {
  const steps = JSON.stringify(terms.allocation_order);
  const named = APPLICATION_ORDERS.find((name) => JSON.stringify(stepsOfOrder(name)) === steps);
  return {
    interest_method: terms.interest_method,
    day_count: terms.day_count,
    interest_rounding: terms.rounding_mode,
    application_order: named ?? 'as_agreed',
    extra_payment_to: terms.extra_payment_to,
    installment: 'as_given',
    payment_lag_days: 0,
    late_fees: 'as_recorded',
    interest_through: 'day_before',
  };
}

/** One convention that another system sets differently. */
export type ConventionChange = {
  [Name in ConventionName]: {
    convention: Name;
    ours: Conventions[Name];
    theirs: Conventions[Name];
  };
}[ConventionName];

export const applyChange = (
  conventions: Conventions,
  { convention, theirs }: ConventionChange,
): Conventions => ({ ...conventions, [convention]: theirs });

/** All single changes of the conventions, in the order of their declaration. */
export const singleChanges = (conventions: Conventions): ConventionChange[] =>
  CONVENTION_NAMES.flatMap((convention) =>
    CONVENTIONS[convention].alternatives
      .filter((theirs) => theirs !== conventions[convention])
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both values are of the same convention.
      .map((theirs) => ({ convention, ours: conventions[convention], theirs }) as ConventionChange),
  );

export const kindOfChange = ({ convention }: ConventionChange): DifferenceKind =>
  CONVENTIONS[convention].kind;

const VALUE_TEXTS = dictionary<string>({
  actual_365: 'actual/365',
  actual_360: 'actual/360',
  actual_364: 'actual/364',
  actual_actual: 'actual/actual',
  '30_360': '30/360',
  simple_daily: 'by the day',
  scheduled: 'by the schedule',
  flat: 'flat',
  half_up: 'half a cent up',
  half_even: 'half a cent to the even cent',
  up: 'up',
  down: 'down to the cent',
  standard: 'fees, interest, principal',
  interest_first: 'interest, fees, principal',
  delinquency_first: 'interest, principal due, fees',
  as_recorded: 'as in the history',
  none: 'none',
  principal: 'pay principal',
  next_installment: 'pay the next installments',
  as_given: 'as in the file',
  as_agreed: 'as agreed for the loan',
  day_before: 'the day before',
  same_day: 'the day itself',
});

/** A convention's value in plain words: `30/360`, `1 day`, `25.00 after 10 days`. */
export function valueText(value: Conventions[ConventionName]): string {
  if (typeof value === 'number') return `${value} ${Math.abs(value) === 1 ? 'day' : 'days'}`;
  if (typeof value === 'string') return VALUE_TEXTS[value] ?? value;
  return lateFeeText(value);
}

function lateFeeText({ rule, grace_days }: LateFeeRule): string {
  const share = `${Number(rule.percentage ?? '0') * 100} %`;
  const fee =
    rule.calculation === 'flat'
      ? (rule.amount ?? '0.00')
      : `${share} of ${rule.calculation === 'percent_of_past_due' ? 'the unpaid part' : 'the installment'}`;
  return `${fee} after ${grace_days} days`;
}

export const changeText = ({ convention, ours, theirs }: ConventionChange): string =>
  `${CONVENTIONS[convention].name}: ${valueText(ours)} here, ${valueText(theirs)} there`;
