import type { Big } from 'big.js';
import { addDays, earliest, latest } from '../../../dates.ts';
import { excessOver, min, money, parseMoney, sum, ZERO } from '../../../money.ts';
import { isBilledByCycle } from '../../arithmetic/terms.ts';
import { pastDueAmountOn } from '../bills.ts';
import { amountStillDue, type Installment } from '../coverage.ts';
import type { LoanEvent } from '../events.ts';
import { applyNextEvent, replay, type FoldInput } from '../fold.ts';
import { currentCycle, minimumPaymentAgreement } from '../interest/cycles.ts';
import { repaymentOwed, totalOwed, type Position } from '../position.ts';
import { advanceTo, type ReplayRun } from '../run.ts';
import { firstDayOf, startFuture, takeStep, type AgreedStep, type Future } from './agreed-steps.ts';

/** A loan's history on a day, and the steps agreed for later days. */
export type ProjectionInput = FoldInput & { agreed?: readonly AgreedStep[] };

export type ProjectedPayment = { installment_number: number; due_date: string; amount: string };

/** A projection in progress: the history so far, and the remaining agreed steps. Each step changes it. */
export type Course = {
  future: Future;
  run: ReplayRun;
  /** The last day with a recorded or agreed event. */
  eventful: string;
  /** The first due date, or null. */
  first_due: string | null;
};

export function startCourse({ agreed = [], ...input }: ProjectionInput): Course {
  const { as_of, ...history } = input;
  const run = replay(input);
  const first_due = firstDue(remainingInstallments(run.position, as_of));
  return { future: startFuture(history, agreed), run, eventful: as_of, first_due };
}

const firstDue = (installments: readonly Installment[]): string | null =>
  installments
    .map(({ row }) => row.due_date)
    .reduce<string | null>((one, date) => (one === null ? date : earliest(one, date)), null);

/** The last day whose payments are made before the step. */
export const lastDayBefore = (step: AgreedStep): string => addDays(firstDayOf(step), -1);

/**
 * Adds a projected event. A payment comes before a schedule that is agreed on the same day and can change
 * it, so on such a day the history is replayed.
 */
function addEvent(course: Course, event: LoanEvent): void {
  const { future } = course;
  const { history } = future;
  course.future = { ...future, history: { ...history, events: [...history.events, event] } };
  const { effective_date: as_of } = event;
  if (as_of > course.eventful) applyNextEvent(course.run, event);
  else course.run = replay({ ...course.future.history, as_of });
}

/** Takes an agreed step. Its events can precede payments of the same day, so the history is replayed. */
export function takeNext(course: Course, step: AgreedStep): void {
  course.future = takeStep(course.future, step);
  course.eventful = step.date;
  course.run = replay({ ...course.future.history, as_of: step.date });
}

/**
 * Pays the amount billed on a day, less the payments that are scheduled for that day. Returns the billed
 * amount, and what the borrower paid in addition to the scheduled payments.
 */
export function payDue(course: Course, date: string) {
  const { position } = advanceTo(course.run, date);
  const billed = billedPayment(position, date);
  if (billed === null) return { billed, paid: null };
  // The last installment asks for the whole debt, so the past-due amount is a part of it.
  const pastDue = isLastDue(position, date) ? ZERO : pastDueAmountOn(position, date);
  const rest = parseMoney(billed.amount).minus(scheduledForBill(course, date, pastDue));
  if (rest.lte(0)) return { billed, paid: null };
  const paid = { ...billed, amount: money(rest) };
  addEvent(course, projectedPaymentEvent(paid));
  return { billed, paid };
}

/** The part of a due date's installments that payments scheduled for that day pay. */
function scheduledForBill(course: Course, day: string, pastDue: Big): Big {
  const steps = course.future.steps.filter(({ date }) => date === day);
  const [late, other] = [true, false].map((wanted) =>
    scheduledIn(steps.filter((step) => paysPastDue(course, step) === wanted)),
  );
  return (other ?? ZERO).plus(excessOver(late ?? ZERO, pastDue));
}

export const scheduledOn = ({ future }: Course, day: string): Big =>
  scheduledIn(future.steps.filter(({ date }) => date === day));

const scheduledIn = (steps: readonly AgreedStep[]): Big =>
  sum(steps.map(({ pays }) => parseMoney(pays?.amount ?? '0.00')));

/**
 * True for a scheduled payment that pays a past-due amount: a payment of a payment plan, or a payment before the
 * next due date. Other scheduled payments pay the installments of their days.
 */
