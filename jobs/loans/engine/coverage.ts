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

/** An instalment of the plan with what payments have covered of it. */
export type Installment = {
  row: ScheduleRow;
  /** The day on which its period begins, once somebody has asked for it. */
  begins: string | null;
  amount: Big;
  /** What is agreed of principal and interest together, once somebody has asked for it. */
  principal_and_interest: Big | null;
  covered: Big;
  /** Nothing is left to cover: most instalments of an old loan, passed over quickly. */
  isCovered: boolean;
  /** What the scheduled methods pay of it by component, and whether that is all. */
  interest_paid: Big;
  principal_paid: Big;
  isPaidByComponent: boolean;
  /** The interest that it finds: as planned, until its period begins. The rest is principal. */
  interest: Big;
  /** Of the scheduled method: the balance that its period earns on, once it has begun. */
  earning: Big | null;
  paid_date: string | null;
  is_canceled: boolean;
  /** Until then the borrower skips it; its due date is after that. */
  deferred_until: string | null;
};

/** How much of one instalment one payment covers. */
export type Coverage = { event_id: string; installment_number: number; amount: string };

export function newInstallment(row: ScheduleRow): Installment {
  const amount = parseMoney(row.payment_amount);
  return {
    row,
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

/** The days from which and to which it earns interest, where its plan says so. */
export function installmentPeriod(installment: Installment): Period {
  const { due_date, days_in_period } = installment.row;
  installment.begins ??= addDays(due_date, -days_in_period);
  return { from: installment.begins, to: due_date };
}

/** What is agreed of principal and interest together; how it is split follows from what it finds. */
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

/** What an instalment asks for by component has been paid by so much. */
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

/** All that an instalment asks for was paid before the loan came here. */
export function markPaidBeforeBoarding(installment: Installment): void {
  installment.covered = installment.amount;
  installment.isCovered = true;
  installment.interest_paid = installment.interest_paid.plus(remainingInterest(installment));
  installment.principal_paid = installment.principal_paid.plus(remainingPrincipal(installment));
  installment.isPaidByComponent = true;
  installment.paid_date = installment.row.due_date;
}

/**
 * What a payment left of an instalment may be too little to ask for. One that nothing was paid of is asked
 * for, however small it is, since the plan that the borrower was told has it.
 */
export const isSatisfied = (installment: Installment, tolerance: Big): boolean =>
  isZero(amountStillDue(installment, tolerance));

/** What is still asked for; too little to ask for is nothing. */
export function amountStillDue(installment: Installment, tolerance: Big): Big {
  const rest = remainingAmount(installment);
  const isTooLittle = isAboveZero(installment.covered) && !isLess(tolerance, rest);
  return isTooLittle ? ZERO : rest;
}

/**
 * The instalments that a payment of a day may cover: all that are past due, and the one whose
 * period is open, so that a borrower who pays some days early has paid the bill. On the day of
 * disbursement that is the first one.
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

/** Covers instalments oldest first; what is more than they need covers nothing. */
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
 * A new plan takes the place of the old one from its lowest number on, which need not be due first: a
 * day that was named for one instalment may have been overtaken by the others. Older instalments stay as
 * they are, and what was covered of a replaced one is kept by the one with its number; what is above
 * that one's amount, by those that follow.
 */
export function replaceInstallments(
  installments: readonly Installment[],
  schedule: readonly ScheduleRow[],
): Installment[] {
  const first = Math.min(...schedule.map(({ period_number }) => period_number));
  const kept = installments.filter((installment) => installment.row.period_number < first);
  const before = new Map(installments.map((old) => [old.row.period_number, old]));
  let excess = ZERO;
  const fresh = schedule.map((row) => {
    const old = before.get(row.period_number);
    const installment = carriedOver(row, old, excess);
    excess = excess.plus(old?.covered ?? ZERO).minus(installment.covered);
    return installment;
  });
  return [...kept, ...fresh].toSorted(
    (one, other) =>
      compareDates(one.row.due_date, other.row.due_date) ||
      one.row.period_number - other.row.period_number,
  );
}

function carriedOver(row: ScheduleRow, old: Installment | undefined, excess: Big): Installment {
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

/** The first instalments of a plan that was moved behind are those that the borrower skips. */
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
