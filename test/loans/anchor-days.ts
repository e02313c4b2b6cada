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
export function balancesOn(anchor: Checkpoint, asOf: string): BalancesOn {
  const accrued = accruedOn(anchor, asOf);
  const owed = atLeastZero(toCents(accrued, anchor.rounding_mode).minus(anchor.interest_settled));
  const principal = parseMoney(anchor.principal_balance);
  return {
    as_of: asOf,
    principal_balance: anchor.principal_balance,
    accrued_interest: money(owed),
    interest_accrued: accrued.toFixed(10),
    outstanding_fees: anchor.outstanding_fees,
    total_balance: money(principal.plus(owed).plus(anchor.outstanding_fees)),
  };
}

/** All interest accrued up to a day, to ten places. */
function accruedOn(anchor: Checkpoint, asOf: string): Big {
  const base = new Big(anchor.interest_accrued);
  if (!anchor.is_accruing) return base;
  const { accrual_period_interest: interest, accrual_period_days: days } = anchor;
  const source = {
    balance: new Big(anchor.accrual_balance),
    rate: new Big(anchor.accrual_rate),
    pace: interest === null ? null : { interest: new Big(interest), days: days ?? 1, until: asOf },
    is_running: true,
    stops: '',
  };
  const stretch = { day_count: anchor.day_count, since: anchor.accrual_since, source };
  return base.plus(segmentInterest(stretch, asOf));
}

/** The cents that a day posts: the rounded total at its end minus the rounded total at its start. */
export function centsOfDay(anchor: Checkpoint, day: string, dayAfter: string): Big {
  const cents = (date: string) => toCents(accruedOn(anchor, date), anchor.rounding_mode);
  return cents(dayAfter).minus(cents(day));
}
