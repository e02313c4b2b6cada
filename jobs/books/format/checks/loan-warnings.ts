import { addMonths, daysBetween } from '../../../dates.ts';
import { parseMoney } from '../../../money.ts';
import { repaymentProblem } from '../../../loans/boarding/check-boarding.ts';
import { agreedDueDates, paidThroughDate } from '../../../loans/boarding/paid-through.ts';
import { boardedSchedule, originalSchedule } from '../../../loans/schedule/boarded-schedule.ts';
import { paymentsPerYear } from '../../../loans/arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../../../loans/arithmetic/terms.ts';
import type { BookRow } from '../book-files.ts';
import { debtOf, installmentDoubt, type Debt } from './installment-doubt.ts';
import type { Issue } from './issue.ts';

type LoanRow = BookRow<'loans'>;
type Place = { terms: Terms; today: string };

/** Above it, a rate is probably a percentage. */
const RATE_HIGH = 0.5;
/** Below it, a percentage was probably divided twice. */
const RATE_LOW = 0.001;
const LONG_PAST_MONTHS = 6;
/** Credit bureaus learn of a delinquency from this day on. */
const REPORTED_DAYS = 30;

/** Doubts about a loan, given the terms that it will have. Each warning can be made an error. */
export function warnAboutLoan(row: LoanRow, place: Place): Issue[] {
  const rate = rateWarnings(row);
  const repayment = repaymentWarnings(row, place);
  return [
    ...rate,
    ...balanceWarnings(row, place),
    ...missingDateWarnings(row),
    ...dateWarnings(row, place),
    ...repayment,
    // They name the mistake more exactly.
    ...(rate.length + repayment.length > 0 ? [] : installmentWarnings(row, place)),
  ];
}

const warning = (column: string, code: Issue['code'], reason: string): Issue => ({
  column,
  code,
  reason,
});

const howToWrite = (percent: string) =>
  `Means ${percent}. Check the rate, and \`rates\` in the mapping. Without a mapping, 8.5 percent is written 0.085.`;

function rateWarnings({ interest_rate }: LoanRow): Issue[] {
  const rate = Number(interest_rate);
  const percent = `${Number((rate * 100).toPrecision(6))} percent a year`;
  if (rate > RATE_HIGH)
    return [warning('interest_rate', 'rate_looks_like_percent', howToWrite(percent))];
  if (rate === 0 || rate >= RATE_LOW) return [];
  const reason = howToWrite(percent);
  return [warning('interest_rate', 'rate_looks_like_fraction', reason)];
}

function balanceWarnings(row: LoanRow, { terms }: Place): Issue[] {
  const { current_principal_balance: balance, principal_amount, status } = row;
  if (status === 'paid_off' || row.has_capitalization || terms.loan_type === 'line_of_credit')
    return [];
  return parseMoney(balance).gt(principal_amount)
    ? [
        warning(
          'current_principal_balance',
          'balance_above_amount',
          `Is more than the principal amount of ${principal_amount}. Correct it, or set has_capitalization if interest or fees were added.`,
        ),
      ]
    : [];
}

/** Dates that the business date replaces. A history has them. */
function missingDateWarnings(row: LoanRow): Issue[] {
  const { status, paid_through_date, next_due_date, accrued_interest, charge_off_date } = row;
  if (row.history_from !== undefined) return [];
  if (status === 'charged_off' && charge_off_date === undefined)
    return [
      warning(
        'charge_off_date',
        'charge_off_date_missing',
        'Nothing says when the loan was charged off, so it is boarded as charged off today.',
      ),
    ];
  const isUnknown =
    status === 'active' && !paid_through_date && !next_due_date && accrued_interest === undefined;
  return isUnknown && parseMoney(row.current_principal_balance).gt(0)
    ? [
        warning(
          'paid_through_date',
          'paid_through_missing',
          'Nothing says through which day interest is paid, so the loan is boarded as paid through today.',
        ),
      ]
    : [];
}

