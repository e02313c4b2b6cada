import type { Big } from 'big.js';
import { excessOver, min, money, sum, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { limitToDebt, reducedBy, sumParts, type AmountPart } from './amount-parts.ts';
import { type NextBill, buildBill, emptyNextBill, otherFeeParts, owedByComponent } from './bill.ts';
import { type Installment, isSatisfied, amountStillDue, remainingAmount } from './coverage.ts';
import {
  bucketForDays,
  daysPastDue,
  delinquentSince,
  pastDueDays,
  sumDays,
  type DaysPart,
  type DelinquencyDays,
} from './delinquency.ts';
import { repaymentParts, totalOwed, type Position } from './position.ts';
import { positionOn } from './run.ts';

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
  /** The unpaid amount. For the last installment: the whole debt on its due date. */
  open_amount: string;
  status: InstallmentStatus;
};

/** The bill, the schedule and the delinquency of a day, as the loan's state contains them. */
export function summarizeBills(position: Position, asOf: string) {
  const { bills, pastDue, days, next, ...shown } = billsOn(position, asOf);
  const at = { asOf, tolerance: bills.tolerance, isOver: bills.isOver, open: bills.open };
  return {
    bill: buildBill(position, asOf, next, { rows: bills.late, amount: pastDue }),
    installments: position.installments.map((installment) => ({
      ...installment.row,
      paid_amount: money(installment.covered),
      paid_date: installment.paid_date,
      open_amount: money(openAmount(installment, { ...bills, next })),
      status: statusOf(installment, at),
    })),
    oldest_unpaid_due_date: shown.oldest_unpaid_due_date,
    next_payment_date: shown.next_payment_date,
    next_payment_amount: money(shown.next_payment_amount),
    past_due_amount: money(pastDue),
    days_past_due: days,
    delinquency_bucket: bucketForDays(days),
    pauses: [...position.pauses],
    maturity_date: bills.maturity,
  };
}

/** The dates and amounts of the bills of a day, without the installments. */
export function billsOn(position: Position, asOf: string) {
  const bills = billingState(position, asOf);
  const { owed, maturity, isMatured } = bills;
  const oldest = oldestUnpaid(bills);
  const pastDue = lateAmount(bills);
  const days = sumDays(pastDueDaysOn(position, bills));
  const next = nextBill(position, { ...bills, pastDue });
  return {
    bills,
    pastDue,
    days,
    next,
    oldest_unpaid_due_date:
      position.accelerated_on !== null && owed.gt(0) ? (oldest ?? maturity) : oldest,
    // After maturity the whole debt is both past due and the next payment.
    next_payment_date: isMatured ? maturity : next.date,
    next_payment_amount: isMatured ? owed : next.amount,
  };
}

/**
 * The part of the past-due amount that is at least 30 days past due, which credit bureaus receive, and the
 * number of its installments. Once the maturity date is 30 days past due, the amount is the whole debt.
 */
export function pastDue30(
  position: Position,
  { asOf, owed, late, isMatured, maturity }: BillingState,
): { amount: Big; installments: number } {
  const isOld = (due: string) => daysPastDue(due, asOf, delinquencyAllowances(position)) >= 30;
  const rows = late.filter(({ row }) => isOld(row.due_date));
  const isWhole = isMatured && maturity !== null && isOld(maturity);
  return {
    amount: isWhole ? owed : min(owed, sum(rows.map(remainingAmount))),
    installments: isWhole ? late.length + 1 : rows.length,
  };
}

/**
 * The due date with which the delinquency of a day began, by the whole recorded history. Null if the loan
 * is current. With `leastDays` 30, it is the date that credit bureaus receive: they regard an account that is
 * less than 30 days past due as current, so a delinquency begins and ends there.
 */
export function firstDelinquencyDate(
  position: Position,
  asOf: string,
  leastDays: DelinquencyDays,
  bills = billingState(position, asOf),
): string | null {
  const since = delinquentBySchedule(position, bills, leastDays);
  const replanned = position.replanned_late[leastDays];
  return since !== null && since === replanned?.due_date ? replanned.since : since;
}

/** Keeps the start of a delinquency that a schedule change does not cure. */
export function preserveDelinquency(position: Position, day: string, replan: () => void): void {
  const before = {
    1: firstDelinquencyDate(position, day, 1),
    30: firstDelinquencyDate(position, day, 30),
  };
  replan();
  const bills = billingState(position, day);
  const kept = (leastDays: DelinquencyDays) => {
    const since = before[leastDays];
    const due_date = delinquentBySchedule(position, bills, leastDays);
    return since !== null && due_date !== null && since < due_date ? { since, due_date } : null;
  };
  position.replanned_late = { 1: kept(1), 30: kept(30) };
}

function delinquentBySchedule(
  position: Position,
  bills: BillingState,
  leastDays: DelinquencyDays,
): string | null {
  if (bills.owed.lte(0)) return null;
  const dues = position.installments.map(({ row: { due_date }, paid_date }) => ({
    due_date,
    paid_date,
  }));
  const leniency = delinquencyAllowances(position);
  return delinquentSince(oldestUnpaid(bills), bills.asOf, { dues, leniency, leastDays });
}

const oldestUnpaid = ({ unpaid, isMatured, maturity }: BillingState): string | null =>
  unpaid[0]?.row.due_date ?? (isMatured ? maturity : null);

const delinquencyAllowances = ({ pauses, terms }: Position) => ({
  pauses,
  grace_days: terms.delinquency_grace_days,
});

/** The parts that `billsOn` and `buildBill` add up. They explain the bill of a day. */
export type BillParts = {
  past_due: readonly AmountPart[];
  next: { due_date: string | null; parts: readonly AmountPart[] };
  fees: readonly AmountPart[];
  days: readonly DaysPart[];
  /** Set if the whole debt is past due, because the final due date has passed. */
  matured_on: string | null;
};

