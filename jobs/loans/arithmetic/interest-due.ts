import type { Big } from 'big.js';
import { parseRate, type Rounding } from '../../money.ts';
import { accruedUnits, RATE_PLACES } from './day-count.ts';
import { toUnits, parseCents, divideRounded, unitsPerOne } from './minor-units.ts';
import type { DayCount, InterestMethod, PaymentFrequency } from './terms.ts';
import { unitsOfPeriod } from './thirty-day-months.ts';

/** What says how a plan's periods earn. */
type Earning = {
  principal: string;
  interest_rate: string;
  payment_frequency: PaymentFrequency;
  start_date: string;
  interest_method?: InterestMethod;
  day_count?: DayCount;
  rounding_mode?: Rounding;
};

/** A period of a plan, with the part of the yearly rate by which its instalment is computed. */
export type PlannedPeriod = { from: string; due_date: string; days: number; factor: Big };

/** The interest that becomes due with an instalment, on a balance until then; both in cents. */
export type InterestDue = (index: number, balance: bigint) => bigint;

export function interestDueCalculator(
  input: Earning,
  periods: readonly PlannedPeriod[],
): InterestDue {
  if (input.interest_method === 'flat') return flat(input, periods);
  const isDaily = ['simple_daily', 'interest_only'].includes(input.interest_method ?? '');
  if (!isDaily) return periodic(periods);
  return input.day_count === '30_360' ? byPeriods(input, periods) : daily(input, periods);
}

/** A quotient has so many places, and so has a rate times a fraction of a year. */
const FACTOR_PLACES = 30;

/** What lies beyond the fifteenth place of a product is noise of its quotient: see `exactCents`. */
const NOISE = unitsPerOne(2 + FACTOR_PLACES - 15);
const CENTS_OF_FIFTEEN = unitsPerOne(13);
const centsOfProduct = (units: bigint): bigint =>
  divideRounded(divideRounded(units, NOISE), CENTS_OF_FIFTEEN);

/** The parts of the rate in their units; the periods of one rhythm have one and the same. */
function factorsIn(periods: readonly PlannedPeriod[]): bigint[] {
  let [known, units]: [Big | null, bigint] = [null, 0n];
  return periods.map(({ factor }) => {
    if (factor !== known) [known, units] = [factor, toUnits(factor, FACTOR_PLACES)];
    return units;
  });
}

/** The cents of what the balance times the period's part of the rate comes to. */
function periodic(periods: readonly PlannedPeriod[]): InterestDue {
  const factors = factorsIn(periods);
  return (index, balance) => centsOfProduct(balance * (factors[index] ?? 0n));
}

/**
 * Each period's part of the interest on the first principal; the parts add up to its cents. Instalments
 * that were rounded up may repay the loan before its last period: what is left is then asked for too.
 */
function flat(input: Earning, periods: readonly PlannedPeriod[]): InterestDue {
  const principal = parseCents(input.principal);
  let factor = 0n;
  const by = factorsIn(periods).map((part) => {
    factor += part;
    return centsOfProduct(principal * factor);
  });
  let asked = 0n;
  return (index) => {
    const interest = (by[index] ?? 0n) - asked;
    if (interest <= 0n) return 0n;
    asked += interest;
    return interest;
  };
}

/** What has accrued is kept with ten places. */
const UNITS_PER_CENT = unitsPerOne(8);

/** What the days have earned: cents of the sum of all stretches of an unchanged balance. */
function daily(input: Earning, periods: readonly PlannedPeriod[]): InterestDue {
  const rate = toUnits(parseRate(input.interest_rate), RATE_PLACES);
  const day_count = input.day_count ?? 'actual_365';
  let stretch = { since: input.start_date, balance: 0n };
  // A period begins where the one before ends: what had accrued by then ends its stretch.
  let [before, accrued, asked] = [0n, 0n, 0n];
  return (index, balance) => {
    const { from, due_date } = periods[index] ?? { from: '', due_date: '' };
    if (balance !== stretch.balance) {
      before = accrued;
      stretch = { since: from, balance };
    }
    accrued = before + accruedUnits(balance, rate, day_count, stretch.since, due_date);
    const cents = divideRounded(accrued, UNITS_PER_CENT, input.rounding_mode);
    const interest = cents - asked;
    asked = cents;
    return interest;
  };
}

/** The same by 30/360, where each period has its own interest. */
function byPeriods(input: Earning, periods: readonly PlannedPeriod[]): InterestDue {
  const rate = toUnits(parseRate(input.interest_rate), RATE_PLACES);
  const counting = { day_count: '30_360', payment_frequency: input.payment_frequency } as const;
  let accrued = 0n;
  return (index, balance) => {
    const { from, due_date: to } = periods[index] ?? { from: '', due_date: '' };
    const before = divideRounded(accrued, UNITS_PER_CENT, input.rounding_mode);
    accrued += unitsOfPeriod(balance, rate, counting, { from, to });
    return divideRounded(accrued, UNITS_PER_CENT, input.rounding_mode) - before;
  };
}