const paysPastDue = ({ first_due }: Course, { date, pays }: AgreedStep): boolean =>
  pays !== undefined &&
  pays.is_regular &&
  (pays.is_of_plan || first_due === null || date < first_due);

/**
 * Pays the past-due amount of a day, except for the part that scheduled payments will pay. Returns the
 * excepted part.
 */
export function payPastDueAmount(course: Course, date: string): Big {
  const amount = pastDueAmountOn(course.run.position, date);
  const scheduled = scheduledIn(course.future.steps.filter((step) => paysPastDue(course, step)));
  const later = min(amount, scheduled);
  const now = amount.minus(later);
  if (now.gt(0)) addEvent(course, pastDuePayment(now, date));
  return later;
}

type Days = { from: string; through: string };

/** Pays the installments due on these days. An agreed step can change the later ones. */
export function payInstallments(
  course: Course,
  { from, through }: Days,
  pay: (date: string) => void,
) {
  let day = from;
  for (;;) {
    const due = firstDue(remainingInstallments(course.run.position, day));
    if (due === null || due > through) return;
    pay(due);
    day = addDays(due, 1);
  }
}

/**
 * Projects a line's billing cycles. Each cycle ends with a minimum payment, which is paid on its due date.
 * Assumes no new draws and stops when the debt is zero.
 */
export function payByCycle(course: Course, { from, through }: Days, pay: (date: string) => void) {
  let day = from;
  while (day <= through && totalOwed(course.run.position, day).gt(0)) {
    const { position } = course.run;
    const due = remainingInstallments(position, day)[0]?.row.due_date ?? through;
    const cycle = currentCycle(position);
    const end = latest(cycle?.ends ?? through, day);
    const next = earliest(due, end);
    if (next > through || cycle === null) return;
    pay(next);
    const agreement = minimumPaymentAgreement(cycle, position.terms, next);
    if (next === end) addEvent(course, { id: `cycle-${next}`, ...agreement });
    day = addDays(next, 1);
  }
}

/** True if the loan owes money and is neither accelerated nor charged off. */
export const isPayable = (position: Position, date: string): boolean =>
  position.accelerated_on === null &&
  position.charged_off_on === null &&
  totalOwed(position, date).gt(0);

/** Pays the past-due amount of `date`. */
export function payPastDue(run: ReplayRun, date: string): void {
  const amount = pastDueAmountOn(run.position, date);
  if (amount.gt(0)) applyNextEvent(run, pastDuePayment(amount, date));
}

export const pastDuePayment = (amount: Big, due_date: string): LoanEvent =>
  projectedPaymentEvent({ installment_number: 0, due_date, amount: money(amount) });

export const remainingInstallments = ({ installments }: Position, date: string): Installment[] =>
  installments.filter(({ row, is_canceled }) => !is_canceled && row.due_date >= date);

/** Pays the installments due on a day. Returns null if nothing is open. */
export function payInstallment(run: ReplayRun, date: string): ProjectedPayment | null {
  advanceTo(run, date);
  const payment = billedPayment(run.position, date);
  if (payment !== null) applyNextEvent(run, projectedPaymentEvent(payment));
  return payment;
}

/**
 * The open amount of the installments due on a day. For the last installment: the amount that repays the
 * loan.
 */
function billedPayment(position: Position, date: string): ProjectedPayment | null {
  const due = payableInstallments(position).filter(({ row }) => row.due_date === date);
  const [first] = due;
  if (first === undefined) return null;
  const owed = repaymentOwed(position, date);
  const { tolerance } = position;
  const open = sum(due.map((row) => amountStillDue(row, tolerance)));
  const amount = isLastDue(position, date) ? owed : min(open, owed);
  if (amount.lte(0)) return null;
  return { installment_number: first.row.period_number, due_date: date, amount: money(amount) };
}

const payableInstallments = ({ installments }: Position): Installment[] =>
  installments.filter(({ is_canceled }) => !is_canceled);

/** True if the last installment is due on this day. A credit line billed by cycle has none. */
const isLastDue = (position: Position, date: string): boolean =>
  payableInstallments(position).at(-1)?.row.due_date === date && !isBilledByCycle(position.terms);

export function projectedPaymentEvent({
  installment_number,
  due_date,
  amount,
}: ProjectedPayment): LoanEvent {
  const id = `projected-${String(installment_number).padStart(4, '0')}`;
  return { id, kind: 'payment', effective_date: due_date, amount };
}
