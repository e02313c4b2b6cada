import type { Big } from 'big.js';
import { atLeastZero, max, min, parseMoney, sum, ZERO } from '../money.ts';
import type { ScheduleRow } from './amortize.ts';

/** An instalment of the plan with what payments have covered of it. */
export type Installment = {
  row: ScheduleRow;
  amount: Big;
  covered: Big;
  /** Interest and principal of the plan that were paid; only the scheduled methods split so. */
  interest_paid: Big;
  principal_paid: Big;
  paid_date: string | null;
  is_canceled: boolean;
};

/** How much of one instalment one payment covers. */
export type Coverage = { event_id: string; installment_number: number; amount: Big };

export function installmentOf(row: ScheduleRow): Installment {
  return {
    row,
    amount: parseMoney(row.payment_amount),
    covered: ZERO,
    interest_paid: ZERO,
    principal_paid: ZERO,
    paid_date: null,
    is_canceled: false,
  };
}

export function remainingOf(installment: Installment): Big {
  return installment.is_canceled
    ? ZERO
    : atLeastZero(installment.amount.minus(installment.covered));
}

export function isSatisfied(installment: Installment, tolerance: Big): boolean {
  return installment.is_canceled || remainingOf(installment).lte(tolerance);
}

/**
 * The instalments that a payment of a day may cover: all that are past due, and the one whose
 * period is open, so that a borrower who pays some days early has paid the bill. On the day of
 * disbursement that is the first one.
 */
export function dueBy(installments: readonly Installment[], date: string): Installment[] {
  const standing = installments.filter((installment) => !installment.is_canceled);
  const open = standing.findIndex((installment) => installment.row.due_date >= date);
  return open < 0 ? standing : standing.slice(0, open + 1);
}

export function dueAmount(installments: readonly Installment[], date: string): Big {
  return sum(dueBy(installments, date).map(remainingOf));
}

/** Covers instalments oldest first; what is more than they need covers nothing. */
export function cover(
  installments: readonly Installment[],
  payment: { event_id: string; date: string; amount: Big; covers_ahead: boolean; tolerance: Big },
): Coverage[] {
  const coverable = payment.covers_ahead ? installments : dueBy(installments, payment.date);
  const coverage: Coverage[] = [];
  let left = payment.amount;
  for (const installment of coverable) {
    const amount = min(left, remainingOf(installment));
    if (amount.lte(0)) continue;
    left = left.minus(amount);
    installment.covered = installment.covered.plus(amount);
    if (isSatisfied(installment, payment.tolerance)) installment.paid_date = payment.date;
    const { event_id } = payment;
    coverage.push({ event_id, installment_number: installment.row.period_number, amount });
  }
  return coverage;
}

/**
 * A new plan takes the place of the old one from its first number on. Older instalments stay as
 * they are, and what was covered of a replaced one is kept by the one with its number.
 */
export function replaceFrom(
  installments: readonly Installment[],
  schedule: readonly ScheduleRow[],
): Installment[] {
  const first = schedule[0]?.period_number ?? 1;
  const kept = installments.filter((installment) => installment.row.period_number < first);
  const before = new Map(installments.map((old) => [old.row.period_number, old]));
  return [...kept, ...schedule.map((row) => carriedOver(row, before.get(row.period_number)))];
}

function carriedOver(row: ScheduleRow, old: Installment | undefined): Installment {
  const installment = installmentOf(row);
  if (old === undefined) return installment;
  installment.covered = min(old.covered, installment.amount);
  installment.interest_paid = min(old.interest_paid, parseMoney(row.interest_amount));
  installment.principal_paid = min(old.principal_paid, parseMoney(row.principal_amount));
  const isPaid = installment.covered.eq(installment.amount);
  installment.paid_date = isPaid ? old.paid_date : null;
  return installment;
}

/** What the plan says of an instalment that is not yet paid, by component. */
export function plannedRest(installment: Installment): { interest: Big; principal: Big } {
  const { row, interest_paid, principal_paid } = installment;
  return {
    interest: max(parseMoney(row.interest_amount).minus(interest_paid), ZERO),
    principal: max(parseMoney(row.principal_amount).minus(principal_paid), ZERO),
  };
}