function dateWarnings(row: LoanRow, { terms, today }: Place): Issue[] {
  const isCharged = row.status === 'charged_off';
  if (row.status !== 'active' && !isCharged) return [];
  const dates = isBilledByCycle(terms) ? [] : agreedDueDates(row, terms);
  const issues: Issue[] = [];
  const last = dates.at(-1);
  if (!isCharged && last !== undefined && last < addMonths(today, -LONG_PAST_MONTHS))
    issues.push(
      warning(
        'term_months',
        'maturity_long_past',
        `The last installment was due on ${last}, and the loan is still active. Check whether it was extended or repaid.`,
      ),
    );
  const { next_due_date } = row;
  if (!isCharged && next_due_date && dates.length > 0 && !dates.includes(next_due_date))
    issues.push(
      warning(
        'next_due_date',
        'due_date_off_schedule',
        `By its terms, the loan is due on ${nearestTo(next_due_date, dates)}. Correct the date, first_payment_date or payment_day.`,
      ),
    );
  const paid = paidThroughDate(row, terms);
  const unpaid =
    paid === undefined ? undefined : (dates.find((due) => due > paid) ?? next_due_date);
  const days = unpaid === undefined || unpaid > today ? 0 : daysBetween(unpaid, today);
  const isLate = isCharged || days >= REPORTED_DAYS;
  if (isLate && row.first_delinquency_date === undefined && row.history_from === undefined)
    issues.push(
      warning(
        'first_delinquency_date',
        'first_delinquency_missing',
        isCharged
          ? 'A loan that is charged off needs the date of first delinquency for credit reporting.'
          : `The loan is ${days} days past due and needs the date of first delinquency for credit reporting.`,
      ),
    );
  return issues;
}

const nearestTo = (date: string, dates: readonly string[]) =>
  dates.find((due) => due >= date) ?? dates.at(-1) ?? '';

function repaymentWarnings(row: LoanRow, { terms, today }: Place): Issue[] {
  const { payment_amount, has_balloon } = row;
  const isAsked =
    row.status === 'active' &&
    payment_amount !== undefined &&
    !has_balloon &&
    !isBilledByCycle(terms);
  if (!isAsked) return [];
  const debt = debtOf(row, terms, today);
  if (clearlyRepays(row, terms, debt)) return [];
  const { balance, paid_through_date } = debt;
  const loan = { ...row, paid_through_date };
  const place = { balance, today: debt.day };
  const schedule = boardedSchedule(terms, loan, originalSchedule(terms, loan), place);
  const problem = repaymentProblem(terms, loan, schedule, place);
  return problem === null ? [] : [warning('payment_amount', problem.code, problem.reason)];
}

function installmentWarnings(row: LoanRow, place: Place): Issue[] {
  const reason = installmentDoubt(row, place);
  return reason === null ? [] : [warning('payment_amount', 'payment_off_terms', reason)];
}

/** The final payment may be this many installments before the exact schedule is built. */
const CLEARLY = 1.5;

/**
 * Whether the installments repay the balance with much to spare, by an estimate that is off by some percent. It saves
 * building the exact schedule of nearly every loan, which takes a hundred times as long.
 */
function clearlyRepays(row: LoanRow, terms: Terms, debt: Debt): boolean {
  const { payment_frequency: frequency, amortization, interest_method } = terms;
  if (amortization !== 'level_payment') return true;
  if (frequency === 'single' || interest_method === 'flat' || interest_method === 'interest_only')
    return false;
  const paid = debt.paid_through_date ?? debt.day;
  const left = agreedDueDates(row, terms).filter((due) => due > paid).length;
  const rate = Number(terms.interest_rate) / paymentsPerYear(frequency);
  const installment = Number(row.payment_amount);
  const grown = (1 + rate) ** Math.max(0, left - 1);
  const sum = rate === 0 ? left - 1 : (grown - 1) / rate;
  const before = Number(debt.balance) * grown - installment * sum;
  return before * (1 + rate) <= installment * CLEARLY;
}
