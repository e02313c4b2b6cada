import type { Big } from 'big.js';
import { excessOver, min, money, sum, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { type NextBill, buildBill, emptyNextBill, owedByComponent } from './bill.ts';
import { type Installment, isSatisfied, amountStillDue, remainingAmount } from './coverage.ts';
import { bucketForDays, daysPastDue, delinquentSince } from './delinquency.ts';
import {
  interestOwed,
  interestPrepaid,
  repaymentOwed,
  totalOwed,
  type Position,
} from './position.ts';
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
  /** What it still asks for. The last one asks for all that is owed by then. */
  open_amount: string;
  status: InstallmentStatus;
};

/**
 * What is asked for as of a day: the bill, since when something is unpaid, and of each instalment what
 * it still asks for. A debt of nothing has no bills. Statements, draws, letters and lists say what
 * this says; SQL says it again for all loans at once (sql/loans/open-installments.ts), which a test holds equal.
 */
export function summarizeBills(position: Position, asOf: string) {
  const bills = standing(position, asOf);
  const { owed, maturity, late, isOver, isMatured } = bills;
  const oldest = oldestUnpaid(bills);
  const pastDue = lateAmount(bills);
  const days = owed.gt(0) ? daysPastDue(oldest, asOf, leniencyOf(position)) : 0;
  const next = nextBill(position, { ...bills, pastDue });
  const at = { asOf, tolerance: bills.tolerance, isOver, open: bills.open };
  return {
    bill: buildBill(position, asOf, next, { rows: late, amount: pastDue }),
    installments: position.installments.map((installment) => ({
      ...installment.row,
      paid_amount: money(installment.covered),
      paid_date: installment.paid_date,
      open_amount: money(openAmount(installment, { ...bills, next })),
      status: statusOf(installment, at),
    })),
    oldest_unpaid_due_date:
      position.accelerated_on !== null && owed.gt(0) ? (oldest ?? maturity) : oldest,
    // After maturity the whole debt is both past due and what is to be paid next.
    next_payment_date: isMatured ? maturity : next.date,
    next_payment_amount: money(isMatured ? owed : next.amount),
    past_due_amount: money(pastDue),
    days_past_due: days,
    delinquency_bucket: bucketForDays(days),
    pauses: [...position.pauses],
    maturity_date: maturity,
  };
}

/** The due date with which the delinquency of a day began, as the whole history has it now; null where there is none. */
export function firstDelinquencyDate(position: Position, asOf: string): string | null {
  const since = lateByPlanSince(position, asOf);
  const { replanned_late } = position;
  return since !== null && since === replanned_late?.due_date ? replanned_late.since : since;
}

/** Another plan does not begin a delinquency anew that it does not end. */
export function preserveDelinquency(position: Position, day: string, replan: () => void): void {
  const since = firstDelinquencyDate(position, day);
  replan();
  const due_date = lateByPlanSince(position, day);
  const goesOn = since !== null && due_date !== null && since < due_date;
  position.replanned_late = goesOn ? { since, due_date } : null;
}

function lateByPlanSince(position: Position, asOf: string): string | null {
  const bills = standing(position, asOf);
  if (bills.owed.lte(0)) return null;
  const dues = position.installments.map(({ row, paid_date }) => ({ ...row, paid_date }));
  return delinquentSince(oldestUnpaid(bills), asOf, dues, leniencyOf(position));
}

const oldestUnpaid = ({ unpaid, isMatured, maturity }: Standing): string | null =>
  unpaid[0]?.row.due_date ?? (isMatured ? maturity : null);

const leniencyOf = ({ pauses, terms }: Position) => ({
  pauses,
  grace_days: terms.delinquency_grace_days,
});

/** What is due on a day from before: after maturity, all that is owed. */
export const pastDueAmountOn = (position: Position, asOf: string): Big =>
  lateAmount(standing(position, asOf));

const lateAmount = ({ isMatured, owed, late }: Standing): Big =>
  isMatured ? owed : min(owed, sum(late.map(remainingAmount)));

type Standing = {
  asOf: string;
  /** What would repay the loan: interest that was paid ahead and is not earned counts towards it. */
  owed: Big;
  isOver: boolean;
  tolerance: Big;
  maturity: string | null;
  /** Its last day has passed, and something is owed still. */
  isMatured: boolean;
  unpaid: readonly Installment[];
  late: readonly Installment[];
  /** The instalment by whose date all must be paid. */
  last: Installment | undefined;
  /** The due date of the period that the day lies in. */
  open: string | null;
};

function standing(position: Position, asOf: string): Standing {
  const isOwing = totalOwed(position, asOf).gt(0);
  const isOver = position.funded_on !== null && !isOwing;
  const { tolerance } = position;
  const rows = position.installments.filter((installment) => !installment.is_canceled);
  const maturity = position.accelerated_on ?? lastDueDate(position, rows);
  const last = rows.findLast(({ row }) => row.due_date === maturity);
  // The last one asks for whatever is owed, even where the instalments are all covered.
  const asksForAll = (row: Installment) => row === last && position.accelerated_on === null;
  const unpaid = rows.filter((row) => !isOver && (asksForAll(row) || !isSatisfied(row, tolerance)));
  return {
    asOf,
    owed: repaymentOwed(position, asOf),
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

/** A line that is billed by cycle has no last instalment: it stays open. */
const lastDueDate = ({ terms }: Position, rows: readonly Installment[]): string | null =>
  isBilledByCycle(terms) ? null : (rows.at(-1)?.row.due_date ?? null);

/**
 * What comes next is the rest of the first unpaid instalment from today on, never more than the debt
 * will be by then, without what is past due. The last instalment asks for all of that, and does so too
 * where all instalments are paid and something is owed besides.
 */
function nextBill(
  position: Position,
  { unpaid, asOf, isOver, maturity, pastDue, isMatured, last }: Standing & { pastDue: Big },
): NextBill {
  if (isOver || isMatured) return emptyNextBill(position, asOf);
  const next = unpaid.find(({ row }) => row.due_date >= asOf) ?? last;
  const date = next?.row.due_date ?? maturity;
  if (date === null) return emptyNextBill(position, asOf);
  const by = positionOn({ position, day: asOf }, date);
  const rest = excessOver(repaymentOwed(by, date), pastDue);
  const amount = next === undefined || date === maturity ? rest : min(remainingAmount(next), rest);
  return {
    date,
    rows: next === undefined ? [] : [next],
    amount,
    rest,
    owed: owedByComponent(by, date),
  };
}

/**
 * The interest that will be owed on the due date that comes next behind a day on which the pace of
 * interest changes, if nothing happens before; negative where more was paid ahead than is earned by then,
 * null where no date comes. Until that day it is in the bill of that date, and SQL, which knows one pace,
 * takes it from the loan's row.
 */
export function interestOutlook(position: Position, asOf: string, turn: string): string | null {
  const { unpaid, last } = standing(position, asOf);
  const due = (unpaid.find(({ row }) => row.due_date > turn) ?? last)?.row.due_date;
  if (due === undefined || due <= turn) return null;
  const by = positionOn({ position, day: asOf }, due);
  return money(interestOwed(by, due).minus(interestPrepaid(by, due)));
}

/** The last instalment asks for what is owed once it is the next one, and after. */
function openAmount(
  installment: Installment,
  { isOver, isMatured, owed, late, last, next, tolerance }: Standing & { next: NextBill },
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
