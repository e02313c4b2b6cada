import { Big } from 'big.js';
import type { Checkpoint } from '../../jobs/loans/engine/checkpoint.ts';
import { segmentInterest } from '../../jobs/loans/engine/interest/interest.ts';
import { atLeastZero, money, parseMoney, toCents } from '../../jobs/money.ts';

/** The formula that a checkpoint guarantees, implemented independently to verify the fold and SQL. */

type BalancesOn = {
  as_of: string;
  principal_balance: string;
  accrued_interest: string;
  interest_accrued: string;
  outstanding_fees: string;
  total_balance: string;
};

/** The balances on a day after the checkpoint's last event. They equal the fold as of that day. */
export function balancesOn(checkpoint: Checkpoint, asOf: string): BalancesOn {
  const accrued = accruedOn(checkpoint, asOf);
  const owed = atLeastZero(
    toCents(accrued, checkpoint.rounding_mode).minus(checkpoint.interest_settled),
  );
  const principal = parseMoney(checkpoint.principal_balance);
  return {
    as_of: asOf,
    principal_balance: checkpoint.principal_balance,
    accrued_interest: money(owed),
    interest_accrued: accrued.toFixed(10),
    outstanding_fees: checkpoint.outstanding_fees,
    total_balance: money(principal.plus(owed).plus(checkpoint.outstanding_fees)),
  };
}

/** All interest accrued up to a day, to ten places. */
function accruedOn(checkpoint: Checkpoint, asOf: string): Big {
  const base = new Big(checkpoint.interest_accrued);
  if (!checkpoint.is_accruing) return base;
  const { accrual_period_interest: interest, accrual_period_days: days } = checkpoint;
  const source = {
    balance: new Big(checkpoint.accrual_balance),
    rate: new Big(checkpoint.accrual_rate),
    pace: interest === null ? null : { interest: new Big(interest), days: days ?? 1, until: asOf },
    is_running: true,
    stops: '',
  };
  const stretch = { day_count: checkpoint.day_count, since: checkpoint.accrual_since, source };
  return base.plus(segmentInterest(stretch, asOf));
}

/** The cents that a day posts: the rounded total at its end minus the rounded total at its start. */
export function centsOfDay(checkpoint: Checkpoint, day: string, dayAfter: string): Big {
  const cents = (date: string) => toCents(accruedOn(checkpoint, date), checkpoint.rounding_mode);
  return cents(dayAfter).minus(cents(day));
}
