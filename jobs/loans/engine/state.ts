import type { Big } from 'big.js';
import { max, min, money, parseMoney, sum, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isSatisfied, remainingOf, type Installment } from './coverage.ts';
import { bucketOf, daysPastDue, type DelinquencyBucket, type Pause } from './delinquency.ts';
import { interestAt, segmentsAt, type InterestSegment } from './interest.ts';
import {
  centsAccrued,
  claimed,
  feesOwed,
  interestOwed,
  outstandingOf,
  rateOn,
  totalOwed,
  type AllocationLine,
  type Position,
} from './position.ts';

export const INSTALLMENT_STATUSES = [
  'upcoming',
  'due',
  'paid',
  'partially_paid',
  'past_due',
  'deferred',
  'canceled',
] as const;
type InstallmentStatus = (typeof INSTALLMENT_STATUSES)[number];

export type InstallmentState = ScheduleRow & {
  paid_amount: string;
  paid_date: string | null;
  status: InstallmentStatus;
};

export type FeeState = {
  fee_id: string;
  fee_type: string;
  amount: string;
  amount_paid: string;
  amount_waived: string;
  outstanding_amount: string;
  assessed_date: string;
  installment_number: number | null;
  /** The instalments ask for it, each for its part. */
  is_spread: boolean;
};

type CoverageLine = { event_id: string; installment_number: number; amount: string };

/** What a loan is at the start of a day, after the events of that day, with the reasons. */
export type LoanState = {
  as_of: string;
  principal_balance: string;
  accrued_interest: string;
  /** All interest ever accrued, ten places and in cents; and the cents of it that are settled. */
  interest_accrued: string;
  interest_earned: string;
  interest_settled: string;
  /** The part of the interest owed that the books no longer count on. */
  off_books_interest: string;
  fees: FeeState[];
  outstanding_fees: string;
  total_balance: string;
  suspense_balance: string;
  surplus_balance: string;
  charge_off_balance: string;
  covered_amount: string;
  /** The rate agreed, and the one of the day: a promotion or a cap may be below it. */
  contract_rate: string;
  current_rate: string;
  is_accruing: boolean;
  is_paid_off: boolean;
  is_charged_off: boolean;
  is_accelerated: boolean;
  /** Why accrual rests: freeze, non_accrual and the like. */
  accrual_stops: string[];
  installments: InstallmentState[];
  oldest_unpaid_due_date: string | null;
  next_payment_date: string | null;
  next_payment_amount: string;
  past_due_amount: string;
  days_past_due: number;
  delinquency_bucket: DelinquencyBucket;
  pauses: Pause[];
  maturity_date: string | null;
  last_payment_date: string | null;
  last_payment_amount: string | null;
  total_paid_principal: string;
  total_paid_interest: string;
  total_paid_fees: string;
  total_recovered: string;
  allocations: AllocationLine[];
  coverage: CoverageLine[];
  interest_segments: InterestSegment[];
};

export function stateOf(position: Position, asOf: string): LoanState {
  return {
    as_of: asOf,
    ...balances(position, asOf),
    ...due(position, asOf),
    ...reasons(position, asOf),
  };
}

