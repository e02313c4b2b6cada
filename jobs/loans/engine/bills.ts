import type { Big } from 'big.js';
import { atLeastZero, min, money, parseMoney, sum, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { isSatisfied, remainingOf, type Installment } from './coverage.ts';
import { bucketOf, daysPastDue } from './delinquency.ts';
import { totalOwed, type Position } from './position.ts';

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
 * What is asked for as of a day: what is unpaid since when, what comes next, and of each instalment what
 * it still asks for. A debt of nothing has no bills. Statements, draws, letters and lists say what
 * this says; SQL says it again for all loans at once (sql/loans/open-plan.ts), which a test holds equal.
 */
export function billsOf(position: Position, asOf: string) {
  const bills = standing(position, asOf);
  const { total, maturity, unpaid, late, isOver } = bills;
  const isMatured = maturity !== null && total.gt(0) && asOf > maturity;
  const oldest = unpaid[0]?.row.due_date ?? (isMatured ? maturity : null);
  const pastDue = isMatured ? total : min(total, sum(late.map(remainingOf)));
  const { pauses, terms } = position;
  const leniency = { pauses, grace_days: terms.delinquency_grace_days };
  const days = total.gt(0) ? daysPastDue(oldest, asOf, leniency) : 0;
  const next = nextBill(position, { ...bills, pastDue });
  const at = { asOf, tolerance: bills.tolerance, isOver, open: bills.open };
  return {
    installments: position.installments.map((installment) => ({
      ...installment.row,
      paid_amount: money(installment.covered),
      paid_date: installment.paid_date,
      open_amount: money(openAmount(installment, { ...bills, next, isMatured })),
      status: statusOf(installment, at),
    })),
    oldest_unpaid_due_date:
      position.accelerated_on !== null && total.gt(0) ? (oldest ?? maturity) : oldest,
    next_payment_date: next.date,
    next_payment_amount: money(next.amount),
    past_due_amount: money(pastDue),
    days_past_due: days,
    delinquency_bucket: bucketOf(days),
    pauses,
    maturity_date: maturity,
  };
}

type Standing = {
  asOf: string;
  total: Big;
  isOver: boolean;
  tolerance: Big;
  maturity: string | null;
  unpaid: readonly Installment[];
  late: readonly Installment[];
  /** The due date of the period that the day lies in. */
  open: string | null;
};

function standing(position: Position, asOf: string): Standing {
  const total = totalOwed(position, asOf);
  const isOver = position.funded_on !== null && total.eq(0);
  const tolerance = parseMoney(position.terms.satisfied_tolerance);
  const rows = position.installments.filter((installment) => !installment.is_canceled);
  const unpaid = isOver ? [] : rows.filter((installment) => !isSatisfied(installment, tolerance));
  return {
    asOf,
    total,
    isOver,
    tolerance,
    maturity: position.accelerated_on ?? lastDueDate(position, rows),
    unpaid,
    late: unpaid.filter(({ row }) => row.due_date < asOf),
    open: rows.find(({ row }) => row.due_date >= asOf)?.row.due_date ?? null,
  };
}

/** A line that is billed by cycle has no last instalment: it stays open. */
const lastDueDate = ({ terms }: Position, rows: readonly Installment[]): string | null =>
  isBilledByCycle(terms) ? null : (rows.at(-1)?.row.due_date ?? null);

type Next = { date: string | null; amount: Big };

/**
 * The next bill is the rest of the first unpaid instalment from today on, never more than the debt
 * will be by then, without what is past due; the last one asks for all of that. After maturity the
 * whole debt is the bill.
 */
function nextBill(
  position: Position,
  { unpaid, asOf, total, maturity, pastDue }: Standing & { pastDue: Big },
): Next {
  const next = unpaid.find(({ row }) => row.due_date >= asOf);
  if (position.accelerated_on !== null || next === undefined) {
    const isDemanded =
      total.gt(0) && maturity !== null && (asOf >= maturity || unpaid.length === 0);
    return { date: isDemanded ? maturity : null, amount: isDemanded ? total : ZERO };
  }
  const { due_date } = next.row;
  const debt = atLeastZero(totalOwed(position, due_date).minus(pastDue));
  const isFinal = due_date === maturity;
  return { date: due_date, amount: isFinal ? debt : min(remainingOf(next), debt) };
}

/** The last instalment asks for what is owed once it is the next one, and after. */
function openAmount(
  installment: Installment,
  {
    isOver,
    maturity,
    total,
    late,
    next,
    isMatured,
    tolerance,
  }: Standing & { next: Next; isMatured: boolean },
): Big {
  if (isOver) return ZERO;
  const { due_date } = installment.row;
  if (!installment.is_canceled && due_date === maturity) {
    const before = sum(late.filter((row) => row !== installment).map(remainingOf));
    if (isMatured) return atLeastZero(total.minus(before));
    if (next.date === maturity) return next.amount;
  }
  return isSatisfied(installment, tolerance) ? ZERO : remainingOf(installment);
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
