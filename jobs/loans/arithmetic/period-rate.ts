import type { Big } from 'big.js';
import { divide, min, type Rounding } from '../../money.ts';
import { paymentsPerYear } from './due-dates.ts';
import { roundNoiseToCents } from './level-payment.ts';
import type { DayCount, InstallmentCalculation, PaymentFrequency } from './terms.ts';
import { fractionOfPeriod, type Period } from './thirty-day-months.ts';

type Computed = {
  day_count?: DayCount;
  payment_frequency: PaymentFrequency;
  installment_calculation?: InstallmentCalculation;
  rounding_mode?: Rounding;
};

/** Returns a function that gives the part of the yearly rate for each period of a schedule. */
export function periodFactorCalculator(plan: Computed, rate: Big): (period: Period) => Big {
  const { payment_frequency, installment_calculation, day_count = 'actual_365' } = plan;
  if (payment_frequency === 'single' || installment_calculation === 'actual_days')
    return (period) => rate.times(fractionOfPeriod({ day_count, payment_frequency }, period));
  const factor = periodicRate(rate, payment_frequency);
  return () => factor;
}

/** The interest of a scheduled period: the balance at its start times its part of the rate. */
export const scheduledInterest = (plan: Computed, balance: Big, rate: Big, period: Period): Big =>
  roundNoiseToCents(balance.times(periodFactorCalculator(plan, rate)(period)), plan.rounding_mode);

/**
 * The most that a legal cap of the rate allows for a period. A regular period counts as agreed; a short one counts
 * its days only.
 */
export const cappedInterest = (plan: Computed, balance: Big, cap: Big, period: Period): Big => {
  const { payment_frequency } = plan;
  const fraction = fractionOfPeriod({ day_count: '30_360', payment_frequency }, period);
  const byDays = roundNoiseToCents(balance.times(cap).times(fraction), plan.rounding_mode);
  return min(scheduledInterest(plan, balance, cap, period), byDays);
};

/** A cache. The same few rates are requested at every event, and a division costs eight times as much. */
const RATE_CACHE = new Map<string, Big>();
const RATE_CACHE_MAX = 10_000;

/** The part of a yearly rate for one regular period: a twelfth, a 26th, … */
export function periodicRate(rate: Big, frequency: Exclude<PaymentFrequency, 'single'>): Big {
  const asked = `${frequency} ${rate.toFixed()}`;
  const known = RATE_CACHE.get(asked);
  if (known !== undefined) return known;
  const part = divide(rate, paymentsPerYear(frequency));
  if (RATE_CACHE.size < RATE_CACHE_MAX) RATE_CACHE.set(asked, part);
  return part;
}
