import { Big } from 'big.js';

/** How an amount is brought to whole cents; `up` is away from zero, as some lenders round. */
export const ROUNDINGS = ['half_up', 'half_even', 'up'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

const MODES = { half_up: 1, half_even: 2, up: 3 } as const;

export const ZERO = new Big(0);

/** Divisions keep 30 places, so that a quotient rounded later is rounded once in effect. */
const Precise = Big();
Precise.DP = 30;
Precise.RM = 1;

/** Looks at the first digit and the sign: compared with 0, a number is made and read each time. */
export const isZero = ({ c: digits }: Big): boolean => digits[0] === 0;
export const isAboveZero = (value: Big): boolean => value.s > 0 && !isZero(value);
export const isBelowZero = (value: Big): boolean => value.s < 0 && !isZero(value);

/** Most of what is rounded has no more places than it may have, and is what it was. */
const rounded = (value: Big, places: number, mode: Rounding): Big =>
  value.c.length - 1 - value.e <= places ? value : value.round(places, MODES[mode]);

export const toCents = (value: Big, mode: Rounding = 'half_up'): Big => rounded(value, 2, mode);

/** The wire form of money: always two places, never an exponent ("1000.00"). */
export function money(value: Big | string): string {
  const cents = toCents(typeof value === 'string' ? new Big(value) : value);
  return isZero(cents) ? '0.00' : withTwoPlaces(cents);
}

/** Written out by its digits: the library copies and rounds once more, which takes five times as long. */
function withTwoPlaces({ s: sign, e: exponent, c }: Big): string {
  const digits = c.join('');
  const whole = exponent < 0 ? '0' : digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const cents =
    exponent < 0 ? digits.padStart(digits.length - exponent - 1, '0') : digits.slice(exponent + 1);
  return `${sign < 0 ? '-' : ''}${whole}.${cents.padEnd(2, '0')}`;
}

/** A figure with ten places, as accrued interest is kept. */
export const roundToTenPlaces = (value: Big): Big => rounded(value, 10, 'half_up');

export function divide(dividend: Big, divisor: Big | number): Big {
  return new Precise(dividend).div(divisor);
}

/** Reads money strictly: plain decimals with at most two places, no exponent, no NaN, no blanks. */
export function parseMoney(text: string): Big {
  if (!/^-?\d{1,15}(\.\d{1,2})?$/.test(text)) throw new RangeError(`"${text}" is not an amount.`);
  return new Big(text);
}

/** Reads a rate as a fraction ("0.085" is 8.5 percent) with at most ten places. */
export function parseRate(text: string): Big {
  if (!/^\d{1,4}(\.\d{1,10})?$/.test(text)) throw new RangeError(`"${text}" is not a rate.`);
  return new Big(text);
}

/**
 * One amount and another. Most amounts of a loan are nothing, and the library copies both even then; what
 * is returned may be one of the two themselves, which nobody changes.
 */
export function plus(one: Big, other: Big): Big {
  if (isZero(other)) return one;
  return isZero(one) ? other : one.plus(other);
}

/** One amount less another, in the same way. */
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

/** Looks at the digits as they are: the library copies what it compares with, each time. */
export function isLess(one: Big, other: Big): boolean {
  const [sign, otherSign] = [isZero(one) ? 0 : one.s, isZero(other) ? 0 : other.s];
  if (sign !== otherSign) return sign < otherSign;
  return sign < 0 ? isSmaller(other, one) : sign > 0 && isSmaller(one, other);
}

/** Whether two values are one, in the same way. */
export const isEqual = (one: Big, other: Big): boolean =>
  one === other || !(isLess(one, other) || isLess(other, one));

/** Without their signs. Digits begin with no zero and end with none. */
function isSmaller({ e: exponent, c: digits }: Big, { e: otherExponent, c: others }: Big): boolean {
  if (exponent !== otherExponent) return exponent < otherExponent;
  const at = others.findIndex((digit, place) => digit !== (digits[place] ?? 0));
  return at >= 0 && (digits[at] ?? 0) < (others[at] ?? 0);
}

/** What one amount is above another; nothing where it is not. */
export const excessOver = (one: Big, other: Big): Big =>
  isLess(other, one) ? minus(one, other) : ZERO;

/** The value itself, or zero where it is below zero. */
export function atLeastZero(value: Big): Big {
  return isBelowZero(value) ? ZERO : value;
}
