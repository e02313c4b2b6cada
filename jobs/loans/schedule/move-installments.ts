import { addDays, addMonths, compareDates, daysBetween, earliest } from '../../dates.ts';
import { min, money, parseMoney } from '../../money.ts';
import { buildSchedule, type ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates } from '../arithmetic/due-dates.ts';
import type { PaymentFrequency, Terms } from '../arithmetic/terms.ts';
import type { AgreementOf } from './agreement.ts';
import { withoutCoverage, type RateOn, type ScheduleBasis } from './schedule-basis.ts';

type MoveAgreement = AgreementOf<'moved'>;

/**
 * Moves the installments from a number on to other dates. Their amounts stay, and interest accrues daily
 * over the longer period.
 */
export function moveInstallments(
  { from, by, asks_interest }: MoveAgreement,
  basis: ScheduleBasis,
  terms: Terms,
  rateOn: RateOn,
): ScheduleRow[] {
  const { installments } = basis;
  const rows = installments.filter(({ period_number }) => period_number >= from);
  const [first] = rows;
  if (first === undefined) return [];
  const begin = periodStart(installments, first);
  const addedPeriods = asks_interest && 'periods' in by ? by.periods : 0;
  const dates = datesAfter(rows, by, terms.payment_frequency, addedPeriods);
  const interestOnlyTerms = {
    ...terms,
    amortization: 'interest_only',
    principal: basis.principal_balance,
    interest_rate: rateOn(first.due_date).toFixed(),
    start_date: begin,
    due_dates: dates.slice(0, addedPeriods + 1),
    number_of_payments: addedPeriods + 1,
  } as const;
  // The last row of this schedule would repay the principal, so it is left out.
  const before = addedPeriods === 0 ? [] : buildSchedule(interestOnlyTerms).slice(0, addedPeriods);
  const whole = [...before, ...rows.map(withoutCoverage)];
  const numbered = whole.map((row, index) => ({ ...row, period_number: from + index }));
  return redated(numbered, dates, begin);
}

/** The new due dates of the moved installments, in order. */
export const movedDueDates = (
  { from, by }: MoveAgreement,
  { installments }: ScheduleBasis,
  { payment_frequency }: Terms,
): string[] =>
  datesAfter(
    installments.filter(({ period_number }) => period_number >= from),
    by,
    payment_frequency,
    0,
  );

/** The due dates of the rows, preceded by the `addedPeriods` interest-only periods. */
function datesAfter(
  rows: readonly ScheduleRow[],
  by: MoveAgreement['by'],
  frequency: PaymentFrequency,
  addedPeriods: number,
): string[] {
  const first = rows[0]?.due_date ?? '';
  const count = rows.length;
  if ('days' in by) return rows.map(({ due_date }) => addDays(due_date, by.days));
  if ('first' in by) return dueDates(frequency, by.first, count);
  const { payment_day } = by;
  if ('periods' in by) {
    const all = dueDates(frequency, first, count + by.periods, payment_day);
    return addedPeriods > 0 ? all : all.slice(by.periods);
  }
  return dueDates(frequency, nextPaymentDayAfter(first, by.payment_day), count, by.payment_day);
}

/** The first payment day after a due date. It is always later, so the borrower never has to pay earlier. */
export function nextPaymentDayAfter(due_date: string, payment_day: number): string {
  const sameMonth = addMonths(due_date, 0, payment_day);
  return sameMonth > due_date ? sameMonth : addMonths(due_date, 1, payment_day);
}

function periodStart(
  rows: readonly ScheduleRow[],
  { period_number, due_date, days_in_period }: ScheduleRow,
) {
  const before = rows.findLast((row) => row.period_number < period_number);
  return before?.due_date ?? addDays(due_date, -days_in_period);
}

/**
 * Rows with new dates and recounted days. A period begins at the previous due date by date, not by number,
 * because a single installment may have been moved after later ones.
 */
function redated(
  rows: readonly ScheduleRow[],
  dates: readonly string[],
  begin: string,
): ScheduleRow[] {
  const dated = rows.map((row, index) => ({ ...row, due_date: dates[index] ?? row.due_date }));
  const inTime = dated.toSorted((one, other) => compareDates(one.due_date, other.due_date));
  const days = new Map(
    inTime.map(({ period_number, due_date }, index) => {
      const from = earliest(inTime[index - 1]?.due_date ?? begin, due_date);
      return [period_number, daysBetween(from, due_date)];
    }),
  );
  return dated.map((row) => ({ ...row, days_in_period: days.get(row.period_number) ?? 0 }));
}

/** Sets the dates and amounts of the named installments. Other rows keep theirs. */
export function setNamedInstallments(
  { installments: wanted }: AgreementOf<'named'>,
  basis: ScheduleBasis,
): ScheduleRow[] {
  const named = new Map(wanted.map((row) => [row.number, row]));
  const from = Math.min(...named.keys());
  const rows = basis.installments.filter(({ period_number }) => period_number >= from);
  const [first] = rows;
  if (first === undefined) return [];
  const dates = rows.map((row) => named.get(row.period_number)?.due_date ?? row.due_date);
  const movedRows = rows.map((row) =>
    withAmount(withoutCoverage(row), named.get(row.period_number)?.amount),
  );
  return redated(movedRows, dates, periodStart(basis.installments, first));
}

/** A different amount changes the principal part. The last installment asks for the difference. */
function withAmount(row: ScheduleRow, amount: string | undefined): ScheduleRow {
  if (amount === undefined) return row;
  const fees = min(parseMoney(row.fees_amount), parseMoney(amount));
  const rest = parseMoney(amount).minus(fees);
  const interest = min(parseMoney(row.interest_amount), rest);
  return {
    ...row,
    payment_amount: amount,
    principal_amount: money(rest.minus(interest)),
    interest_amount: money(interest),
    fees_amount: money(fees),
  };
}
