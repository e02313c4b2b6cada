import type { Big } from 'big.js';
import { daysBetween, monthEnd, dateParts } from '../../dates.ts';
import { divide, parseMoney, parseRate, ZERO, type Rounding } from '../../money.ts';
import { dueDates, onePeriodAfter } from './due-dates.ts';
import { interestDueCalculator, type PlannedPeriod } from './interest-due.ts';
import { roundNoiseToCents, flatPayment, solvePayment } from './level-payment.ts';
import { toCentUnits, minBigint, parseCents, formatCents } from './minor-units.ts';
import { periodFactorCalculator } from './period-rate.ts';
import type {
  Amortization,
  DayCount,
  InstallmentCalculation,
  InterestMethod,
  PaymentFrequency,
  Terms,
} from './terms.ts';

/** One installment of a schedule. */
export type ScheduleRow = {
  period_number: number;
  due_date: string;
  payment_amount: string;
  principal_amount: string;
  interest_amount: string;
  fees_amount: string;
  beginning_balance: string;
  ending_balance: string;
  days_in_period: number;
};

export type ScheduleInput = {
  principal: string;
  interest_rate: string;
  payment_frequency: PaymentFrequency;
  number_of_payments: number;
  /** The day interest starts: the disbursement date, or the paid-through date of a boarded loan. */
  start_date: string;
  /** Default: one period after the start. */
  first_payment_date?: string | null;
  /** Explicit due dates, for schedules that follow no frequency. */
  due_dates?: readonly string[];
  payment_day?: number | null;
  amortization?: Amortization;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  installment_calculation?: InstallmentCalculation;
  installment_rounding?: Rounding;
  rounding_mode?: Terms['rounding_mode'];
  /** Interest accrued before the start and unpaid. The first rows ask for it. */
  unpaid_interest?: string;
  balloon_amount?: string | null;
  /** The installment that the lender already bills. Only the last row differs from it. */
  payment_amount?: string | null;
  first_period_number?: number;
  /** The principal on which flat interest was agreed. Default: `principal`. */
  flat_principal?: string;
};

/**
 * Builds a schedule. The parts of every row add up, and the last balance is zero.
 *
 * The amount of a row is agreed; its split follows from the interest owed on the due date. Daily interest
 * is counted exactly as in the fold. Scheduled interest is the balance times the period's part of the rate,
 * rounded once. Flat interest is a part of the total interest. The last row asks for the remaining debt.
 * Interest that exceeds an installment moves to a later row and bears no interest itself.
 */
export function buildSchedule(input: ScheduleInput): ScheduleRow[] {
  const principal = parseMoney(input.principal);
  if (principal.lte(0) || input.number_of_payments < 1) return [];
  const periods = periodsOf(input);
  const ask = rowAmountRule(input, principal, periods);
  const interestDue = interestDueCalculator(input, periods);
  const rows: ScheduleRow[] = [];
  const last = periods.length - 1;
  let balance = toCentUnits(principal);
  let unpaid = parseCents(input.unpaid_interest ?? '0.00');
  for (const [index, period] of periods.entries()) {
    let owed = unpaid + interestDue(index, balance);
    if (input.interest_method === 'flat' && ask(index, balance, owed) >= balance + owed)
      owed += interestDue(last, balance);
    const whole = balance + owed;
    const due = index === last ? whole : minBigint(ask(index, balance, owed), whole);
    const interest = minBigint(owed, due);
    const paid = due - interest;
    unpaid = owed - interest;
    rows.push(buildRow(input, index, period, { due, interest, principal: paid, balance }));
    balance -= paid;
    if (balance === 0n && unpaid === 0n) break;
  }
  return rows;
}

/** The periods, each with its part of the yearly rate. */
function periodsOf(input: ScheduleInput): PlannedPeriod[] {
  const rate = parseRate(input.interest_rate);
  const { payment_frequency: frequency, number_of_payments: count, start_date: start } = input;
  const day = input.payment_day ?? intendedDay(start, input.first_payment_date ?? null);
  const first = input.first_payment_date ?? onePeriodAfter(frequency, start, 1, day);
  const dates = input.due_dates ?? dueDates(frequency, first, count, day);
  const factorOf = periodFactorCalculator(input, rate);
  return dates.map((due_date, index) => {
    const from = index === 0 ? start : (dates[index - 1] ?? start);
    const days = daysBetween(from, due_date);
    return { from, due_date, days, factor: factorOf({ from, to: due_date }) };
  });
}

/** If the first date is the end of a short month, the later dates use the start's day of the month. */
function intendedDay(start: string, first: string | null): number {
  const { day } = dateParts(start);
  if (first === null) return day;
  const firstDay = dateParts(first).day;
  return first === monthEnd(first) && day > firstDay ? day : firstDay;
}

/** The amount of a row, given its balance and owed interest. All in cents. */
type RowAmountRule = (index: number, balance: bigint, interest: bigint) => bigint;

function constantAmount(amount: Big): RowAmountRule {
  const cents = toCentUnits(amount);
  return () => cents;
}

/** The rule for the amount of every row except the last. */
function rowAmountRule(
  input: ScheduleInput,
  principal: Big,
  periods: readonly PlannedPeriod[],
): RowAmountRule {
  const rounding = input.installment_rounding ?? 'half_up';
  if (input.payment_amount) return constantAmount(parseMoney(input.payment_amount));
  const amortization =
    input.interest_method === 'interest_only' ? 'interest_only' : input.amortization;
  if (amortization === 'interest_only') return (_index, _balance, interest) => interest;
  if (amortization === 'level_principal') {
    const part = toCentUnits(roundNoiseToCents(divide(principal, periods.length), rounding));
    return (_index, balance, interest) => minBigint(part, balance) + interest;
  }
  const factors = periods.map((period) => period.factor);
  if (input.interest_method === 'flat')
    return constantAmount(flatPayment(principal, factors, rounding));
  const balloon = amortization === 'balloon' ? balloonOf(input, principal) : ZERO;
  const whole = principal.plus(unpaidAtStart(input, factors));
  return constantAmount(solvePayment(whole, factors, rounding, balloon));
}

/**
 * Interest unpaid at the start is due with the first row and bears no interest, so it is discounted by one
 * period.
 */
const unpaidAtStart = ({ unpaid_interest }: ScheduleInput, [first = ZERO]: readonly Big[]) =>
  divide(parseMoney(unpaid_interest ?? '0.00'), first.plus(1));

/** Default: the whole principal is due with the last row. */
function balloonOf(input: ScheduleInput, principal: Big): Big {
  return input.balloon_amount ? parseMoney(input.balloon_amount) : principal;
}

function buildRow(
  input: ScheduleInput,
  index: number,
  period: PlannedPeriod,
  amounts: { due: bigint; interest: bigint; principal: bigint; balance: bigint },
): ScheduleRow {
  return {
    period_number: (input.first_period_number ?? 1) + index,
    due_date: period.due_date,
    payment_amount: formatCents(amounts.due),
    principal_amount: formatCents(amounts.principal),
    interest_amount: formatCents(amounts.interest),
    fees_amount: '0.00',
    beginning_balance: formatCents(amounts.balance),
    ending_balance: formatCents(amounts.balance - amounts.principal),
    days_in_period: period.days,
  };
}
