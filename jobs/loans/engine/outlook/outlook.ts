import { Big } from 'big.js';
import { addDays, daysBetween, earliest, latest } from '../../../dates.ts';
import { isLess, isZero, minus, money, plus } from '../../../money.ts';
import { lastDayOfBucket } from '../delinquency.ts';
import { replay } from '../fold.ts';
import { graceEndDate } from '../interest/grace.ts';
import {
  accruedCentsOn,
  interestLine,
  lastDayOfYearLine,
  type InterestLine,
} from './outlook-interest.ts';
import {
  compare,
  GROWING,
  growthOf,
  viewOn,
  type Fixed,
  type GrowingAmount,
  type GrowthOfAmounts,
  type LateFees,
  type LateFeesOn,
  type Outlook,
  type PenaltyRule,
  type View,
} from './outlook-view.ts';
import { accruedCents, copyPosition, endsOfRateLimits } from '../position.ts';
import { firstDayOf, nextStep, takeStep, type Future } from '../projection/agreed-steps.ts';
import { finalPayment, finalPaymentAsAgreed } from '../projection/final-payment.ts';
import { nextBillAsAgreed } from '../projection/next-bill-as-agreed.ts';
import { advanceTo, nextAccrualChange, positionOn, type ReplayRun } from '../run.ts';

/**
 * A loan's outlook: the amounts and dates that it will show on each day until its next event. Between two events, a
 * loan changes only on a few known days. A row holds from one of these days until the next. Within a row, only these
 * change:
 *
 * - accrued interest, which grows on a straight line (`outlook-interest.ts`),
 * - amounts that follow interest by the same cents (`growth` 1 or -1; amounts with 0 stay), and
 * - days past due, which count from `past_due_from`.
 *
 * SQL shows a loan on any day by selecting a row and adding growth, so it needs no servicing rules.
 */
export type OutlookRow = InterestLine &
  Fixed & {
    from_date: string;
    /** The last day for which the row holds. `infinity` if nothing will change without an event. */
    until_date: string;
    /** All accrued interest on the first day, in cents. Amounts grow by the interest accrued after it. */
    interest_earned: string;
    /** The interest of the last day itself. It is not on the line, because the pace may change that day. */
    last_day_interest: string;
    /** The day from which days past due count. Null if the loan is current or the count is paused. */
    past_due_from: string | null;
    /** Days past due while the count is paused. Otherwise null. */
    paused_days: number | null;
    amounts: Record<GrowingAmount, string | null>;
    growth: GrowthOfAmounts;
    /** The late fee of the next installment, and the last day on which a payment avoids it. */
    late_fee_amount: string | null;
    late_fee_after: string | null;
    /** The same for the past-due installments. The fee is shown until that day. */
    cure_fee_amount: string | null;
    cure_fee_after: string | null;
    /** The day whose close decides about a late fee, if it is within the row. */
    late_fee_decision_on: string | null;
  };

type OutlookOptions = {
  /** The prepayment penalty of a day. Null or undefined: none. */
  penaltyOn?: PenaltyRule | null;
  /** The upcoming late fees. Null or undefined: the loan has none. */
  lateFeesOn?: LateFeesOn | null;
  /** The final payment as of the run's day, if the caller knows it. */
  final?: Big | null;
  /** The steps agreed for later days. The rows include them, but bills are not reduced by scheduled payments. */
  agreed?: Future | null;
};

/** The rows reach at least this many days ahead. A loan is refolded before its last row ends. */
const DAYS_AHEAD = 45;
/** With this many rows, fewer days are enough, because loans that change often also have frequent events. */
const ENOUGH = { rows: 4, days: 21 };
/** A loan that would need more rows gets a shorter outlook. */
const MAX_ROWS = 8;
/** The longest row that can grow. */
const MAX_DAYS = 366;

/** The outlook of a loan from the run's day on. Does not change the run. */
export function outlookOf(run: ReplayRun, options: OutlookOptions = {}): OutlookRow[] {
  const [horizon, enough] = [addDays(run.day, DAYS_AHEAD), addDays(run.day, ENOUGH.days)];
  let outlook = newOutlook(run, options);
  const rows: OutlookRow[] = [];
  for (;;) {
    const row = nextRow(outlook, nextAgreedDay(outlook));
    rows.push(row);
    const isLong = row.until_date >= (rows.length < ENOUGH.rows ? horizon : enough);
    if (isLong || rows.length === MAX_ROWS) return rows;
    outlook = continueOutlook(outlook, addDays(row.until_date, 1));
  }
}

