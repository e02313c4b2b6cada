import type { Big } from 'big.js';
import { addDays, compareDates } from '../../dates.ts';
import {
  excessOver,
  isAboveZero,
  isEqual,
  isLess,
  isZero,
  min,
  minus,
  money,
  parseMoney,
  plus,
  sum,
  ZERO,
} from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Period } from '../arithmetic/thirty-day-months.ts';

/** An installment of the schedule and the payments that cover it. */
export type Installment = {
  row: ScheduleRow;
  /** The row as agreed, if a legal cap of the rate reduces it. */
  agreed: ScheduleRow | null;
  /** The first day of its period. Computed on first use. */
  begins: string | null;
  amount: Big;
  /** The agreed sum of principal and interest. Computed on first use. */
  principal_and_interest: Big | null;
  covered: Big;
  /** Nothing is left to cover. Old loans skip most installments by this flag. */
  isCovered: boolean;
  /**
   * Payments by component, and whether both are complete. Only the scheduled interest methods use these.
   */
  interest_paid: Big;
  principal_paid: Big;
  isPaidByComponent: boolean;
  /**
   * The scheduled interest until the period begins, then the interest actually owed. The rest of the
   * installment is principal.
   */
  interest: Big;
  /** The balance on which the period earns interest, once it has begun (scheduled method only). */
  earning: Big | null;
  paid_date: string | null;
  is_canceled: boolean;
  /** The borrower skips the installment until this day. The due date is later. */
  deferred_until: string | null;
};

/** The part of an installment that a payment covers. */
export type Coverage = { event_id: string; installment_number: number; amount: string };

export function newInstallment(row: ScheduleRow): Installment {
  const amount = parseMoney(row.payment_amount);
  return {
    row,
    agreed: null,
    begins: null,
    amount,
    principal_and_interest: null,
    covered: ZERO,
    isCovered: isZero(amount),
    interest_paid: ZERO,
    principal_paid: ZERO,
    isPaidByComponent: isZero(amount),
    interest: parseMoney(row.interest_amount),
    earning: null,
    paid_date: null,
    is_canceled: false,
    deferred_until: null,
  };
}

/** A row of a schedule, and the agreed row if a legal cap of the rate reduces it. */
export type PlannedRow = Pick<Installment, 'row' | 'agreed'>;

/**
 * Changes the interest that an installment asks for. If its period has begun, the interest that it earns changes
 * with the pace of accrual instead.
 */
export function setRow(
  installment: Installment,
  { row, agreed }: PlannedRow,
  { hasBegun }: { hasBegun: boolean },
): void {
  installment.row = row;
  installment.agreed = agreed;
  installment.amount = parseMoney(row.payment_amount);
  installment.principal_and_interest = null;
  if (!hasBegun) installment.interest = parseMoney(row.interest_amount);
}

export function installmentPeriod(installment: Installment): Period {
  const { due_date, days_in_period } = installment.row;
  installment.begins ??= addDays(due_date, -days_in_period);
  return { from: installment.begins, to: due_date };
}

/**
 * The agreed sum of principal and interest. The split depends on the interest owed when the period begins.
 */
export function principalAndInterest(installment: Installment): Big {
  const { principal_amount, interest_amount } = installment.row;
  installment.principal_and_interest ??= parseMoney(principal_amount).plus(interest_amount);
  return installment.principal_and_interest;
}

export const remainingInterest = ({ interest, interest_paid }: Installment): Big =>
  excessOver(interest, interest_paid);

export const remainingPrincipal = (installment: Installment): Big =>
  excessOver(
    minus(principalAndInterest(installment), installment.interest),
    installment.principal_paid,
  );

const isRepaid = (installment: Installment): boolean =>
  isZero(remainingInterest(installment)) && isZero(remainingPrincipal(installment));

export function addComponentPayment(
  installment: Installment,
  component: 'interest' | 'principal',
  amount: Big,
): void {
  const paid = component === 'interest' ? 'interest_paid' : 'principal_paid';
  installment[paid] = plus(installment[paid], amount);
  installment.isPaidByComponent = isRepaid(installment);
}

export function remainingAmount(installment: Installment): Big {
  const isNothing = installment.isCovered || installment.is_canceled;
  if (isNothing) return ZERO;
  return minus(installment.amount, installment.covered);
}

/** Marks an installment as paid to the previous servicer. */
export function markPaidBeforeBoarding(installment: Installment): void {
  installment.covered = installment.amount;
  installment.isCovered = true;
  installment.interest_paid = installment.interest_paid.plus(remainingInterest(installment));
  installment.principal_paid = installment.principal_paid.plus(remainingPrincipal(installment));
  installment.isPaidByComponent = true;
  installment.paid_date = installment.row.due_date;
}

