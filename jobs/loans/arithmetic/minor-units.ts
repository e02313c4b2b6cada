import { Big } from 'big.js';
import type { Rounding } from '../../money.ts';

/**
 * Decimals as integers of their last place, for example cents. They are exact and much faster than `Big` in
 * loops over schedule rows. Division rounds once, by the given mode.
 */

/** Ten to the power of `places`. */
export const unitsPerOne = (places: number): bigint => 10n ** BigInt(places);

/** Converts a decimal to integer units. Throws if it has more decimal places. */
export function toUnits({ s: sign, e: exponent, c: digits }: Big, places: number): bigint {
  const missing = places + exponent - digits.length + 1;
  if (missing < 0 && digits[0] !== 0) throw new RangeError(`More than ${places} places.`);
  const whole = BigInt(digits.join('')) * unitsPerOne(Math.max(0, missing));
  return sign < 0 ? -whole : whole;
}

export const fromUnits = (units: bigint, places: number): Big => new Big(`${units}e-${places}`);

export const toCentUnits = (amount: Big): bigint => toUnits(amount, 2);

/** Parses money as strictly as `parseMoney`. */
export function parseCents(text: string): bigint {
  if (!/^-?\d{1,15}(\.\d{1,2})?$/.test(text)) throw new RangeError(`"${text}" is not an amount.`);
  const at = text.indexOf('.');
  if (at < 0) return BigInt(`${text}00`);
  return BigInt(text.slice(0, at) + text.slice(at + 1).padEnd(2, '0'));
}

/** Formats money as `money` does. */
export function formatCents(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Converts to larger units and rounds once. */
export function divideRounded(units: bigint, times: bigint, mode: Rounding = 'half_up'): bigint {
  if (units < 0n) return -divideRounded(-units, times, mode);
  const whole = units / times;
  const rest = units - whole * times;
  if (rest === 0n) return whole;
  if (mode === 'up') return whole + 1n;
  if (mode === 'down') return whole;
  const twice = 2n * rest;
  if (twice === times) return mode === 'half_even' && whole % 2n === 0n ? whole : whole + 1n;
  return twice > times ? whole + 1n : whole;
}

export const minBigint = (one: bigint, other: bigint): bigint => (one < other ? one : other);
