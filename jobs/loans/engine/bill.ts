import type { Big } from 'big.js';
import { atLeastZero, min, money, parseMoney, sum, ZERO } from '../../money.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { remainingAmount, type Installment } from './coverage.ts';
import { feesOwed, interestOwed, outstandingFeeAmount, type Position } from './position.ts';

/** An amount that is asked for, with what it is made of. */
type Asked = { amount: string; principal: string; interest: string; fees: string };

/**
 * What a borrower is asked for on a day, and by when. Its three amounts have no cent in common and add
 * up to `amount_due`, which is never more than what is owed by the due date.
 */
export type Bill = {
  /** Null where nothing is to come. */
  due_date: string | null;
  /** What the instalment of that date still asks for. */
  installment: Asked;
  /** What was due before; after maturity all that is owed. */
  past_due: Asked;
  /** Open fees that no instalment asks for. */
  fees_due: string;
  amount_due: string;
};

/**
 * The next instalment and what it asks for besides what is past due; all that would repay the loan by
 * then besides that; and what will be owed by then.
 */
export type NextBill = {
  date: string | null;
  rows: readonly Installment[];
  amount: Big;
  rest: Big;
  owed: Parts;
};

export function buildBill(
  position: Position,
  asOf: string,
  next: NextBill,
  { rows, amount: late }: { rows: readonly Installment[]; amount: Big },
): Bill {
  const pastDue = partsOf(late, askedBy(rows), owedByComponent(position, asOf));
  const rest = less(next.owed, pastDue);
  const besides = min(feesBesides(position), next.rest.minus(next.amount));
  return {
    due_date: next.date,
    installment: inWords(next.amount, partsOf(next.amount, askedBy(next.rows), rest)),
    past_due: inWords(late, pastDue),
    fees_due: money(besides),
    amount_due: money(late.plus(next.amount).plus(besides)),
  };
}

type Parts = { principal: Big; interest: Big; fees: Big };

/** What instalments still ask for: payments are taken to have paid their fees, then their interest. */
function askedBy(installments: readonly Installment[]): Parts {
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

const less = (owed: Parts, taken: Parts): Parts => ({
  principal: owed.principal.minus(taken.principal),
  interest: owed.interest.minus(taken.interest),
  fees: owed.fees.minus(taken.fees),
});

/** Parts that add up to an amount, none of them more than is owed of its kind. */
function partsOf(amount: Big, asked: Parts, owed: Parts): Parts {
  const fees = min(asked.fees, owed.fees, amount);
  const first = min(asked.interest, owed.interest, amount.minus(fees));
  const principal = min(amount.minus(fees).minus(first), owed.principal);
  const interest = min(amount.minus(fees).minus(principal), owed.interest);
  return { principal, interest, fees: amount.minus(principal).minus(interest) };
}

const inWords = (amount: Big, { principal, interest, fees }: Parts): Asked => ({
  amount: money(amount),
  principal: money(principal),
  interest: money(interest),
  fees: money(fees),
});

/** The minimum payments of a line ask for its fees. */
function feesBesides({ fees, terms }: Position): Big {
  if (isBilledByCycle(terms)) return ZERO;
  const besides = [...fees.values()].filter(({ is_spread }) => !is_spread);
  return sum(besides.map(outstandingFeeAmount));
}

/** Nothing comes next: what is owed is past due already, or there is no debt. */
export const emptyNextBill = (position: Position, asOf: string): NextBill => ({
  date: null,
  rows: [],
  amount: ZERO,
  rest: ZERO,
  owed: owedByComponent(position, asOf),
});