/**
 * A partly paid installment counts as paid if the rest is within the tolerance. An unpaid installment stays
 * open however small it is, because the borrower's schedule shows it.
 */
export const isSatisfied = (installment: Installment, tolerance: Big): boolean =>
  isZero(amountStillDue(installment, tolerance));

/** The open amount. Zero if a payment left only an amount within the tolerance. */
export function amountStillDue(installment: Installment, tolerance: Big): Big {
  const rest = remainingAmount(installment);
  const isTooLittle = isAboveZero(installment.covered) && !isLess(tolerance, rest);
  return isTooLittle ? ZERO : rest;
}

/**
 * The installments that a payment of a day may cover: all past-due ones and the one whose period contains
 * the day. A payment some days early therefore satisfies the bill.
 */
export function payableInstallments(
  installments: readonly Installment[],
  date: string,
): Installment[] {
  const due: Installment[] = [];
  for (const installment of installments) {
    if (installment.is_canceled) continue;
    due.push(installment);
    if (installment.row.due_date >= date) break;
  }
  return due;
}

export function payableAmount(installments: readonly Installment[], date: string): Big {
  const open = payableInstallments(installments, date).filter(
    (installment) => !installment.isCovered,
  );
  return sum(open.map(remainingAmount));
}

/** Covers installments oldest first. Any excess covers nothing. */
export function coverInstallments(
  installments: readonly Installment[],
  payment: {
    event_id: string;
    date: string;
    amount: Big;
    covers_future_installments: boolean;
    tolerance: Big;
  },
): Coverage[] {
  const coverable = payment.covers_future_installments
    ? installments
    : payableInstallments(installments, payment.date);
  const coverage: Coverage[] = [];
  let left = payment.amount;
  for (const installment of coverable) {
    if (installment.isCovered) continue;
    if (!isAboveZero(left)) break;
    const amount = min(left, amountStillDue(installment, payment.tolerance));
    if (!isAboveZero(amount)) continue;
    left = minus(left, amount);
    installment.covered = plus(installment.covered, amount);
    installment.isCovered = isEqual(installment.covered, installment.amount);
    if (installment.isCovered || isSatisfied(installment, payment.tolerance))
      installment.paid_date = payment.date;
    const { event_id } = payment;
    coverage.push({
      event_id,
      installment_number: installment.row.period_number,
      amount: money(amount),
    });
  }
  return coverage;
}

/**
 * Replaces installments from the new schedule's lowest number on; earlier numbers stay. The lowest number
 * need not be due first, because another installment may have been moved before it. A new installment keeps
 * the coverage of the old one with its number. Excess coverage moves to the following installments.
 */
export function replaceInstallments(
  installments: readonly Installment[],
  schedule: readonly PlannedRow[],
): Installment[] {
  const first = Math.min(...schedule.map(({ row }) => row.period_number));
  const kept = installments.filter((installment) => installment.row.period_number < first);
  const before = new Map(installments.map((old) => [old.row.period_number, old]));
  let excess = ZERO;
  const newInstallments = schedule.map(({ row, agreed }) => {
    const old = before.get(row.period_number);
    const installment = carryCoverage(row, old, excess);
    installment.agreed = agreed;
    excess = excess.plus(old?.covered ?? ZERO).minus(installment.covered);
    return installment;
  });
  return [...kept, ...newInstallments].toSorted(
    (one, other) =>
      compareDates(one.row.due_date, other.row.due_date) ||
      one.row.period_number - other.row.period_number,
  );
}

function carryCoverage(row: ScheduleRow, old: Installment | undefined, excess: Big): Installment {
  const installment = newInstallment(row);
  installment.covered = min(excess.plus(old?.covered ?? ZERO), installment.amount);
  installment.isCovered = installment.covered.eq(installment.amount);
  if (old === undefined) return installment;
  installment.interest_paid = old.interest_paid;
  installment.principal_paid = old.principal_paid;
  installment.isPaidByComponent = isRepaid(installment);
  installment.paid_date = installment.isCovered ? old.paid_date : null;
  return installment;
}

/** Marks the first `periods` installments of a deferred schedule as skipped. */
export function markDeferred(
  installments: readonly Installment[],
  { from_number, periods, until }: { from_number: number; periods: number; until: string },
): void {
  for (const installment of installments) {
    const { period_number } = installment.row;
    const isSkipped = period_number >= from_number && period_number < from_number + periods;
    if (isSkipped) installment.deferred_until = until;
  }
}
