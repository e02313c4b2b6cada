import type { Big } from 'big.js';
import { isZero } from '../../money.ts';
import { accruedUnits, RATE_PLACES } from '../arithmetic/day-count.ts';
import {
  inCents,
  inUnits,
  lesser,
  ofUnits,
  roundedTo,
  unitsPerOne,
} from '../arithmetic/minor-units.ts';
import { isFollowingPlan } from '../arithmetic/terms.ts';
import { openOf } from './coverage.ts';
import { feesOwed } from './position.ts';
import { aheadOf } from './project.ts';
import { nextTurn, type Run } from './run.ts';

const ACCRUED_PLACES = 10;
const UNITS_PER_CENT = unitsPerOne(ACCRUED_PLACES - 2);

/** Without fees, and with interest that is earned by the day at one rate until the end, as of most loans. */
export const isSteady = (run: Run): boolean => {
  const { terms, meter, cycle } = run.position;
  return (
    nextTurn(run) === null &&
    meter.source.is_running &&
    !isFollowingPlan(terms) &&
    isZero(cycle.interest_free) &&
    isZero(feesOwed(run.position))
  );
};

/** What the last instalment of such a loan asks for, in whole cents: interest is paid first, then principal. */
export function finalInCents({ position, day }: Run): Big | null {
  const { meter, tolerance } = position;
  const rate = inUnits(meter.source.rate, RATE_PLACES);
  const rows = aheadOf(position, day);
  let principal = inCents(position.principal);
  let settled = inCents(position.settled);
  /** What has accrued by the day on which the balance last changed. */
  let base = inUnits(meter.base, ACCRUED_PLACES);
  let since = meter.since ?? day;
  let last: bigint | null = null;
  for (const installment of rows) {
    const { due_date } = installment.row;
    const accrued = base + accruedUnits(principal, rate, meter.day_count, since, due_date);
    const interest = roundedTo(accrued, UNITS_PER_CENT, meter.rounding_mode) - settled;
    const owed = principal + (interest > 0n ? interest : 0n);
    const isLast = installment === rows.at(-1);
    const asked = isLast ? owed : lesser(inCents(openOf(installment, tolerance)), owed);
    if (asked <= 0n) continue;
    last = asked;
    const ofInterest = interest > 0n ? lesser(asked, interest) : 0n;
    settled += ofInterest;
    if (asked === ofInterest) continue;
    [base, since] = [accrued, due_date];
    principal -= asked - ofInterest;
  }
  return last === null ? null : ofUnits(last, 2);
}
