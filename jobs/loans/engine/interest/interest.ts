import type { Big } from 'big.js';
import { daysBetween } from '../../../dates.ts';
import { isAboveZero, isEqual, money, plus, ZERO } from '../../../money.ts';
import { interestFor } from '../../arithmetic/day-count.ts';
import { interestToCents } from '../../arithmetic/interest-rounding.ts';
import type { DayCount, Terms } from '../../arithmetic/terms.ts';
import { prorateInterest } from '../../arithmetic/thirty-day-months.ts';

/** One part of the explanation of accrued interest: consecutive days on one balance at one rate. */
export type InterestSegment = {
  from: string;
  to: string;
  days: number;
  balance: string;
  rate: string;
  /** The agreed rate, if a legal cap lowers it. Missing otherwise. */
  agreed_rate?: string;
  amount: string;
  rule: 'accrued' | 'boarded' | 'suspended' | 'caught_up';
  /** The interest and the days of the period over which it is earned evenly. Missing if it is daily. */
  period?: { interest: string; days: number };
  /** The reasons why accrual was stopped (suspended segments only). */
  stops?: readonly string[];
};

/** A period's interest, earned evenly over `days`. The pace is valid until `until`. */
export type PeriodAccrual = { interest: Big; days: number; until: string };

/** The balance and rate that earn interest, daily or at the pace of a period. */
export type AccrualSource = {
  balance: Big;
  rate: Big;
  /** The agreed rate, if a legal cap lowers it. */
  agreed_rate: Big | null;
  pace: PeriodAccrual | null;
  is_running: boolean;
  /** Reasons why accrual is stopped, sorted and joined by `+`. */
  stops: string;
};

/**
 * Counts interest. The source is constant from `since` on, so the total on a later day is `base` plus one
 * multiplication. A new segment begins only when the source changes. Reading the total therefore never
 * changes it.
 */
export type InterestMeter = {
  day_count: DayCount;
  rounding_mode: Terms['rounding_mode'];
  since: string | null;
  base: Big;
  /** Interest of days on which accrual was stopped, keyed by the reasons that still apply to it. */
  suspended: ReadonlyMap<string, Big>;
  source: AccrualSource;
  segments: Segment[];
  /** A cache of the last two results. Callers repeatedly ask for the same one or two days. */
  asked: AccruedUntil | null;
  askedBefore: AccruedUntil | null;
};

/** Interest of the open segment up to `to`, and the total accrued by then, exact and in cents. */
type AccruedUntil = { to: string; amount: Big; total: Big; cents: Big };

/** A segment with exact amounts. `worded` formats it on demand. */
type Segment = Omit<
  InterestSegment,
  'days' | 'balance' | 'rate' | 'agreed_rate' | 'amount' | 'period'
> & {
  balance: Big;
  rate: Big;
  agreed_rate: Big | null;
  amount: Big;
  pace: PeriodAccrual | null;
};

export function newInterestMeter({ day_count, rounding_mode }: Terms): InterestMeter {
  const source = {
    balance: ZERO,
    rate: ZERO,
    agreed_rate: null,
    pace: null,
    is_running: false,
    stops: '',
  };
  const empty = {
    base: ZERO,
    suspended: new Map(),
    segments: [],
    asked: null,
    askedBefore: null,
  };
  return { day_count, rounding_mode, since: null, source, ...empty };
}

/** Interest of the open segment up to `to`, excluding that day. */
export function segmentInterest(
  stretch: { day_count: DayCount; since: string | null; source: AccrualSource },
  to: string,
): Big {
  const { since, source, day_count } = stretch;
  if (since === null || to <= since) return ZERO;
  if (source.pace === null) return interestFor(source.balance, source.rate, day_count, since, to);
  const { interest, days } = source.pace;
  return prorateInterest(interest, daysBetween(since, to), days);
}

function accruedUntil(meter: InterestMeter, to: string): AccruedUntil {
  if (meter.asked?.to === to) return meter.asked;
  const known = meter.askedBefore;
  meter.askedBefore = meter.asked;
  meter.asked = known?.to === to ? known : computeAccrued(meter, to);
  return meter.asked;
}

function computeAccrued(meter: InterestMeter, to: string): AccruedUntil {
  const amount = segmentInterest(meter, to);
  const total = meter.source.is_running ? plus(meter.base, amount) : meter.base;
  return { to, amount, total, cents: interestToCents(total, meter.rounding_mode) };
}

/** All interest accrued before `date`, ten decimal places. */
export const interestAt = (meter: InterestMeter, date: string): Big =>
  accruedUntil(meter, date).total;

