import { Big } from 'big.js';
import { divide, max, toCents, ZERO, type Rounding } from '../../money.ts';

/** Equal parts of a principal and all the interest that it earns at these parts of its rate. */
export function flatPayment(principal: Big, factors: readonly Big[], rounding: Rounding): Big {
  const interest = factors.reduce((total, factor) => total.plus(principal.times(factor)), ZERO);
  return roundNoiseToCents(divide(principal.plus(interest), factors.length), rounding);
}

/**
 * The level payment of P at the periodic rate i over n periods: P·i / (1 − (1 + i)^−n).
 * 10000.00 at 0.085 / 12 over 36: 315.68. At rate zero: P / n.
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
 * The level payment that brings the principal to the balloon over periods of any length: with v_k
 * the product of 1 / (1 + f_j) up to k, it is (P − balloon · v_n) / Σ v_k.
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
  const worth = isRegular ? ofEqual(first, factors.length) : ofAny(factors);
  const exact = divide(principal.minus(balloon.times(worth.discount)), worth.annuity);
  return max(roundNoiseToCents(exact, rounding), ZERO);
}

/** What one unit at the end of the last period, and one at the end of each, are worth at the start. */
type Worth = { discount: Big; annuity: Big };

function ofAny(factors: readonly Big[]): Worth {
  let [discount, annuity] = [ONE, ZERO];
  for (const factor of factors) {
    discount = divide(discount, factor.plus(1));
    annuity = annuity.plus(discount);
  }
  return { discount, annuity };
}

/**
 * The same over periods that are all alike, by one division in all: twice as many periods are worth what
 * these are, and the same again discounted by them. The digits of the count are read from the left.
 */
function ofEqual(factor: Big, count: number): Worth {
  const perPeriod = divide(ONE, factor.plus(1));
  let [discount, annuity] = [ONE, ZERO];
  for (const digit of count.toString(2)) {
    annuity = kept(annuity.plus(annuity.times(discount)));
    discount = kept(discount.times(discount));
    if (digit === '0') continue;
    discount = kept(discount.times(perPeriod));
    annuity = annuity.plus(discount);
  }
  return { discount, annuity };
}

const ONE = new Big(1);
/** As many places as a quotient has. */
const kept = (value: Big) => value.round(30, 1);

/** Quotients are kept with 30 places; what a product lacks of half a cent for want of more is noise. */
export const roundNoiseToCents = (value: Big, rounding?: Rounding): Big =>
  toCents(value.round(15), rounding);
