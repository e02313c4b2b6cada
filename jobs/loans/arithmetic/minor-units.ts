import { Big } from 'big.js';
import type { Rounding } from '../../money.ts';

/**
 * Decimals as whole numbers of their last place: cents, or units of the tenth or twentieth place. Where
 * each row of a plan is reckoned, they cost a fraction of what decimals do and are as exact; what is
 * divided is rounded as decimals are, once, by the mode that is named.
 */

/** Ten to the power of so many places: how many units make one. */
export const unitsPerOne = (places: number): bigint => 10n ** BigInt(places);

/** A decimal in units of its last place; one with more places than that is refused. */
export function toUnits({ s: sign, e: exponent, c: digits }: Big, places: number): bigint {
  const missing = places + exponent - digits.length + 1;
  if (missing < 0 && digits[0] !== 0) throw new RangeError(`More than ${places} places.`);
  const whole = BigInt(digits.join('')) * unitsPerOne(Math.max(0, missing));
  return sign < 0 ? -whole : whole;
}

/** So many units of the last of these places, as a decimal. */
export const fromUnits = (units: bigint, places: number): Big => new Big(`${units}e-${places}`);

export const toCentUnits = (amount: Big): bigint => toUnits(amount, 2);

/** Reads money as strictly as `parseMoney` does. */
export function parseCents(text: string): bigint {
  if (!/^-?\d{1,15}(\.\d{1,2})?$/.test(text)) throw new RangeError(`"${text}" is not an amount.`);
  const at = text.indexOf('.');
  if (at < 0) return BigInt(`${text}00`);
  return BigInt(text.slice(0, at) + text.slice(at + 1).padEnd(2, '0'));
}

/** The wire form of money, as `money` words it. */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Units in units that are so many times as large. */
export function divideRounded(units: bigint, times: bigint, mode: Rounding = 'half_up'): bigint {
  if (units < 0n) return -divideRounded(-units, times, mode);
  const whole = units / times;
  const rest = units - whole * times;
  if (rest === 0n) return whole;
  if (mode === 'up') return whole + 1n;
  const twice = 2n * rest;
  if (twice === times) return mode === 'half_even' && whole % 2n === 0n ? whole : whole + 1n;
  return twice > times ? whole + 1n : whole;
}

export const minBigint = (one: bigint, other: bigint): bigint => (one < other ? one : other);
