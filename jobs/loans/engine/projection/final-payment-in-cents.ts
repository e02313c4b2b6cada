import type { Big } from 'big.js';
import { isZero } from '../../../money.ts';
import { accruedUnits, RATE_PLACES } from '../../arithmetic/day-count.ts';
import { interestUnitsToCents } from '../../arithmetic/interest-rounding.ts';
import { toCentUnits, toUnits, minBigint, fromUnits } from '../../arithmetic/minor-units.ts';
import { accruesBySchedule } from '../../arithmetic/terms.ts';
import { amountStillDue } from '../coverage.ts';
import { feesOwed } from '../position.ts';
import { remainingInstallments } from './course.ts';
import { nextAccrualChange, type ReplayRun } from '../run.ts';

const ACCRUED_PLACES = 10;

/** True for most loans: no fees, and daily interest at one rate until the end. */
export const hasSteadyInterest = (run: ReplayRun): boolean => {
  const { terms, meter, cycle } = run.position;
  return (
    nextAccrualChange(run) === null &&
    meter.source.is_running &&
    !accruesBySchedule(terms) &&
    isZero(cycle.interest_free) &&
    isZero(feesOwed(run.position))
  );
};

/**
 * The final payment of a loan with steady interest, computed in whole cents. Payments cover interest first,
 * then principal.
 */
export function finalPaymentInCents({ position, day }: ReplayRun): Big | null {
  const { meter, tolerance } = position;
  const rate = toUnits(meter.source.rate, RATE_PLACES);
  const rows = remainingInstallments(position, day);
  let principal = toCentUnits(position.principal);
  let settled = toCentUnits(position.interest_settled);
  /** Interest accrued by the day on which the balance last changed. */
  let base = toUnits(meter.base, ACCRUED_PLACES);
  let since = meter.since ?? day;
  let last: bigint | null = null;
  for (const installment of rows) {
    const { due_date } = installment.row;
    const accrued = base + accruedUnits(principal, rate, meter.day_count, since, due_date);
    const interest = interestUnitsToCents(accrued, meter.rounding_mode) - settled;
    const owed = principal + (interest > 0n ? interest : 0n);
    const isLast = installment === rows.at(-1);
    const payment = isLast
      ? owed
      : minBigint(toCentUnits(amountStillDue(installment, tolerance)), owed);
    if (payment <= 0n) continue;
    last = payment;
    const ofInterest = interest > 0n ? minBigint(payment, interest) : 0n;
    settled += ofInterest;
    if (payment === ofInterest) continue;
    [base, since] = [accrued, due_date];
    principal -= payment - ofInterest;
  }
  return last === null ? null : fromUnits(last, 2);
}
