import { Big } from 'big.js';
import { dictionary } from '../../../sql/dictionary.ts';
import { addDays } from '../../dates.ts';
import { money } from '../../money.ts';
import { countDays, yearFraction } from '../../loans/arithmetic/day-count.ts';
import { interestToCents } from '../../loans/arithmetic/interest-rounding.ts';
import { DAY_COUNTS, type DayCount, type Terms } from '../../loans/arithmetic/terms.ts';
import type { BookLoan } from './book-loan.ts';
import {
  changeText,
  valueText,
  type ConventionChange,
  type Conventions,
  type DifferenceKind,
} from './conventions.ts';
import { centsOf, isGiven, type Comparison, type Difference } from './differences.ts';

/** How another system may count the interest of a boarded loan since the day through which it is paid. */
export type SincePaid = Pick<Conventions, 'day_count' | 'interest_through'>;

/** Interest explains these figures. Any other one shows that something else differs too. */
const FIGURES_OF_INTEREST: readonly string[] = ['interest', 'payoff_amount'];

/**
 * The counts of days that give the other system's interest on all days, without any event since the boarding. 30/360
 * means whole months of 30 days here, also within a period. Empty if another figure differs too.
 */
export function countsSincePaid(
  loan: BookLoan,
  { theirs, tolerance }: Comparison,
  differences: readonly Difference[],
  ours: Conventions,
): SincePaid[] {
  const from = paidThrough(loan);
  const last = theirs.at(-1)?.as_of_date ?? '';
  const isInterestOnly = differences.every(({ figure }) => FIGURES_OF_INTEREST.includes(figure));
  const isQuiet = loan.events.every(({ effective_date }) => effective_date > last);
  if (from === null || !isInterestOnly || !isQuiet) return [];
  const isNear = (one: bigint, other: bigint) =>
    (one > other ? one - other : other - one) <= tolerance;
  return waysOfCounting(ours.day_count).filter((way) =>
    theirs.every((day) => {
      const cents = centsOf(interestOn(loan, from, day.as_of_date, way).amount);
      const { interest, payoff_amount: payoff } = day;
      if (isGiven(interest) && !isNear(centsOf(interest), cents)) return false;
      const debt = centsOf(principalOf(loan)) + centsOf(feesOf(loan)) + cents;
      return !isGiven(payoff) || isNear(centsOf(payoff), debt);
    }),
  );
}

function paidThrough({ start }: BookLoan): string | null {
  return start.kind === 'boarding' && start.takeover === undefined
    ? (start.paid_through_date ?? null)
    : null;
}

const principalOf = ({ start }: BookLoan) =>
  start.kind === 'boarding' ? start.principal_balance : '0.00';
const feesOf = ({ start }: BookLoan) =>
  (start.kind === 'boarding' && start.outstanding_fees) || '0.00';

/** The interest from the paid-through date to a day. */
export const interestOn = (loan: BookLoan, from: string, day: string, way: SincePaid) =>
  interestSince({ principal: principalOf(loan), terms: loan.terms }, from, day, way);

type EarningDebt = { principal: string; terms: Pick<Terms, 'interest_rate' | 'rounding_mode'> };

/** The interest of an unchanged principal from one day to another, as some system counts it. */
export function interestSince(
  { principal, terms }: EarningDebt,
  from: string,
  day: string,
  { day_count, interest_through }: SincePaid,
): { to: string; amount: string } {
  const to = interest_through === 'same_day' ? addDays(day, 1) : day;
  const exact = new Big(principal)
    .times(terms.interest_rate)
    .times(yearFraction(day_count, from, to));
  return { to, amount: money(interestToCents(exact.round(10), terms.rounding_mode)) };
}

/** All ways of counting, those of one system first. */
export const waysOfCounting = (ours: DayCount): SincePaid[] =>
  (['day_before', 'same_day'] as const).flatMap((interest_through) =>
    [ours, ...DAY_COUNTS.filter((other) => other !== ours)].map((day_count) => ({
      day_count,
      interest_through,
    })),
  );

/** What the way of counting differs in, with its computation on a day. */
export function explainSincePaid(
  loan: BookLoan,
  way: SincePaid,
  ours: Conventions,
  day: string,
): {
  kind: DifferenceKind;
  changes: ConventionChange[];
  reasons: string[];
  theirs: { interest: string; text: string };
} {
  const from = paidThrough(loan) ?? day;
  const { to, amount } = interestOn(loan, from, day, way);
  const changes: ConventionChange[] = [];
  if (way.day_count !== ours.day_count)
    changes.push({ convention: 'day_count', ours: ours.day_count, theirs: way.day_count });
  if (way.interest_through !== ours.interest_through)
    changes.push({
      convention: 'interest_through',
      ours: ours.interest_through,
      theirs: way.interest_through,
    });
  const isRounded = changes.length === 0 && wasRoundedAtBoarding(loan, from, ours);
  return {
    kind: isRounded
      ? 'rounding'
      : (KINDS[changes.map(({ convention }) => convention).join(' ')] ?? 'several'),
    changes,
    reasons: [
      ...changes.map(changeText),
      ...(isRounded
        ? [`interest at the boarding: ${boardedInterest(loan)} here, rounded to the cent`]
        : []),
      ...(changes.length === 0 && !isRounded
        ? [`interest at the boarding: ${boardedInterest(loan)} here`]
        : []),
      `The figure there is the interest since ${from}, through when the loan is paid, by ${valueText(way.day_count)}`,
    ],
    theirs: {
      interest: amount,
      text: `Interest from ${from} to ${to}: ${daysText(way.day_count, from, to)} of ${principalOf(loan)} at ${new Big(loan.terms.interest_rate).times(100).toFixed()} %.`,
    },
  };
}

const KINDS = dictionary<DifferenceKind>({
  '': 'boarded_interest',
  day_count: 'day_count',
  interest_through: 'as_of_day',
});

/** The loan was boarded with the right interest, so that only the fractions of a cent of that day differ since. */
const wasRoundedAtBoarding = (loan: BookLoan, from: string, ours: Conventions): boolean =>
  interestOn(loan, from, loan.start.effective_date, ours).amount === boardedInterest(loan);

const boardedInterest = ({ start }: BookLoan) =>
  start.kind === 'boarding' ? (start.accrued_interest ?? '0.00') : '0.00';

function daysText(dayCount: DayCount, from: string, to: string): string {
  if (dayCount === 'actual_actual') return `actual days of actual years`;
  const { days, basis } = countDays(dayCount, from, to);
  return `${days} of ${basis} days`;
}