/** `asAgreed` is the next bill with the changes that are agreed until its due date. */
export function billParts(
  position: Position,
  asOf: string,
  asAgreed: NextBill | null = null,
): BillParts {
  const { bills, ...billed } = billsOn(position, asOf);
  const next = asAgreed ?? billed.next;
  return {
    past_due: lateParts(bills),
    next: { due_date: next.date, parts: next.parts },
    fees: next.fees,
    days: pastDueDaysOn(position, bills),
    matured_on: bills.isMatured ? bills.maturity : null,
  };
}

/** The days past due of a day. Faster than `billsOn`. */
export function daysPastDueOn(position: Position, asOf: string): number {
  const isAnyLate = position.installments.some(
    (installment) =>
      !installment.is_canceled &&
      installment.row.due_date < asOf &&
      !isSatisfied(installment, position.tolerance),
  );
  const isOver = (position.installments.at(-1)?.row.due_date ?? '') < asOf;
  if (!isAnyLate && !isOver) return 0;
  return sumDays(pastDueDaysOn(position, billingState(position, asOf)));
}

const pastDueDaysOn = (position: Position, bills: BillingState): readonly DaysPart[] =>
  bills.owed.gt(0)
    ? pastDueDays(oldestUnpaid(bills), bills.asOf, delinquencyAllowances(position))
    : [];

/** The past-due amount of a day. After maturity: the whole debt. */
export const pastDueAmountOn = (position: Position, asOf: string): Big =>
  lateAmount(billingState(position, asOf));

const lateAmount = (bills: BillingState): Big => sumParts(lateParts(bills));

function lateParts({ isMatured, debt, owed, late }: BillingState): readonly AmountPart[] {
  return isMatured ? debt : limitToDebt(late.map(installmentPart), owed);
}

const installmentPart = (installment: Installment): AmountPart => ({
  rule: 'installment',
  amount: remainingAmount(installment),
  installment,
});

type BillingState = {
  asOf: string;
  /** The amount that repays the loan. Prepaid unearned interest counts towards it. */
  owed: Big;
  /** The parts of `owed`. */
  debt: readonly AmountPart[];
  isOver: boolean;
  tolerance: Big;
  maturity: string | null;
  /** The maturity date has passed and the loan still owes money. */
  isMatured: boolean;
  unpaid: readonly Installment[];
  late: readonly Installment[];
  /** The installment due on the maturity date. */
  last: Installment | undefined;
  /** The due date of the period that contains the day. */
  open: string | null;
};

function billingState(position: Position, asOf: string): BillingState {
  const isOwing = totalOwed(position, asOf).gt(0);
  const isOver = position.funded_on !== null && !isOwing;
  const { tolerance } = position;
  const rows = position.installments.filter((installment) => !installment.is_canceled);
  const maturity = position.accelerated_on ?? lastDueDate(position, rows);
  const last = rows.findLast(({ row }) => row.due_date === maturity);
  // The last installment asks for the remaining debt, even if all installments are covered.
  const asksForAll = (row: Installment) => row === last && position.accelerated_on === null;
  const unpaid = rows.filter((row) => !isOver && (asksForAll(row) || !isSatisfied(row, tolerance)));
  const debt = repaymentParts(position, asOf);
  return {
    asOf,
    owed: sumParts(debt),
    debt,
    isOver,
    tolerance,
    maturity,
    isMatured: maturity !== null && isOwing && asOf > maturity,
    unpaid,
    late: unpaid.filter(({ row }) => row.due_date < asOf),
    last,
    open: rows.find(({ row }) => row.due_date >= asOf)?.row.due_date ?? null,
  };
}

/** A credit line billed by cycle stays open and has no last installment. */
const lastDueDate = ({ terms }: Position, rows: readonly Installment[]): string | null =>
  isBilledByCycle(terms) ? null : (rows.at(-1)?.row.due_date ?? null);

/**
 * The next bill is the unpaid part of the first open installment from today on, capped at the debt on its
 * due date less the past-due amount. The last installment asks for all of that debt, even if every
 * installment is paid.
 */
function nextBill(
  position: Position,
  { unpaid, asOf, isOver, maturity, pastDue, isMatured, last }: BillingState & { pastDue: Big },
): NextBill {
  if (isOver || isMatured) return emptyNextBill(position, asOf);
  const next = unpaid.find(({ row }) => row.due_date >= asOf) ?? last;
  const date = next?.row.due_date ?? maturity;
  if (date === null) return emptyNextBill(position, asOf);
  const then = positionOn({ position, day: asOf }, date);
  const debt = repaymentParts(then, date);
  const owed = sumParts(debt);
  const rest = excessOver(owed, pastDue);
  const parts =
    next === undefined || date === maturity
      ? [...debt, ...reducedBy('past_due', min(pastDue, owed))]
      : limitToDebt([installmentPart(next)], rest);
  const amount = sumParts(parts);
  return {
    date,
    rows: next === undefined ? [] : [next],
    parts,
    amount,
    rest,
    owed: owedByComponent(then, date),
    fees: limitToDebt(otherFeeParts(then), rest.minus(amount)),
  };
}

/** The last installment asks for the remaining debt as soon as it is the next one. */
function openAmount(
  installment: Installment,
  { isOver, isMatured, owed, late, last, next, tolerance }: BillingState & { next: NextBill },
): Big {
  if (isOver) return ZERO;
  if (installment === last) {
    const before = sum(late.filter((row) => row !== installment).map(remainingAmount));
    if (isMatured) return excessOver(owed, before);
    if (next.rows.includes(installment)) return next.amount;
  }
  return amountStillDue(installment, tolerance);
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
