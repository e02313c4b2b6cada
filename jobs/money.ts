import { Big } from 'big.js';

/** How amounts are rounded to whole cents. `up` rounds away from zero and `down` toward zero, as some lenders do. */
export const ROUNDINGS = ['half_up', 'half_even', 'up', 'down'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

const MODES = { half_up: 1, half_even: 2, up: 3, down: 0 } as const;

export const ZERO = new Big(0);

/**
 * Divisions keep 30 decimal places, so that rounding the quotient later has the effect of a single
 * rounding.
 */
const Precise = Big();
Precise.DP = 30;
Precise.RM = 1;

/** Reads the first digit and the sign. Comparing with 0 would create a new Big on each call. */
export const isZero = ({ c: digits }: Big): boolean => digits[0] === 0;
export const isAboveZero = (value: Big): boolean => value.s > 0 && !isZero(value);
export const isBelowZero = (value: Big): boolean => value.s < 0 && !isZero(value);

/** Returns the value itself if it already has few enough decimal places, which is the common case. */
const rounded = (value: Big, places: number, mode: Rounding): Big =>
  value.c.length - 1 - value.e <= places ? value : value.round(places, MODES[mode]);

export const toCents = (value: Big, mode: Rounding = 'half_up'): Big => rounded(value, 2, mode);

/** The API's format for money: always two decimal places, never an exponent ("1000.00"). */
export function money(value: Big | string): string {
  const cents = toCents(typeof value === 'string' ? new Big(value) : value);
  return isZero(cents) ? '0.00' : withTwoPlaces(cents);
}

/** Formats the digits directly. `Big.toFixed` copies and rounds again, which takes five times as long. */
function withTwoPlaces({ s: sign, e: exponent, c }: Big): string {
  const digits = c.join('');
  const whole = exponent < 0 ? '0' : digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const cents =
    exponent < 0 ? digits.padStart(digits.length - exponent - 1, '0') : digits.slice(exponent + 1);
  return `${sign < 0 ? '-' : ''}${whole}.${cents.padEnd(2, '0')}`;
}

/** Ten decimal places, the precision of accrued interest. */
export const roundToTenPlaces = (value: Big): Big => rounded(value, 10, 'half_up');

export function divide(dividend: Big, divisor: Big | number): Big {
  return new Precise(dividend).div(divisor);
}

/**
 * Parses money strictly: a plain decimal with at most two places; no exponent, NaN or blanks. Throws
 * RangeError.
 */
export function parseMoney(text: string): Big {
  if (!/^-?\d{1,15}(\.\d{1,2})?$/.test(text)) throw new RangeError(`"${text}" is not an amount.`);
  return new Big(text);
}

/**
 * Parses a rate given as a fraction ("0.085" is 8.5 percent) with at most ten places. Throws RangeError.
 */
export function parseRate(text: string): Big {
  if (!/^\d{1,4}(\.\d{1,10})?$/.test(text)) throw new RangeError(`"${text}" is not a rate.`);
  return new Big(text);
}

/**
 * Adds two amounts. Most amounts of a loan are zero, and Big would copy both operands even then. The result
 * may be one of the operands, so treat amounts as immutable.
 */
export function plus(one: Big, other: Big): Big {
  if (isZero(other)) return one;
  return isZero(one) ? other : one.plus(other);
}

/** Subtracts two amounts, with the same shortcut for zero. */
export const minus = (one: Big, other: Big): Big => (isZero(other) ? one : one.minus(other));

export function sum(values: Iterable<Big>): Big {
  let total = ZERO;
  for (const value of values) total = plus(total, value);
  return total;
}

export function min(first: Big, ...rest: readonly Big[]): Big {
  let least = first;
  for (const value of rest) if (isLess(value, least)) least = value;
  return least;
}

export function max(first: Big, ...rest: readonly Big[]): Big {
  let most = first;
  for (const value of rest) if (isLess(most, value)) most = value;
  return most;
}

/** Compares digits in place. `Big.lt` copies its argument on each call. */
export function isLess(one: Big, other: Big): boolean {
  const [sign, otherSign] = [isZero(one) ? 0 : one.s, isZero(other) ? 0 : other.s];
  if (sign !== otherSign) return sign < otherSign;
  return sign < 0 ? isSmaller(other, one) : sign > 0 && isSmaller(one, other);
}

/** Compares in place, like `isLess`. */
export const isEqual = (one: Big, other: Big): boolean =>
  one === other || !(isLess(one, other) || isLess(other, one));

/** Compares absolute values. Big normalizes its digits: no leading and no trailing zeros. */
function isSmaller({ e: exponent, c: digits }: Big, { e: otherExponent, c: others }: Big): boolean {
  if (exponent !== otherExponent) return exponent < otherExponent;
  const at = others.findIndex((digit, place) => digit !== (digits[place] ?? 0));
  return at >= 0 && (digits[at] ?? 0) < (others[at] ?? 0);
}

/** `one - other`, or zero if `one` is not greater. */
export const excessOver = (one: Big, other: Big): Big =>
  isLess(other, one) ? minus(one, other) : ZERO;

export function atLeastZero(value: Big): Big {
  return isBelowZero(value) ? ZERO : value;
}
