import type { Big } from 'big.js';
import { atLeastZero, min, money, parseMoney, sum, ZERO } from '../../money.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { sumParts, type AmountPart } from './amount-parts.ts';
import { remainingAmount, type Installment } from './coverage.ts';
import { feesOwed, interestOwed, outstandingFeeAmount, type Position } from './position.ts';

type BillAmounts = { amount: string; principal: string; interest: string; fees: string };

/**
 * The bill of a day. Its three amounts never overlap and add up to `amount_due`, which never exceeds the
 * debt on the due date.
 */
export type Bill = {
  /** Null if no installment follows. */
  due_date: string | null;
  /** The unpaid part of the installment due on `due_date`. */
  installment: BillAmounts;
  /** The unpaid amount that was due earlier. After maturity: the whole debt. */
  past_due: BillAmounts;
  /** Open fees that are not part of an installment. */
  fees_due: string;
  amount_due: string;
};

/**
 * The next installment. `amount` is its unpaid part and `rest` the amount that repays the loan on `date`,
 * both without the past-due amount. `owed` is the debt on `date`.
 */
export type NextBill = {
  date: string | null;
  rows: readonly Installment[];
  /** The parts of `amount`. */
  parts: readonly AmountPart[];
  amount: Big;
  rest: Big;
  owed: Parts;
  /** Fees outside the installments on `date`. */
  fees: readonly AmountPart[];
};

export function buildBill(
  position: Position,
  asOf: string,
  next: NextBill,
  { rows, amount: late }: { rows: readonly Installment[]; amount: Big },
): Bill {
  const pastDue = splitPastDue(position, asOf, { rows, amount: late });
  const rest = subtractParts(next.owed, pastDue);
  const otherFees = sumParts(next.fees);
  return {
    due_date: next.date,
    installment: formatParts(next.amount, splitAmount(next.amount, billedParts(next.rows), rest)),
    past_due: formatParts(late, pastDue),
    fees_due: money(otherFees),
    amount_due: money(late.plus(next.amount).plus(otherFees)),
  };
}

/** Splits the past-due amount into principal, interest and fees. */
export const splitPastDue = (
  position: Position,
  asOf: string,
  { rows, amount }: { rows: readonly Installment[]; amount: Big },
): Parts => splitAmount(amount, billedParts(rows), owedByComponent(position, asOf));

type Parts = { principal: Big; interest: Big; fees: Big };

/**
 * The unpaid parts of installments. Payments cover an installment's fees first, then interest, then
 * principal.
 */
function billedParts(installments: readonly Installment[]): Parts {
  const parts = installments.map((installment) => {
    const principal = parseMoney(installment.row.principal_amount);
    const above = atLeastZero(remainingAmount(installment).minus(principal));
    const interest = min(parseMoney(installment.row.interest_amount), above);
    return { principal, interest, fees: above.minus(interest) };
  });
  return {
    principal: sum(parts.map(({ principal }) => principal)),
    interest: sum(parts.map(({ interest }) => interest)),
    fees: sum(parts.map(({ fees }) => fees)),
  };
}

export const owedByComponent = (position: Position, date: string): Parts => ({
  principal: position.principal,
  interest: interestOwed(position, date),
  fees: feesOwed(position),
});

export const addParts = (one: Parts, other: Parts): Parts => ({
  principal: one.principal.plus(other.principal),
  interest: one.interest.plus(other.interest),
  fees: one.fees.plus(other.fees),
});

const subtractParts = (owed: Parts, taken: Parts): Parts => ({
  principal: owed.principal.minus(taken.principal),
  interest: owed.interest.minus(taken.interest),
  fees: owed.fees.minus(taken.fees),
});

/** Splits an amount into parts that add up to it. No part exceeds the amount owed of its kind. */
function splitAmount(amount: Big, billed: Parts, owed: Parts): Parts {
  const fees = min(billed.fees, owed.fees, amount);
  const first = min(billed.interest, owed.interest, amount.minus(fees));
  const principal = min(amount.minus(fees).minus(first), owed.principal);
  const interest = min(amount.minus(fees).minus(principal), owed.interest);
  return { principal, interest, fees: amount.minus(principal).minus(interest) };
}

const formatParts = (amount: Big, { principal, interest, fees }: Parts): BillAmounts => ({
  amount: money(amount),
  principal: money(principal),
  interest: money(interest),
  fees: money(fees),
});

/**
 * Open fees outside the installments. A credit line has none, because its minimum payments include the
 * fees.
 */
export function otherFeeParts({ fees, terms }: Position): readonly AmountPart[] {
  if (isBilledByCycle(terms)) return [];
  return [...fees.values()]
    .filter(({ is_spread }) => !is_spread)
    .map((fee) => ({ rule: 'fee', amount: outstandingFeeAmount(fee), fee }));
}

/** No installment follows: the debt is already past due, or there is no debt. */
export const emptyNextBill = (position: Position, asOf: string): NextBill => ({
  date: null,
  rows: [],
  parts: [],
  amount: ZERO,
  rest: ZERO,
  owed: owedByComponent(position, asOf),
  fees: [],
});
