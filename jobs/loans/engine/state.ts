import type { Big } from 'big.js';
import { min, money, sum, ZERO } from '../../money.ts';
import type { Bill } from './bill.ts';
import { summarizeBills, type InstallmentState } from './bills.ts';
import type { Coverage } from './coverage.ts';
import { currentCycle, type CycleState } from './interest/cycles.ts';
import type { DelinquencyBucket, DelinquencyPause } from './delinquency.ts';
import { interestBearingPrincipal } from './interest/grace.ts';
import { interestAt, segmentsAt, type InterestSegment } from './interest/interest.ts';
import { forgivesFeesOn } from './interest/rate-cap.ts';
import {
  accruedCents,
  capOn,
  chargedOffBalance,
  feesOwed,
  interestOwed,
  isPaidOff,
  outstandingFeeAmount,
  rateOn,
  totalOwed,
  type AllocationLine,
  type Position,
} from './position.ts';

export type FeeState = {
  fee_id: string;
  fee_type: string;
  amount: string;
  amount_paid: string;
  amount_waived: string;
  outstanding_amount: string;
  assessed_date: string;
  installment_number: number | null;
  /** Each installment asks for a part of the fee. */
  is_spread: boolean;
};

/** A loan's state on a day, including that day's events, with explanations. */
export type LoanState = {
  as_of: string;
  principal_balance: string;
  /** The part of principal that bears no interest if statements are paid in full. */
  interest_free_balance: string;
  accrued_interest: string;
  /** All interest accrued, with ten decimal places and in cents, and the settled part of it in cents. */
  interest_accrued: string;
  interest_earned: string;
  interest_settled: string;
  /** The part of owed interest that is off the books. */
  off_books_interest: string;
  fees: FeeState[];
  outstanding_fees: string;
  total_balance: string;
  suspense_balance: string;
  surplus_balance: string;
  /** The debt left by the last sale of collateral that is still owed. */
  deficiency_balance: string;
  charge_off_balance: string;
  covered_amount: string;
  /** The agreed rate. `current_rate` can be lower because of a promotion or cap. */
  contract_rate: string;
  current_rate: string;
  /** The legal cap of the rate that is in force. Null if there is none. */
  rate_cap: string | null;
  /** The law forgives fees that are assessed on this day. */
  forgives_fees: boolean;
  is_accruing: boolean;
  is_paid_off: boolean;
  is_charged_off: boolean;
  is_accelerated: boolean;
  /** Reasons why accrual is stopped, for example `freeze` or `non_accrual`. */
  accrual_stops: string[];
  bill: Bill;
  installments: InstallmentState[];
  oldest_unpaid_due_date: string | null;
  next_payment_date: string | null;
  next_payment_amount: string;
  past_due_amount: string;
  days_past_due: number;
  delinquency_bucket: DelinquencyBucket;
  pauses: DelinquencyPause[];
  /** The current billing cycle of a credit line. Null if it has none. */
  cycle: CycleState | null;
  maturity_date: string | null;
  /** Whole months by which workouts have changed the term. Negative if shorter. */
  extension_months: number;
  last_payment_date: string | null;
  last_payment_amount: string | null;
  total_paid_principal: string;
  total_paid_interest: string;
  total_paid_fees: string;
  total_recovered: string;
  allocations: AllocationLine[];
  coverage: Coverage[];
  interest_segments: InterestSegment[];
};

export function toLoanState(position: Position, asOf: string): LoanState {
  return {
    as_of: asOf,
    ...balances(position, asOf),
    ...summarizeBills(position, asOf),
    cycle: currentCycle(position),
    extension_months: position.extension_months,
    ...reasons(position, asOf),
  };
}

function balances(position: Position, asOf: string) {
  const { paid, last_payment } = position;
  return {
    principal_balance: money(position.principal),
    interest_free_balance: money(position.cycle.interest_free),
    accrued_interest: money(interestOwed(position, asOf)),
    interest_accrued: interestAt(position.meter, asOf).toFixed(10),
    interest_earned: money(accruedCents(position, asOf)),
    interest_settled: money(position.interest_settled),
    off_books_interest: money(position.off_books),
    fees: feeStates(position),
    outstanding_fees: money(feesOwed(position)),
    total_balance: money(totalOwed(position, asOf)),
    suspense_balance: money(position.suspense),
    surplus_balance: money(position.surplus),
    deficiency_balance: money(deficiencyOn(position, asOf)),
    charge_off_balance: money(chargedOffBalance(position)),
    covered_amount: money(sum(position.installments.map((installment) => installment.covered))),
    contract_rate: position.contract_rate.toFixed(),
    current_rate: rateOn(position, asOf).toFixed(),
    rate_cap: capOn(position, asOf)?.toFixed() ?? null,
    forgives_fees: forgivesFeesOn(position, asOf),
    is_accruing: position.meter.source.is_running && interestBearingPrincipal(position).gt(0),
    is_paid_off: isPaidOff(position, asOf),
    is_charged_off: position.charged_off_on !== null,
    is_accelerated: position.accelerated_on !== null,
    accrual_stops: [...position.stops].toSorted(),
    last_payment_date: last_payment?.date ?? null,
    last_payment_amount: last_payment?.amount ? money(last_payment.amount) : null,
    total_paid_principal: money(paid.principal),
    total_paid_interest: money(paid.interest),
    total_paid_fees: money(paid.fees),
    total_recovered: money(paid.recovery),
  };
}

function deficiencyOn(position: Position, asOf: string): Big {
  return min(
    position.deficiency ?? ZERO,
    totalOwed(position, asOf).plus(chargedOffBalance(position)),
  );
}

export function feeStates(position: Position): FeeState[] {
  return [...position.fees.values()].map((fee) => ({
    fee_id: fee.fee_id,
    fee_type: fee.fee_type,
    amount: money(fee.amount),
    amount_paid: money(fee.paid),
    amount_waived: money(fee.waived),
    outstanding_amount: money(outstandingFeeAmount(fee)),
    assessed_date: fee.assessed_date,
    installment_number: fee.installment_number,
    is_spread: fee.is_spread,
  }));
}

function reasons(position: Position, asOf: string) {
  return {
    allocations: [...position.allocations],
    coverage: [...position.coverage],
    interest_segments: segmentsAt(position.meter, asOf),
  };
}
