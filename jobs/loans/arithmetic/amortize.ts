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

/** One instalment of a plan; amounts are money, dates are dates. */
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
  /** The day interest starts: disbursement, or the paid-through date of a loan in mid-life. */
  start_date: string;
  /** One period after the start where it is not given. */
  first_payment_date?: string | null;
  /** The days of the instalments where they follow no rhythm. */
  due_dates?: readonly string[];
  payment_day?: number | null;
  amortization?: Amortization;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  installment_calculation?: InstallmentCalculation;
  installment_rounding?: Rounding;
  rounding_mode?: Terms['rounding_mode'];
  /** Accrued before the start and not paid: the first rows ask for it. */
  unpaid_interest?: string;
  balloon_amount?: string | null;
  /** The instalment that the lender already bills; the plan keeps it and only the last differs. */
  payment_amount?: string | null;
  first_period_number?: number;
};

/**
 * The schedule of a plan: every row's parts add up, and the last balance is zero.
 *
 * What the rows ask for is agreed; how each is split follows from the interest that it finds. A loan
 * that accrues by the day finds what its days have earned, exactly as the fold counts it; where the
 * schedule itself says what interest is earned, that is the balance times the period's part of the
 * rate, rounded once (flat: the part of all its interest). The last row asks for all that is owed
 * then. Interest that an instalment is too small to pay waits, without interest on it, for a row
 * that can pay it.
 */
export function buildSchedule(input: ScheduleInput): ScheduleRow[] {
  const principal = parseMoney(input.principal);
  if (principal.lte(0) || input.number_of_payments < 1) return [];
  const periods = periodsOf(input);
  const ask = askOf(input, principal, periods);
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
    rows.push(rowOf(input, index, period, { due, interest, principal: paid, balance }));
    balance -= paid;
    if (balance === 0n && unpaid === 0n) break;
  }
  return rows;
}

/** The periods with the part of the rate by which the instalment is computed. */
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

/** A first date at the end of a month shorter than the start's day means the start's day. */
function intendedDay(start: string, first: string | null): number {
  const { day } = dateParts(start);
  if (first === null) return day;
  const firstDay = dateParts(first).day;
  return first === monthEnd(first) && day > firstDay ? day : firstDay;
}

/** What a row asks for, given the balance and the interest that it finds; all in cents. */
type Ask = (index: number, balance: bigint, interest: bigint) => bigint;

function level(amount: Big): Ask {
  const cents = toCentUnits(amount);
  return () => cents;
}

/** What each row but the last asks for. */
function askOf(input: ScheduleInput, principal: Big, periods: readonly PlannedPeriod[]): Ask {
  const rounding = input.installment_rounding ?? 'half_up';
  if (input.payment_amount) return level(parseMoney(input.payment_amount));
  const amortization =
    input.interest_method === 'interest_only' ? 'interest_only' : input.amortization;
  if (amortization === 'interest_only') return (_index, _balance, interest) => interest;
  if (amortization === 'level_principal') {
    const part = toCentUnits(roundNoiseToCents(divide(principal, periods.length), rounding));
    return (_index, balance, interest) => minBigint(part, balance) + interest;
  }
  const factors = periods.map((period) => period.factor);
  if (input.interest_method === 'flat') return level(flatPayment(principal, factors, rounding));
  const balloon = amortization === 'balloon' ? balloonOf(input, principal) : ZERO;
  const whole = principal.plus(unpaidAtStart(input, factors));
  return level(solvePayment(whole, factors, rounding, balloon));
}

/** Interest that is unpaid when the plan begins is due with the first row and earns none itself. */
const unpaidAtStart = ({ unpaid_interest }: ScheduleInput, [first = ZERO]: readonly Big[]) =>
  divide(parseMoney(unpaid_interest ?? '0.00'), first.plus(1));

/** A balloon loan without a stated balloon leaves all its principal to the end. */
function balloonOf(input: ScheduleInput, principal: Big): Big {
  return input.balloon_amount ? parseMoney(input.balloon_amount) : principal;
}

function rowOf(
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
