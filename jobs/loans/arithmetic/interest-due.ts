import type { Big } from 'big.js';
import { parseRate, type Rounding } from '../../money.ts';
import { accruedUnits, RATE_PLACES } from './day-count.ts';
import { interestUnitsToCents } from './interest-rounding.ts';
import { toUnits, parseCents, divideRounded, unitsPerOne } from './minor-units.ts';
import type { DayCount, InterestMethod, PaymentFrequency } from './terms.ts';
import { unitsOfPeriod } from './thirty-day-months.ts';

type InterestTerms = {
  principal: string;
  interest_rate: string;
  payment_frequency: PaymentFrequency;
  start_date: string;
  flat_principal?: string;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  rounding_mode?: Rounding;
};

/** A period of a schedule. `factor` is the part of the yearly rate that determines its installment. */
export type PlannedPeriod = { from: string; due_date: string; days: number; factor: Big };

/** The interest due with an installment, given the balance during the period. Both in cents. */
export type InterestDue = (index: number, balance: bigint) => bigint;

export function interestDueCalculator(
  input: InterestTerms,
  periods: readonly PlannedPeriod[],
): InterestDue {
  if (input.interest_method === 'flat') return flatInterest(input, periods);
  const isDaily = ['simple_daily', 'interest_only'].includes(input.interest_method ?? '');
  if (!isDaily) return periodicInterest(input, periods);
  return input.day_count === '30_360'
    ? interestByPeriods(input, periods)
    : dailyInterest(input, periods);
}

/** Decimal places of a rate factor. */
const FACTOR_PLACES = 30;

/** Digits after the fifteenth place are rounding noise of the factor. See `roundNoiseToCents`. */
const NOISE_UNITS = unitsPerOne(2 + FACTOR_PLACES - 15);
const CENTS_OF_FIFTEEN = unitsPerOne(13);
const centsOfProduct = (units: bigint, mode: Rounding | undefined): bigint =>
  divideRounded(divideRounded(units, NOISE_UNITS), CENTS_OF_FIFTEEN, mode);

/** The factors as integers. Regular periods share one factor. */
function factorsIn(periods: readonly PlannedPeriod[]): bigint[] {
  let [known, units]: [Big | null, bigint] = [null, 0n];
  return periods.map(({ factor }) => {
    if (factor !== known) [known, units] = [factor, toUnits(factor, FACTOR_PLACES)];
    return units;
  });
}

/** The balance times the period's factor, in cents. */
function periodicInterest(
  { rounding_mode }: InterestTerms,
  periods: readonly PlannedPeriod[],
): InterestDue {
  const factors = factorsIn(periods);
  return (index, balance) => centsOfProduct(balance * (factors[index] ?? 0n), rounding_mode);
}

/**
 * Each period's part of the total interest on the agreed principal. The parts add up to that total.
 * Installments that were rounded up can repay the loan early; the row that does so asks for the remaining
 * interest.
 */
function flatInterest(input: InterestTerms, periods: readonly PlannedPeriod[]): InterestDue {
  const principal = parseCents(input.flat_principal ?? input.principal);
  let factor = 0n;
  const by = factorsIn(periods).map((part) => {
    factor += part;
    return centsOfProduct(principal * factor, input.rounding_mode);
  });
  let asked = 0n;
  return (index) => {
    const interest = (by[index] ?? 0n) - asked;
    if (interest <= 0n) return 0n;
    asked += interest;
    return interest;
  };
}

/** The interest earned day by day, rounded to cents on the total. */
function dailyInterest(input: InterestTerms, periods: readonly PlannedPeriod[]): InterestDue {
  const rate = toUnits(parseRate(input.interest_rate), RATE_PLACES);
  const day_count = input.day_count ?? 'actual_365';
  let stretch = { since: input.start_date, balance: 0n };
  // A period begins where the previous one ends, and interest continues from the amount accrued by then.
  let [before, accrued, asked] = [0n, 0n, 0n];
  return (index, balance) => {
    const { from, due_date } = periods[index] ?? { from: '', due_date: '' };
    if (balance !== stretch.balance) {
      before = accrued;
      stretch = { since: from, balance };
    }
    accrued = before + accruedUnits(balance, rate, day_count, stretch.since, due_date);
    const cents = interestUnitsToCents(accrued, input.rounding_mode);
    const interest = cents - asked;
    asked = cents;
    return interest;
  };
}

/** The same under 30/360, where each period has its own interest. */
function interestByPeriods(input: InterestTerms, periods: readonly PlannedPeriod[]): InterestDue {
  const rate = toUnits(parseRate(input.interest_rate), RATE_PLACES);
  const counting = { day_count: '30_360', payment_frequency: input.payment_frequency } as const;
  let accrued = 0n;
  return (index, balance) => {
    const { from, due_date: to } = periods[index] ?? { from: '', due_date: '' };
    const before = interestUnitsToCents(accrued, input.rounding_mode);
    accrued += unitsOfPeriod(balance, rate, counting, { from, to });
    return interestUnitsToCents(accrued, input.rounding_mode) - before;
  };
}