/** All interest accrued before `date`, rounded to cents. */
export const interestCentsAt = (meter: InterestMeter, date: string): Big =>
  accruedUntil(meter, date).cents;

export function setAccrualSource(meter: InterestMeter, date: string, source: AccrualSource): void {
  if (meter.since !== null && isSame(meter.source, source)) return;
  closeOpenSegment(meter, date);
  startSegment(meter, date);
  meter.source = source;
}

function startSegment(meter: InterestMeter, date: string): void {
  meter.since = date;
  clearCache(meter);
}

/** Clears the cache. */
function clearCache(meter: InterestMeter): void {
  meter.asked = null;
  meter.askedBefore = null;
}

/**
 * Ends one reason for stopping accrual. If catch-up is agreed, the suspended interest becomes owed in one
 * amount. Days on which accrual was also stopped for another reason wait until that reason ends. Without an
 * agreement the interest of these days is dropped for good.
 */
export function releaseSuspendedInterest(
  meter: InterestMeter,
  date: string,
  reason: string,
  isAgreed: boolean,
): void {
  closeOpenSegment(meter, date);
  if (meter.since !== null) startSegment(meter, date);
  const left = new Map<string, Big>();
  let owed = ZERO;
  for (const [stops, amount] of meter.suspended) {
    const reasons = stops.split('+');
    const others = reasons.filter((other) => other !== reason).join('+');
    if (others === stops) addTo(left, stops, amount);
    else if (isAgreed && others === '') owed = plus(owed, amount);
    else if (isAgreed) addTo(left, others, amount);
  }
  meter.suspended = left;
  if (isAboveZero(owed)) addAccruedInterest(meter, date, owed, 'caught_up');
}

const addTo = (sums: Map<string, Big>, key: string, amount: Big) =>
  sums.set(key, plus(sums.get(key) ?? ZERO, amount));

export function addAccruedInterest(
  meter: InterestMeter,
  date: string,
  amount: Big,
  rule: InterestSegment['rule'],
): void {
  meter.base = plus(meter.base, amount);
  clearCache(meter);
  meter.segments.push(segment(meter, date, date, amount, rule));
}

/** All segments, including the open one up to `date`. */
export function segmentsAt(meter: InterestMeter, date: string): InterestSegment[] {
  const open = openSegment(meter, date);
  return (open === null ? meter.segments : [...meter.segments, open]).map(toInterestSegment);
}

function closeOpenSegment(meter: InterestMeter, date: string): void {
  const open = openSegment(meter, date);
  if (open === null) return;
  meter.segments.push(open);
  if (meter.source.is_running) meter.base = plus(meter.base, open.amount);
  else meter.suspended = addTo(new Map(meter.suspended), meter.source.stops, open.amount);
}

function openSegment(meter: InterestMeter, date: string): Segment | null {
  if (meter.since === null || date <= meter.since || !isAboveZero(meter.source.balance))
    return null;
  const { amount } = accruedUntil(meter, date);
  return segment(
    meter,
    meter.since,
    date,
    amount,
    meter.source.is_running ? 'accrued' : 'suspended',
  );
}

function segment(
  meter: InterestMeter,
  from: string,
  to: string,
  amount: Big,
  rule: InterestSegment['rule'],
): Segment {
  const { balance, rate, agreed_rate, stops, pace } = meter.source;
  const line = { from, to, balance, rate, agreed_rate, amount, rule, pace };
  return rule === 'suspended' ? { ...line, stops: stops.split('+') } : line;
}

const toInterestSegment = ({
  from,
  to,
  balance,
  rate,
  agreed_rate,
  amount,
  rule,
  stops,
  pace,
}: Segment): InterestSegment => ({
  ...(stops && { stops }),
  ...(pace && from < to && { period: { interest: pace.interest.toFixed(10), days: pace.days } }),
  from,
  to,
  days: daysBetween(from, to),
  balance: money(balance),
  rate: rate.toFixed(),
  ...(agreed_rate && from < to && { agreed_rate: agreed_rate.toFixed() }),
  amount: amount.toFixed(10),
  rule,
});

function isSame(one: AccrualSource, other: AccrualSource): boolean {
  return (
    one.is_running === other.is_running &&
    one.stops === other.stops &&
    isEqual(one.balance, other.balance) &&
    isEqual(one.rate, other.rate) &&
    (one.agreed_rate === other.agreed_rate ||
      (one.agreed_rate !== null &&
        other.agreed_rate !== null &&
        isEqual(one.agreed_rate, other.agreed_rate))) &&
    isSamePace(one.pace, other.pace)
  );
}

function isSamePace(one: PeriodAccrual | null, other: PeriodAccrual | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.until === other.until && one.days === other.days && isEqual(one.interest, other.interest)
  );
}
