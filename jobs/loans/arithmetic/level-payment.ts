import { Big } from 'big.js';
import { divide, max, toCents, ZERO, type Rounding } from '../../money.ts';

/** The equal installments that repay a principal and its flat interest. */
export function flatPayment(principal: Big, factors: readonly Big[], rounding: Rounding): Big {
  const interest = factors.reduce((total, factor) => total.plus(principal.times(factor)), ZERO);
  return roundNoiseToCents(divide(principal.plus(interest), factors.length), rounding);
}

/**
 * The level payment of P at the periodic rate i over n periods: P·i / (1 − (1 + i)^−n). Example: 10000.00
 * at 0.085 / 12 over 36 is 315.68. At rate zero: P / n.
 */
export function levelPayment(
  principal: Big,
  rate: Big,
  count: number,
  options: { rounding?: Rounding; balloon?: Big } = {},
): Big {
  const factors = Array.from({ length: count }, () => rate);
  return solvePayment(principal, factors, options.rounding ?? 'half_up', options.balloon);
}

/**
 * The level payment that repays the principal down to the balloon over periods of any length: (P − balloon
 * · v_n) / Σ v_k, where v_k is the product of 1 / (1 + f_j) up to k.
 */
export function solvePayment(
  principal: Big,
  factors: readonly Big[],
  rounding: Rounding,
  balloon: Big = ZERO,
): Big {
  const [first] = factors;
  if (first === undefined) return principal;
  const isRegular = factors.every((factor) => factor.eq(first));
  const worth = isRegular
    ? presentValuesOfEqualPeriods(first, factors.length)
    : presentValuesOfFactors(factors);
  const exact = divide(principal.minus(balloon.times(worth.discount)), worth.annuity);
  return max(roundNoiseToCents(exact, rounding), ZERO);
}

/** Present values: of one unit after the last period, and of one unit after each period. */
type PresentValues = { discount: Big; annuity: Big };

function presentValuesOfFactors(factors: readonly Big[]): PresentValues {
  let [discount, annuity] = [ONE, ZERO];
  for (const factor of factors) {
    discount = divide(discount, factor.plus(1));
    annuity = annuity.plus(discount);
  }
  return { discount, annuity };
}

/**
 * The same for equal periods, with one division in total. Doubles the number of periods for each binary
 * digit of the count, from the left.
 */
function presentValuesOfEqualPeriods(factor: Big, count: number): PresentValues {
  const perPeriod = divide(ONE, factor.plus(1));
  let [discount, annuity] = [ONE, ZERO];
  for (const digit of count.toString(2)) {
    annuity = roundToThirtyPlaces(annuity.plus(annuity.times(discount)));
    discount = roundToThirtyPlaces(discount.times(discount));
    if (digit === '0') continue;
    discount = roundToThirtyPlaces(discount.times(perPeriod));
    annuity = annuity.plus(discount);
  }
  return { discount, annuity };
}

const ONE = new Big(1);
/** Keeps 30 places, as a quotient does. */
const roundToThirtyPlaces = (value: Big) => value.round(30, 1);

/**
 * Rounds to cents after removing noise. A quotient with 30 places can miss an exact half cent by its last
 * digits, so the value is rounded to 15 places first.
 */
export const roundNoiseToCents = (value: Big, rounding?: Rounding): Big =>
  toCents(value.round(15), rounding);
