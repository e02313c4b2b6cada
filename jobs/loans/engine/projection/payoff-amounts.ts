import { Big } from 'big.js';
import { addDays, isLeapYear, dateParts } from '../../../dates.ts';
import {
  atLeastZero,
  divide,
  isBelowZero,
  money,
  parseMoney,
  roundToTenPlaces,
  ZERO,
  type Rounding,
} from '../../../money.ts';
import type { DayCount } from '../../arithmetic/terms.ts';
import { reducedBy, sumParts, type AmountPart } from '../amount-parts.ts';
import { fold, replay } from '../fold.ts';
import { segmentInterest, type InterestSegment, type InterestMeter } from '../interest/interest.ts';
import { unsettledSegments } from '../interest/unsettled-interest.ts';
import type { LoanState } from '../state.ts';
import {
  startFuture,
  takeSteps,
  type AgreedChange,
  type AgreedStep,
  type History,
} from './agreed-steps.ts';

type PayoffLine = Omit<InterestSegment, 'rule'> & {
  rule: InterestSegment['rule'] | 'brought_forward';
};

export type Payoff = {
  payoff_date: string;
  good_through_date: string;
  principal_amount: string;
  accrued_interest: string;
  /** Interest of one more day, in cents for display. The other amounts are never computed from it. */
  per_diem: string;
  fees_amount: string;
  prepayment_penalty: string;
  /** The borrower's suspense balance, which reduces the payoff amount. */
  credits_amount: string;
  /** Interest paid with an installment before it was earned. */
  unearned_interest: string;
  payoff_amount: string;
  payoff_amount_good_through: string;
  /** The segments that make up the interest. Their amounts add up to it before rounding. */
  explanation: PayoffLine[];
  /** Agreed changes through `good_through_date` that affect the amounts. */
  agreed_changes: readonly AgreedChange[];
};

/**
 * The payoff amounts of a day. Both the quote and the payment use the same fold: a payoff payment of
 * exactly `payoff_amount` on `payoff_date`, with the penalty assessed, leaves no debt and no excess. A payoff
 * precedes everything that happens at the close of its day.
 */
export function payoff(
  { agreed = [], ...history }: History & { agreed?: readonly AgreedStep[] },
  on: { payoff_date: string; good_through_date?: string; prepayment_penalty?: string },
): Payoff {
  const { payoff_date } = on;
  const good_through_date = on.good_through_date ?? payoff_date;
  const penalty = parseMoney(on.prepayment_penalty ?? '0.00');
  const by = takeSteps(startFuture(history, agreed), { date: payoff_date, at: 'morning' });
  const last = takeSteps(by, { date: good_through_date, at: 'morning' });
  const { position } = replay({ ...by.history, as_of: payoff_date });
  const state = fold({ ...by.history, as_of: payoff_date });
  const later = fold({ ...last.history, as_of: good_through_date });
  return {
    payoff_date,
    good_through_date,
    principal_amount: money(parseMoney(state.principal_balance).plus(payableChargeOff(state))),
    accrued_interest: state.accrued_interest,
    per_diem: money(state.is_accruing ? perDiem(position.meter, payoff_date) : ZERO),
    fees_amount: state.outstanding_fees,
    prepayment_penalty: money(penalty),
    credits_amount: state.suspense_balance,
    unearned_interest: money(unearnedInterest(state)),
    payoff_amount: money(payoffAmount(state, penalty)),
    payoff_amount_good_through: money(payoffAmount(later, penalty)),
    explanation: explainInterest(state, history.terms.rounding_mode),
    agreed_changes: last.changes,
  };
}

/** The whole debt plus the penalty, minus suspense and unearned interest. Never below zero. */
export const payoffAmount = (state: LoanState, penalty: Big = ZERO): Big =>
  sumParts(payoffParts(state, penalty));

export const payoffParts = (state: LoanState, penalty: Big): readonly AmountPart[] =>
  payoffPartsOf(
    {
      ...debtOf(state),
      is_charged_off: state.is_charged_off,
      charge_off_balance: parseMoney(state.charge_off_balance),
      unearned_interest: unearnedInterest(state),
      suspense: parseMoney(state.suspense_balance),
    },
    penalty,
  );

