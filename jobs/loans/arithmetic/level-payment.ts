import { Big } from 'big.js';
import { divide, max, toCents, ZERO, type Rounding } from '../../money.ts';

/** Equal parts of a principal and all the interest that it earns at these parts of its rate. */
export function flatPayment(principal: Big, factors: readonly Big[], rounding: Rounding): Big {
  const interest = factors.reduce((total, factor) => total.plus(principal.times(factor)), ZERO);
  return exactCents(divide(principal.plus(interest), factors.length), rounding);
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
  let discount = new Big(1);
  let annuity = ZERO;
  for (const factor of factors) {
    discount = divide(discount, factor.plus(1));
    annuity = annuity.plus(discount);
  }
  if (annuity.eq(0)) return principal;
  const exact = divide(principal.minus(balloon.times(discount)), annuity);
  return max(exactCents(exact, rounding), ZERO);
}

/** Quotients are kept with 30 places; what a product lacks of half a cent for want of more is noise. */
export const exactCents = (value: Big, rounding?: Rounding): Big =>
  toCents(value.round(15), rounding);
