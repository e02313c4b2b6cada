import { addDays, compareDates, latest } from '../../dates.ts';
import { money, parseMoney } from '../../money.ts';
import type { DayCount, Terms } from '../arithmetic/terms.ts';
import type { InterestSegment } from '../engine/interest/interest.ts';
import { interestParts } from '../engine/interest/unsettled-interest.ts';
import type { LoanState } from '../engine/state.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { readTerms } from '../products/loan-terms.ts';
import { newStep, type Calculation, type WordedStep } from './explanation.ts';

/** The periods with one balance and one rate whose interest is unpaid. */
export const explainInterest = ({ row, state }: OpenLoan): Calculation =>
  explainInterestOf(readTerms(row), state);

/** The same for a loan of any system. */
export function explainInterestOf(
  { rounding_mode, day_count }: Pick<Terms, 'rounding_mode' | 'day_count'>,
  state: LoanState,
): Calculation {
  const parts = interestParts(state, rounding_mode);
  const since = parts[0]?.segment?.from ?? '';
  const counted = parts.map(({ segment, amount }) => ({
    // The paid part follows the first days, because it pays for them.
    from: segment?.from ?? since,
    step:
      segment === null
        ? newStep('already_paid', { amount: money(amount) }, 'already_paid')
        : segmentStep(segment, money(amount), day_count),
  }));
  const paused = pausedSegments(state.interest_segments, since).map((segment) => ({
    from: segment.from,
    step: segmentStep(segment, '0.00', day_count),
  }));
  const { as_of: date, accrued_interest: amount } = state;
  const isSome = parseMoney(amount).gt(0);
  return {
    amount,
    days: null,
    steps: [
      ...[...counted, ...paused]
        .toSorted((one, other) => compareDates(one.from, other.from))
        .map(({ step }) => step),
      ...interestFreeSteps(state, day_count),
    ],
    summary: {
      key: isSome ? 'accrued_interest.some' : 'accrued_interest.none',
      values: { date, amount, through: addDays(date, -1) },
    },
  };
}

/** The principal of a credit line that is in its grace period. */
function interestFreeSteps(
  { interest_free_balance: balance }: LoanState,
  day_count: DayCount,
): WordedStep[] {
  if (!parseMoney(balance).gt(0)) return [];
  const none = { period_interest: null, period_days: null, stops: null };
  const interest = {
    balance,
    rate: '0',
    agreed_rate: null,
    day_count,
    exact_amount: '0.0000000000',
    ...none,
  };
  return [newStep('interest_free', { amount: '0.00', interest }, 'interest_free', { balance })];
}

/** Pauses within the counted days. If no interest is owed, the pause that lasts until the end. */
function pausedSegments(segments: readonly InterestSegment[], since: string) {
  const paused = segments.filter(({ rule }) => rule === 'suspended');
  if (since !== '') return paused.filter(({ to }) => to > since);
  const last = segments.at(-1);
  return last?.rule === 'suspended' ? [last] : [];
}

function segmentStep(segment: InterestSegment, amount: string, dayCount: DayCount): WordedStep {
  const { rule, from, to, days, balance, rate, agreed_rate, period, stops = null } = segment;
  const facts = {
    amount,
    from,
    to,
    days,
    interest: {
      balance,
      rate,
      agreed_rate: agreed_rate ?? null,
      day_count: dayCount,
      exact_amount: segment.amount,
      period_interest: period?.interest ?? null,
      period_days: period?.days ?? null,
      stops,
    },
  };
  const through = latest(from, addDays(to, -1));
  if (rule === 'suspended') {
    const isPromo = stops?.every((reason) => reason === 'promo') ?? false;
    const key = isPromo ? 'suspended.promo' : 'suspended';
    return newStep(rule, facts, key, { from, through, deferred: segment.amount });
  }
  if (rule !== 'accrued') return newStep(rule, facts, rule, { from });
  const values = {
    from,
    through,
    days,
    count: days,
    balance,
    rate,
    ...(agreed_rate && { agreed_rate }),
  };
  const isCapped = agreed_rate !== undefined;
  if (period !== undefined)
    return newStep(rule, facts, isCapped ? 'accrued.period.capped' : 'accrued.period', {
      ...values,
      period_days: period.days,
      period_count: period.days,
      period_interest: period.interest,
    });
  if (dayCount === 'actual_actual')
    return newStep(
      rule,
      facts,
      isCapped ? 'accrued.leap_years.capped' : 'accrued.leap_years',
      values,
    );
  const year = DAYS_OF_YEAR[dayCount];
  return newStep(rule, facts, isCapped ? 'accrued.capped' : 'accrued', { ...values, year });
}

const DAYS_OF_YEAR = { actual_365: 365, actual_364: 364, actual_360: 360, '30_360': 360 } as const;