const newOutlook = (
  run: ReplayRun,
  { penaltyOn = null, lateFeesOn = null, final, agreed: future = null }: OutlookOptions,
): Outlook => ({
  ...run,
  penaltyOn,
  lateFeesOn,
  final: final === undefined ? finalPayment(run) : final,
  future,
  billAsAgreed: future && nextBillAsAgreed(run, future),
});

/** The next day that shows an agreed step, or null. */
function nextAgreedDay({ future, day }: Outlook): string | null {
  const step = future && nextStep(future);
  return step && latest(firstDayOf(step), addDays(day, 1));
}

/** The interest of a day in cents, before the next day's events. The pace may change that day. */
function interestOfDay(outlook: Outlook, day: string): Big {
  const end = addDays(day, 1);
  const cents = (date: string) => accruedCents(positionOn(outlook, date), date);
  return minus(cents(end), cents(day));
}

/** Moves to a later day and takes the agreed steps that show on that day. */
function continueOutlook(outlook: Outlook, day: string): Outlook {
  if (outlook.future === null) return { ...outlook, ...continueRun(outlook, day) };
  const future = takeStepsShownBy(outlook.future, day);
  if (future === outlook.future) {
    const run = continueRun(outlook, day);
    return { ...outlook, ...run, billAsAgreed: nextBillAsAgreed(run, future) };
  }
  const { history, steps } = future;
  const run = replay({ ...history, as_of: day });
  return {
    ...outlook,
    position: run.position,
    day,
    future,
    billAsAgreed: nextBillAsAgreed(run, future),
    final: finalPaymentAsAgreed({ ...history, agreed: steps, as_of: day }),
  };
}

function continueRun({ position, day: from }: Outlook, day: string): ReplayRun {
  const change = nextAccrualChange({ position, day: from });
  if (change === null || change > day) return { position, day };
  return advanceTo({ position: copyPosition(position), day: from }, day);
}

function takeStepsShownBy(future: Future, day: string): Future {
  let reached = future;
  for (
    let step = nextStep(reached);
    step !== null && firstDayOf(step) <= day;
    step = nextStep(reached)
  )
    reached = takeStep(reached, step);
  return reached;
}

function nextRow(outlook: Outlook, agreedOn: string | null): OutlookRow {
  const { position, day: from } = outlook;
  const first = viewOn(outlook, from);
  const line = interestLine(position.meter, from);
  const fees = lateFeesFrom(outlook, first);
  const change = earlierDay(nextChange(outlook, first), fees.until);
  const end = earlierDay(change, agreedOn && addDays(agreedOn, -1));
  const { until, growth, counts_days } = findEnd(outlook, first, line, end);
  // A row of a single day counts too, although no second day shows it.
  const isCounting = counts_days || (until === from && first.days > 0);
  return {
    ...line,
    from_date: from,
    until_date: until,
    interest_earned: money(first.earned),
    last_day_interest: until === FOREVER ? '0.00' : money(interestOfDay(outlook, until)),
    ...first.fixed,
    past_due_from: isCounting ? addDays(from, -first.days) : null,
    paused_days: isCounting || first.days === 0 ? null : first.days,
    amounts: formatAmounts(first.amounts),
    growth,
    late_fee_amount: fees.late_fee?.amount ?? null,
    late_fee_after: fees.late_fee?.last_day_on_time ?? null,
    cure_fee_amount: fees.cure_fee?.amount ?? null,
    cure_fee_after: fees.cure_fee?.last_day_on_time ?? null,
    late_fee_decision_on:
      fees.decision_on !== null && fees.decision_on <= until ? fees.decision_on : null,
  };
}

const NO_LATE_FEES: LateFees = { late_fee: null, cure_fee: null, decision_on: null, until: null };

const lateFeesFrom = (outlook: Outlook, { bills }: View): LateFees =>
  outlook.lateFeesOn?.({
    day: outlook.day,
    bills,
    positionOn: (day) => positionOn(outlook, day),
  }) ?? NO_LATE_FEES;