function balances(position: Position, asOf: string) {
  const { paid, last_payment } = position;
  return {
    principal_balance: money(position.principal),
    accrued_interest: money(interestOwed(position, asOf)),
    interest_accrued: interestAt(position.meter, asOf).toFixed(10),
    interest_earned: money(centsAccrued(position, asOf)),
    interest_settled: money(position.settled),
    off_books_interest: money(position.off_books),
    fees: feeStates(position),
    outstanding_fees: money(feesOwed(position)),
    total_balance: money(totalOwed(position, asOf)),
    suspense_balance: money(position.suspense),
    surplus_balance: money(position.surplus),
    charge_off_balance: money(claimed(position)),
    covered_amount: money(sum(position.installments.map((installment) => installment.covered))),
    contract_rate: position.contract_rate.toFixed(),
    current_rate: rateOn(position, asOf).toFixed(),
    is_accruing: position.meter.source.is_running && position.principal.gt(0),
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

function feeStates(position: Position): FeeState[] {
  return [...position.fees.values()].map((fee) => ({
    fee_id: fee.fee_id,
    fee_type: fee.fee_type,
    amount: money(fee.amount),
    amount_paid: money(fee.paid),
    amount_waived: money(fee.waived),
    outstanding_amount: money(outstandingOf(fee)),
    assessed_date: fee.assessed_date,
    installment_number: fee.installment_number,
    is_spread: fee.is_spread,
  }));
}

function isPaidOff(position: Position, asOf: string): boolean {
  if (position.funded_on === null || position.charged_off_on !== null) return false;
  if (position.terms.loan_type === 'line_of_credit' && !position.is_closed) return false;
  return totalOwed(position, asOf).plus(claimed(position)).eq(0);
}

/** Bills: what is unpaid since when, and what comes next. A debt of nothing has no bills. */
function due(position: Position, asOf: string) {
  const total = totalOwed(position, asOf);
  const isOver = position.funded_on !== null && total.eq(0);
  const tolerance = parseMoney(position.terms.satisfied_tolerance);
  const standing = position.installments.filter((installment) => !installment.is_canceled);
  const unpaid = isOver
    ? []
    : standing.filter((installment) => !isSatisfied(installment, tolerance));
  const maturity = maturityOf(position, standing);
  const isMatured = maturity !== null && total.gt(0) && asOf > maturity;
  const oldest = unpaid[0]?.row.due_date ?? (isMatured ? maturity : null);
  const late = unpaid.filter(({ row }) => row.due_date < asOf);
  const pastDue = isMatured ? total : min(total, sum(late.map(remainingOf)));
  const { pauses, terms } = position;
  const leniency = { pauses, grace_days: terms.delinquency_grace_days };
  const days = total.gt(0) ? daysPastDue(oldest, asOf, leniency) : 0;
  return {
    installments: position.installments.map((installment) =>
      installmentState(installment, { asOf, tolerance, isOver, open: openDate(standing, asOf) }),
    ),
    oldest_unpaid_due_date:
      position.accelerated_on !== null && total.gt(0) ? (oldest ?? maturity) : oldest,
    ...nextBill(position, { unpaid, asOf, total, maturity }),
    past_due_amount: money(pastDue),
    days_past_due: days,
    delinquency_bucket: bucketOf(days),
    pauses: position.pauses,
    maturity_date: maturity,
  };
}

function maturityOf(position: Position, standing: readonly Installment[]): string | null {
  return position.accelerated_on ?? standing.at(-1)?.row.due_date ?? null;
}

type Bills = { unpaid: readonly Installment[]; asOf: string; total: Big; maturity: string | null };

/**
 * The next bill is the rest of the first unpaid instalment from today on, never more than the debt
 * will be by then; the last one asks for all of it. After maturity the whole debt is the bill.
 */
function nextBill(position: Position, { unpaid, asOf, total, maturity }: Bills) {
  const next = unpaid.find(({ row }) => row.due_date >= asOf);
  if (position.accelerated_on !== null || next === undefined) {
    const isDemanded =
      total.gt(0) && maturity !== null && (asOf >= maturity || unpaid.length === 0);
    return {
      next_payment_date: isDemanded ? maturity : null,
      next_payment_amount: money(isDemanded ? total : ZERO),
    };
  }
  const { due_date } = next.row;
  const debt = totalOwed(position, due_date);
  const isFinal = unpaid.length === 1 && next.row.due_date === maturity;
  const amount = isFinal ? debt : min(remainingOf(next), debt);
  return { next_payment_date: due_date, next_payment_amount: money(max(amount, ZERO)) };
}

function openDate(standing: readonly Installment[], asOf: string): string | null {
  return standing.find(({ row }) => row.due_date >= asOf)?.row.due_date ?? null;
}

function installmentState(
  installment: Installment,
  at: { asOf: string; tolerance: Big; isOver: boolean; open: string | null },
): InstallmentState {
  const { row, covered, paid_date } = installment;
  return { ...row, paid_amount: money(covered), paid_date, status: statusOf(installment, at) };
}

function statusOf(
  installment: Installment,
  at: { asOf: string; tolerance: Big; isOver: boolean; open: string | null },
): InstallmentStatus {
  if (installment.is_canceled) return 'canceled';
  if (isSatisfied(installment, at.tolerance)) return 'paid';
  if (at.isOver) return 'canceled';
  if (installment.row.due_date < at.asOf) return 'past_due';
  if (installment.covered.gt(0)) return 'partially_paid';
  const { deferred_until } = installment;
  if (deferred_until !== null && at.asOf < deferred_until) return 'deferred';
  return installment.row.due_date === at.open ? 'due' : 'upcoming';
}

function reasons(position: Position, asOf: string) {
  return {
    allocations: position.allocations,
    coverage: position.coverage.map((line) => ({ ...line, amount: money(line.amount) })),
    interest_segments: segmentsAt(position.meter, asOf),
  };
}
