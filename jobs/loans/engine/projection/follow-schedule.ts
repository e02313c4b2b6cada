import type { Big } from 'big.js';
import { addDays, latest } from '../../../dates.ts';
import { max, min, money, parseMoney, ZERO } from '../../../money.ts';
import type { InstallmentState } from '../bills.ts';
import { applyNextEvent } from '../fold.ts';
import { copyPosition, repaymentOwed } from '../position.ts';
import { advanceTo } from '../run.ts';
import { toLoanState } from '../state.ts';
import { nextStep } from './agreed-steps.ts';
import {
  lastDayBefore,
  payDue,
  payPastDueAmount,
  projectedPaymentEvent,
  scheduledOn,
  startCourse,
  takeNext,
  type Course,
  type ProjectionInput,
} from './course.ts';
import { balancesOf, toPaidRow, type Balances } from './paid-row.ts';

/** An installment from today on: its projected row, and the amount that it asks for. */
type FutureRow = { row: InstallmentState; asks: Big };

/**
 * The installments from today on if the borrower pays as billed, by due date. `paysPastDue` is true if
 * scheduled payments will pay a past-due amount.
 */
export function followSchedule(input: ProjectionInput) {
  const { as_of } = input;
  const course = startCourse(input);
  const shown = new Map<number, FutureRow>();
  const rowsOn = (day: string) => toLoanState(course.run.position, day).installments;
  // Read it before the past-due amount is paid, which can end the debt.
  const today = new Map(rowsOn(as_of).map((row) => [`${row.period_number} ${row.due_date}`, row]));
  const paysPastDue = payPastDueAmount(course, as_of).gt(0);
  let rows = rowsOn(as_of);
  /** The row as of today. Scheduled payments count as unpaid. */
  const asOfToday = (row: InstallmentState): InstallmentState => {
    const known = today.get(`${row.period_number} ${row.due_date}`);
    const { paid_amount = '0.00', paid_date = null } = known ?? {};
    const status = known?.status ?? (row.status === 'canceled' ? row.status : 'upcoming');
    return { ...row, paid_amount, paid_date, status };
  };
  let extra = NO_EXTRA;
  for (let from = as_of; ;) {
    const step = nextStep(course.future);
    const through = step === null ? null : lastDayBefore(step);
    for (let due = nextDue(rows, from, through); due; due = nextDue(rows, from, through)) {
      for (const row of rows.filter(({ due_date }) => due_date === due)) {
        const asked = askFor(course, asOfToday(row), extra);
        extra = NO_EXTRA;
        shown.delete(row.period_number);
        shown.set(row.period_number, asked);
      }
      if (due <= course.eventful) rows = rowsOn(due);
      from = addDays(due, 1);
    }
    if (step === null) break;
    const before = balancesOf(course.run.position);
    const owed = repaymentOwed(course.run.position, step.date);
    takeNext(course, step);
    if (step.pays !== undefined && !asksOn(shown, step.date)) {
      const amount = min(parseMoney(step.pays.amount), owed);
      extra = addExtra(extra, amount, before, balancesOf(course.run.position));
    }
    from = latest(from, addDays(through ?? as_of, 1));
    rows = rowsOn(step.date);
  }
  return { rows: [...shown.values()], course, paysPastDue };
}

/** The next due date on these days, or null. */
function nextDue(rows: readonly InstallmentState[], from: string, through: string | null) {
  const dues = rows
    .map(({ due_date }) => due_date)
    .filter((date) => date >= from && (through === null || date <= through));
  return dues.reduce<string | null>((one, date) => (one && one < date ? one : date), null);
}

const asksOn = (shown: ReadonlyMap<number, FutureRow>, date: string): boolean =>
  [...shown.values()].some(({ row, asks }) => row.due_date === date && asks.gt(0));

/** The amounts that scheduled payments pay between two due dates. The next row shows them. */
type Extra = { amount: Big; principal: Big; fees: Big };
const NO_EXTRA: Extra = { amount: ZERO, principal: ZERO, fees: ZERO };

const addExtra = (extra: Extra, amount: Big, before: Balances, after: Balances): Extra => ({
  amount: extra.amount.plus(amount),
  principal: extra.principal.plus(before.principal.minus(after.principal)),
  fees: extra.fees.plus(after.fees.minus(before.fees)),
});

/** Pays an installment and returns its row. */
function askFor(course: Course, row: InstallmentState, extra: Extra): FutureRow {
  const { due_date } = row;
  const scheduled = scheduledOn(course, due_date);
  advanceTo(course.run, due_date);
  const trial = { position: copyPosition(course.run.position), day: course.run.day };
  const before = balancesOf(course.run.position);
  const { billed } = payDue(course, due_date);
  const asks = parseMoney(billed?.amount ?? '0.00');
  if (billed === null || scheduled.eq(0)) {
    const shown = toPaidRow(row, billed, { before, after: balancesOf(course.run.position) });
    return { row: withExtra(shown, extra), asks };
  }
  // The day's scheduled payments pay a part of the installment. The row shows them all.
  const owed = repaymentOwed(trial.position, due_date);
  const payment = { ...billed, amount: money(max(asks, min(scheduled, owed))) };
  applyNextEvent(trial, projectedPaymentEvent(payment));
  const shown = toPaidRow(row, payment, { before, after: balancesOf(trial.position) });
  return { row: withExtra(shown, extra), asks };
}

function withExtra(row: InstallmentState, { amount, principal, fees }: Extra): InstallmentState {
  if (amount.eq(0)) return row;
  const interest = amount.minus(principal).minus(fees);
  return {
    ...row,
    open_amount: money(parseMoney(row.open_amount).plus(amount)),
    payment_amount: money(parseMoney(row.payment_amount).plus(amount)),
    principal_amount: money(parseMoney(row.principal_amount).plus(principal)),
    fees_amount: money(parseMoney(row.fees_amount).plus(fees)),
    interest_amount: money(parseMoney(row.interest_amount).plus(interest)),
    beginning_balance: money(parseMoney(row.beginning_balance).plus(principal)),
  };
}
