import { latest } from '../../dates.ts';
import { max, money, parseMoney, ZERO } from '../../money.ts';
import { buildSchedule, type ScheduleInput, type ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, accruesBySchedule, type Terms } from '../arithmetic/terms.ts';

export type BoardedLoan = {
  principal_amount: string;
  origination_date: string;
  first_payment_date?: string | null | undefined;
  paid_through_date?: string | null | undefined;
  payment_amount?: string | null | undefined;
};

const firstOf = (terms: Terms, { first_payment_date, origination_date }: BoardedLoan) =>
  first_payment_date ??
  onePeriodAfter(terms.payment_frequency, origination_date, terms.term_months, terms.payment_day);

/** The loan's schedule at origination, using the lender's installment if it is known. */
export const originalSchedule = (terms: Terms, boarded: BoardedLoan): ScheduleRow[] =>
  buildSchedule({
    ...terms,
    principal: boarded.principal_amount,
    number_of_payments: numberOfPayments(terms.payment_frequency, terms.term_months),
    start_date: boarded.origination_date,
    first_payment_date: firstOf(terms, boarded),
    payment_amount: boarded.payment_amount ?? null,
  });

/** `accrued_interest`: the interest that the loan owes on the boarding date, if it is known. */
type BoardingPoint = { balance: string; today: string; accrued_interest?: string };

/** The number of past installments, and the input for scheduling the rest. */
function continueSchedule(terms: Terms, boarded: BoardedLoan, { balance, today }: BoardingPoint) {
  const { payment_frequency: frequency, term_months, payment_day } = terms;
  const count = numberOfPayments(frequency, term_months);
  const dates = dueDates(frequency, firstOf(terms, boarded), count, payment_day);
  const paidThrough = boarded.paid_through_date ?? today;
  const past = dates.filter((due) => due <= paidThrough).length;
  const periodStart = dates[past - 1] ?? boarded.origination_date;
  const next = dates[past] ?? onePeriodAfter(frequency, paidThrough, term_months, payment_day);
  const named = boarded.paid_through_date ?? periodStart;
  // Daily interest is paid through that day. A scheduled period is always paid as a whole.
  const isMidPeriod = named > periodStart && named < next && !accruesBySchedule(terms);
  const rest: ScheduleInput = {
    ...terms,
    principal: balance,
    number_of_payments: Math.max(1, count - past),
    start_date: isMidPeriod ? named : periodStart,
    first_payment_date: next,
    first_period_number: past + 1,
  };
  return { past, rest, paidThrough };
}

/**
 * The schedule of a boarded loan. Rows due through the paid-through date (default: the boarding date)
 * follow the original schedule and end at the boarded balance. The other rows repay that balance, using the
 * lender's installment if it is known.
 */
export function boardedSchedule(
  terms: Terms,
  boarded: BoardedLoan,
  original: readonly ScheduleRow[],
  place: BoardingPoint,
): ScheduleRow[] {
  if (isBilledByCycle(terms)) return [];
  const { past, rest } = continueSchedule(terms, boarded, place);
  const level = isLevel(terms) ? original[0]?.payment_amount : null;
  const opening = asksForAccrued(terms, rest, place)
    ? { start_date: place.today, unpaid_interest: place.accrued_interest ?? '0.00' }
    : {};
  return [
    ...endingAt(original.slice(0, past), place.balance),
    ...buildSchedule({
      ...rest,
      ...opening,
      payment_amount: boarded.payment_amount ?? level ?? null,
      flat_principal: boarded.principal_amount,
    }),
  ];
}

/**
 * True if the first open installment asks for the interest that the loan has brought, to the cent: it is not
 * due yet, and its amount follows from the interest of its days.
 */
const asksForAccrued = (
  terms: Terms,
  { first_payment_date }: ScheduleInput,
  { today, accrued_interest }: BoardingPoint,
): boolean =>
  accrued_interest !== undefined &&
  !isLevel(terms) &&
  !accruesBySchedule(terms) &&
  terms.day_count !== '30_360' &&
  (first_payment_date ?? '') > today;

/** True if the schedule depends on the accrued interest of `place`. Otherwise it is the same without it. */
export const dependsOnAccrued = (terms: Terms, boarded: BoardedLoan, place: BoardingPoint) =>
  !isLevel(terms) && asksForAccrued(terms, continueSchedule(terms, boarded, place).rest, place);

/** True if the installments before the last are equal. Otherwise each follows from its own balance. */
const isLevel = ({ amortization, interest_method }: Terms): boolean =>
  interest_method === 'flat' ||
  (interest_method !== 'interest_only' && ['level_payment', 'balloon'].includes(amortization));

/** The date through which interest is paid. Interest of later days is unpaid. */
export function interestUnpaidSince(
  terms: Terms,
  boarded: BoardedLoan,
  place: BoardingPoint,
): string {
  if (boarded.paid_through_date === undefined || boarded.paid_through_date === null)
    return place.today;
  if (isBilledByCycle(terms)) return latest(boarded.paid_through_date, boarded.origination_date);
  const { rest } = continueSchedule(terms, boarded, place);
  return accruesBySchedule(terms) ? rest.start_date : boarded.paid_through_date;
}

/** The level installment that repays the balance over the remaining installments. */
export function levelInstallment(
  terms: Terms,
  boarded: BoardedLoan,
  place: BoardingPoint,
): string | null {
  const { rest } = continueSchedule(terms, boarded, place);
  return buildSchedule(rest)[0]?.payment_amount ?? null;
}

/**
 * Makes the paid rows end at the boarded balance. The last rows absorb the difference, because the previous
 * servicer did not report how payments were split.
 */
function endingAt(rows: readonly ScheduleRow[], balance: string): ScheduleRow[] {
  const chained = [...rows];
  let ending = parseMoney(balance);
  for (let at = chained.length - 1; at >= 0; at -= 1) {
    const row = chained[at];
    if (row === undefined || ending.eq(row.ending_balance)) break;
    const beginning = max(parseMoney(row.beginning_balance), at === 0 ? ZERO : ending);
    const principal = max(beginning.minus(ending), ZERO);
    const payment = max(parseMoney(row.payment_amount), principal);
    chained[at] = {
      ...row,
      payment_amount: money(payment),
      principal_amount: money(principal),
      interest_amount: money(payment.minus(principal)),
      beginning_balance: money(beginning),
      ending_balance: money(ending),
    };
    ending = beginning;
  }
  return chained;
}
