import type { Big } from 'big.js';
import { isAboveZero, isLess, isZero, min, minus, parseMoney, plus, ZERO } from '../../money.ts';
import type { Portion } from './events.ts';
import type { Fee } from './fee.ts';
import { capInterestFreeBalance } from './interest/grace.ts';
import {
  addAllocationLine,
  feesOwed,
  interestOwed,
  outstandingFeeAmount,
  type Position,
} from './position.ts';

/** Paid in money, waived by the lender, or moved to another balance. */
export type ReductionMeans = 'paid' | 'waived' | 'moved';

type ReductionCause = {
  event_id: string;
  date: string;
  rule: string;
  means: ReductionMeans;
  installment_number?: number | null;
};

/** Reduces principal by at most the owed amount and explains the change. Returns the reduction. */
export function reducePrincipal(position: Position, wanted: Big, cause: ReductionCause): Big {
  const amount = min(wanted, position.principal);
  if (!isAboveZero(amount)) return ZERO;
  const before = position.principal;
  position.principal = before.minus(amount);
  capInterestFreeBalance(position);
  if (cause.means === 'paid') position.paid.principal = plus(position.paid.principal, amount);
  addAllocationLine(position, { ...explanationLine(cause), component: 'principal' }, amount, {
    before,
    after: position.principal,
  });
  return amount;
}

/**
 * Settles accrued interest. Under scheduled interest, a payment may prepay the rest of the open period,
 * which is earned by the due date.
 */
export function reduceInterest(
  position: Position,
  wanted: Big,
  cause: ReductionCause & { may_prepay?: boolean },
): Big {
  const before = interestOwed(position, cause.date);
  const amount = cause.may_prepay ? wanted : min(wanted, before);
  if (!isAboveZero(amount)) return ZERO;
  position.interest_settled = plus(position.interest_settled, amount);
  if (cause.means === 'paid') position.paid.interest = plus(position.paid.interest, amount);
  explainInterest(position, cause, amount, before);
  return amount;
}

/** Off-books interest is settled first. Cash for it is income that was not yet counted. */
function explainInterest(
  position: Position,
  cause: ReductionCause,
  amount: Big,
  before: Big,
): void {
  const line = { ...explanationLine(cause), component: 'interest' } as const;
  const after = interestOwed(position, cause.date);
  const off = min(amount, position.off_books);
  position.off_books = minus(position.off_books, off);
  const between = minus(before, off);
  if (isAboveZero(off)) {
    addAllocationLine(position, { ...line, is_off_books: true }, off, { before, after: between });
  }
  if (isLess(off, amount))
    addAllocationLine(position, line, minus(amount, off), { before: between, after });
}

export function reduceFee(
  position: Position,
  feeId: string,
  wanted: Big,
  cause: ReductionCause,
): Big {
  const fee = position.fees.get(feeId);
  if (fee === undefined) return ZERO;
  const before = outstandingFeeAmount(fee);
  const amount = min(wanted, before);
  if (!isAboveZero(amount)) return ZERO;
  fee[cause.means] = fee[cause.means].plus(amount);
  if (cause.means === 'paid') position.paid.fees = position.paid.fees.plus(amount);
  const { event_id, rule } = cause;
  const line = { event_id, component: 'fee', rule, fee_id: feeId } as const;
  addAllocationLine(position, { ...line, installment_number: fee.installment_number }, amount, {
    before,
    after: outstandingFeeAmount(fee),
  });
  return amount;
}

function explanationLine({ event_id, rule, installment_number }: ReductionCause) {
  return { event_id, rule, installment_number: installment_number ?? null };
}

/** Reduces fees, oldest first. Returns the reduction. */
export function reduceFees(position: Position, wanted: Big, cause: ReductionCause): Big {
  let taken = ZERO;
  for (const fee of openFees(position)) {
    taken = taken.plus(reduceFee(position, fee.fee_id, wanted.minus(taken), cause));
  }
  return taken;
}

export function openFees(position: Position): Fee[] {
  return [...position.fees.values()]
    .filter((fee) => outstandingFeeAmount(fee).gt(0))
    .toSorted((one, other) => compareFees(one, other));
}

function compareFees(one: Fee, other: Fee): number {
  if (one.assessed_date !== other.assessed_date) {
    return one.assessed_date < other.assessed_date ? -1 : 1;
  }
  return one.fee_id < other.fee_id ? -1 : 1;
}

/** Keeps money that belongs to the borrower in suspense. A negative amount takes it out. */
export function addToSuspense(position: Position, amount: Big, event_id: string, rule: string) {
  if (isZero(amount)) return;
  const before = position.suspense;
  position.suspense = before.plus(amount);
  addAllocationLine(position, { event_id, component: 'suspense', rule }, amount, {
    before,
    after: position.suspense,
  });
}

/** Increases principal. The explanation shows a negative reduction. */
export function increasePrincipal(position: Position, amount: Big, event_id: string, rule: string) {
  if (!isAboveZero(amount)) return;
  const before = position.principal;
  position.principal = before.plus(amount);
  addAllocationLine(position, { event_id, component: 'principal', rule }, amount.neg(), {
    before,
    after: position.principal,
  });
}

/** The amount of a portion, capped at the owed amount. */
export function portionAmount(portion: Portion | undefined, owed: Big): Big {
  if (portion === undefined) return ZERO;
  return portion === 'all' ? owed : min(parseMoney(portion), owed);
}

export function interestPortion(position: Position, portion: Portion | undefined, date: string) {
  return portionAmount(portion, interestOwed(position, date));
}

export function feesPortion(position: Position, portion: Portion | undefined): Big {
  return portionAmount(portion, feesOwed(position));
}
