import type { Big } from 'big.js';
import { excessOver, isAboveZero, sum } from '../../money.ts';
import type { Installment } from './coverage.ts';
import type { Fee } from './fee.ts';

/**
 * A part of an amount. A negative part reduces the amount. The engine adds up the parts to get the amount,
 * so an explanation that shows the parts cannot differ from it.
 */
export type AmountPart = {
  rule: (typeof PART_RULES)[number];
  amount: Big;
  installment?: Installment;
  fee?: Fee;
};

export const PART_RULES = [
  'principal',
  'interest',
  'fees',
  'charge_off_balance',
  'prepayment_penalty',
  'prepaid_interest',
  'suspense',
  'installment',
  'fee',
  'past_due',
  'limited_to_debt',
  'limited_to_zero',
] as const;

export const sumParts = (parts: readonly AmountPart[]): Big =>
  sum(parts.map(({ amount }) => amount));

/** Adds a negative part for the excess of the parts over the debt. */
export function limitToDebt(parts: readonly AmountPart[], debt: Big): readonly AmountPart[] {
  const excess = excessOver(sumParts(parts), debt);
  return [...parts, ...reducedBy('limited_to_debt', excess)];
}

/** A part that reduces an amount. None if it is zero. */
export const reducedBy = (rule: AmountPart['rule'], amount: Big): AmountPart[] =>
  isAboveZero(amount) ? [{ rule, amount: amount.neg() }] : [];