export const FOREVER = 'infinity';

const formatAmounts = (amounts: View['amounts']) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the amounts.
  Object.fromEntries(
    GROWING.map((name) => [name, amounts[name] && money(amounts[name])]),
  ) as OutlookRow['amounts'];

/**
 * The last day before the next known change. Each row ends there at the latest. Null if no change is known.
 *
 * A new pace of interest shows only on the day after it begins, unless the rate also changes.
 */
function nextChange(outlook: Outlook, { bills, days }: View): string | null {
  const { position, day } = outlook;
  let last = earlierDay(nextAccrualChange(outlook), lastDayOfYearLine(position.meter, day));
  if (last !== null && last < day) last = null;
  const until = (date: string | null | undefined) => {
    if (date && date >= day) last = earlierDay(last, date);
  };
  const beforeDay = (date: string | null) => until(date && addDays(date, -1));
  beforeDay(graceEndDate(position));
  for (const end of endsOfRateLimits(position)) beforeDay(end);
  for (const { from, to } of position.pauses) {
    beforeDay(from);
    until(to);
  }
  until(bills.unpaid.find(({ row }) => row.due_date >= day)?.row.due_date);
  until(bills.maturity);
  const limit = lastDayOfBucket(days);
  if (days > 0 && limit !== null) until(addDays(day, limit - days));
  return last;
}

const earlierDay = (one: string | null, other: string | null): string | null =>
  one === null || other === null ? (one ?? other) : earliest(one, other);

/**
 * The last day on which all amounts keep the growth of their first days. An amount grows with interest, falls with
 * it or stays, up to a limit such as the size of the debt. If it has changed by exactly the interest of all days, or
 * not at all, it did so on each day. Otherwise the row ends earlier.
 */
function findEnd(outlook: Outlook, first: View, line: InterestLine, end: string | null) {
  const { day: from } = outlook;
  const last = earlierDay(end, addDays(from, MAX_DAYS)) as string;
  const days = daysBetween(from, last);
  const view = viewOn(outlook, last);
  const whole = compare(first, view, days);
  if (whole !== null) {
    const isStill =
      end === null &&
      !whole.counts_days &&
      !isAccruing(outlook) &&
      first.fixed.prepayment_penalty === '0.00';
    return { ...whole, until: isStill ? FOREVER : last };
  }
  const guesses = guessEnds(outlook, { first, last: view, line, days });
  let [good, bad] = [0, days];
  let found = compare(first, first, 0) as NonNullable<ReturnType<typeof compare>>;
  while (bad - good > 1) {
    const [low, high] = [good, bad];
    const guess = guesses.find((day) => day > low && day < high);
    const day = guess ?? Math.floor((low + high) / 2);
    const here = compare(first, viewOn(outlook, addDays(from, day)), day);
    if (here === null) bad = day;
    else [good, found] = [day, here];
  }
  return { ...found, until: addDays(from, good) };
}

type Stretch = { first: View; last: View; line: InterestLine; days: number };

/**
 * Days on which an amount may begin or stop following interest, each with its next day, and the last day of the
 * delinquency grace. Trying these days first avoids most of the search.
 */
function guessEnds({ position: { meter } }: Outlook, { first, last, line, days }: Stretch) {
  const guesses = new Set<number>();
  const grown = minus(last.earned, first.earned);
  /** The last day on which interest has grown by at most these cents. */
  const guessDay = (cents: Big) => {
    const most = plus(first.earned, cents);
    let [low, high] = [0, days];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isLess(most, accruedCentsOn(line, middle, meter.rounding_mode))) high = middle;
      else low = middle;
    }
    guesses.add(low).add(low + 1);
  };
  if (first.days === 0 && last.days > 0) guesses.add(days - last.days).add(days - last.days + 1);
  for (const name of GROWING) {
    const start = first.amounts[name];
    const end = last.amounts[name];
    if (start === null || end === null || growthOf(start, end, grown) !== null) continue;
    const change = minus(end, start).abs();
    if (!isLess(change, grown)) continue;
    guessDay(change);
    guessDay(minus(grown, change));
  }
  return [...guesses];
}

const isAccruing = ({ position: { meter } }: Outlook) =>
  meter.source.is_running && !isZero(meter.source.balance);
