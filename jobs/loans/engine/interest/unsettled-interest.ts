import { Big } from 'big.js';
import { isZero, minus, plus, ZERO, type Rounding } from '../../../money.ts';
import { interestToCents } from '../../arithmetic/interest-rounding.ts';
import type { LoanState } from '../state.ts';
import type { InterestSegment } from './interest.ts';

type InterestSource = Pick<LoanState, 'interest_segments' | 'interest_settled'>;

/** A segment with unsettled interest, and all interest accrued before it and through its end. */
export type UnsettledSegment = { segment: InterestSegment; before: Big; after: Big };

/**
 * The segments that make up the owed interest. Interest is settled in cents and in the order in which it
 * accrued, so part of the first segment may be settled already.
 */
export function unsettledSegments(state: InterestSource, rounding: Rounding): UnsettledSegment[] {
  const settled = new Big(state.interest_settled);
  const unsettled: UnsettledSegment[] = [];
  let accrued = ZERO;
  for (const segment of state.interest_segments) {
    if (segment.rule === 'suspended') continue;
    const before = accrued;
    accrued = plus(accrued, new Big(segment.amount));
    if (interestToCents(accrued, rounding).lte(settled)) continue;
    unsettled.push({ segment, before, after: accrued });
  }
  return unsettled;
}

/** A part of the owed interest, in cents. If `segment` is null, the settled part of the first segment. */
export type InterestPart = { amount: Big; segment: InterestSegment | null };

/**
 * The parts of the owed interest, in cents. Each segment counts with the cents by which it raises the rounded
 * total, as daily postings do, so the parts add up to the owed interest exactly.
 */
export function interestParts(state: InterestSource, rounding: Rounding): InterestPart[] {
  const cents = (amount: Big) => interestToCents(amount, rounding);
  const [first, ...later] = unsettledSegments(state, rounding);
  if (first === undefined) return [];
  const partOf = ({ segment, before, after }: UnsettledSegment): InterestPart => ({
    amount: minus(cents(after), cents(before)),
    segment,
  });
  const settled = minus(new Big(state.interest_settled), cents(first.before));
  const paid = isZero(settled) ? [] : [{ amount: settled.neg(), segment: null }];
  return [partOf(first), ...paid, ...later.map(partOf)];
}