type Debt = Record<'principal' | 'interest' | 'fees', Big>;
type PayoffBalances = Debt &
  Record<'charge_off_balance' | 'unearned_interest' | 'suspense', Big> & {
    is_charged_off: boolean;
  };

/** The same for the balances of a day. */
export const payoffPartsOf = (balances: PayoffBalances, penalty: Big): readonly AmountPart[] =>
  notBelowZero([
    ...debtParts(balances),
    { rule: 'charge_off_balance', amount: payableChargeOff(balances) },
    { rule: 'prepayment_penalty', amount: penalty },
    ...reducedBy('prepaid_interest', balances.unearned_interest),
    ...reducedBy('suspense', balances.suspense),
  ]);

/** The amount of a regular payment that repays the loan. Unearned interest counts towards it. */
export const repaymentAmount = (state: LoanState): Big => sumParts(repaymentAmountParts(state));

export const repaymentAmountParts = (state: LoanState): readonly AmountPart[] =>
  notBelowZero([
    ...debtParts(debtOf(state)),
    ...reducedBy('prepaid_interest', unearnedInterest(state)),
  ]);

const debtOf = (state: LoanState): Debt => ({
  principal: parseMoney(state.principal_balance),
  interest: parseMoney(state.accrued_interest),
  fees: parseMoney(state.outstanding_fees),
});

const debtParts = ({ principal, interest, fees }: Debt): readonly AmountPart[] => [
  { rule: 'principal', amount: principal },
  { rule: 'interest', amount: interest },
  { rule: 'fees', amount: fees },
];

/** Adds the credits that exceed the debt. They stay with the borrower. */
function notBelowZero(parts: readonly AmountPart[]): readonly AmountPart[] {
  const total = sumParts(parts);
  return isBelowZero(total) ? [...parts, { rule: 'limited_to_zero', amount: total.neg() }] : parts;
}

/** The payoff includes a partial charge-off. A fully charged-off loan has no payoff. */
const payableChargeOff = ({
  is_charged_off,
  charge_off_balance,
}: Pick<LoanState, 'is_charged_off'> & { charge_off_balance: Big | string }): Big =>
  is_charged_off ? ZERO : new Big(charge_off_balance);

function unearnedInterest(state: LoanState): Big {
  return atLeastZero(new Big(state.interest_settled).minus(state.interest_earned));
}

/** One day's interest, ten decimal places. Example: 10000.00 at 0.085 on actual/365 earns 2.3287671233. */
export function dailyInterest(balance: Big, rate: Big, dayCount: DayCount, date: string): Big {
  return roundToTenPlaces(divide(balance.times(rate), daysOfYear(dayCount, date)));
}

function perDiem(meter: InterestMeter, date: string): Big {
  const { balance, rate, pace } = meter.source;
  if (pace === null) return dailyInterest(balance, rate, meter.day_count, date);
  const days = { day_count: meter.day_count, since: date, source: meter.source };
  return segmentInterest(days, addDays(date, 1));
}

function daysOfYear(dayCount: DayCount, date: string): number {
  if (dayCount === 'actual_actual') return isLeapYear(dateParts(date).year) ? 366 : 365;
  if (dayCount === 'actual_365') return 365;
  return dayCount === 'actual_364' ? 364 : 360;
}

/** The unsettled segments. The unsettled part of earlier ones comes first, as `brought_forward`. */
function explainInterest(state: LoanState, rounding: Rounding): PayoffLine[] {
  const unsettled = unsettledSegments(state, rounding);
  const [first] = unsettled;
  if (first === undefined) return [];
  const carried = carriedSegment(first.segment, first.before.minus(state.interest_settled));
  return [...carried, ...unsettled.map(({ segment: { period: _, ...line } }) => line)];
}

function carriedSegment(segment: InterestSegment, amount: Big): PayoffLine[] {
  if (amount.eq(0)) return [];
  const { from, balance, rate } = segment;
  const line = { from, to: from, days: 0, balance, rate, amount: amount.toFixed(10) };
  return [{ ...line, rule: 'brought_forward' }];
}
