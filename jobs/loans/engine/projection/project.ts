import { addDays, earliest, latest } from '../../../dates.ts';
import { atLeastZero, min, money, parseMoney, sum } from '../../../money.ts';
import { isBilledByCycle } from '../../arithmetic/terms.ts';
import { amountStillDue, type Installment } from '../coverage.ts';
import { currentCycle, minimumPaymentAgreement } from '../interest/cycles.ts';
import type { LoanEvent } from '../events.ts';
import { applyNextEvent, replay, type FoldInput } from '../fold.ts';
import { repaymentOwed, totalOwed, type Position } from '../position.ts';
import { rowsAsPaid } from './rows-as-paid.ts';
import { advanceTo, type ReplayRun } from '../run.ts';
import { pastDueAmountOn, type InstallmentState } from '../bills.ts';
import { toLoanState, type LoanState } from '../state.ts';

export type ProjectedPayment = { installment_number: number; due_date: string; amount: string };

/**
 * The state at the end of `as_of` if the borrower makes every scheduled payment from today through `as_of`
 * on its due date. The last payment covers the rest. No other payment or fee is assumed, so a past-due
 * amount stays open until these payments cover it.
 */
export function projectState(
  input: Omit<FoldInput, 'as_of'>,
  { today, as_of }: { today: string; as_of: string },
): { state: LoanState; payments: ProjectedPayment[] } {
  const now = replay({ ...input, as_of: today });
  const due = billedPayment(now.position, today);
  const events = due ? [...input.events, projectedPaymentEvent(due)] : input.events;
  const run = due ? replay({ ...input, events, as_of: today }) : now;
  const payments = due ? [due] : [];
  if (isBilledByCycle(input.terms)) {
    if (as_of > today) payments.push(...payByCycle(run, today, as_of));
    return { state: toLoanState(advanceTo(run, as_of).position, as_of), payments };
  }
  for (const { row } of remainingInstallments(run.position, addDays(today, 1))) {
    if (row.due_date > as_of) break;
    const payment = payInstallment(run, row.due_date);
    if (payment !== null) payments.push(payment);
  }
  advanceTo(run, as_of);
  return { state: toLoanState(run.position, as_of), payments };
}

/**
 * Projects a line's billing cycles. Each cycle ends with a minimum payment, which is paid on its due date.
 * Assumes no new draws and stops when the debt is zero.
 */
function payByCycle(run: ReplayRun, from: string, to: string): ProjectedPayment[] {
  const payments: ProjectedPayment[] = [];
  let day = from;
  while (day <= to && totalOwed(run.position, day).gt(0)) {
    const due = remainingInstallments(run.position, day)[0]?.row.due_date ?? to;
    const cycle = currentCycle(run.position);
    const end = latest(cycle?.ends ?? to, day);
    const next = earliest(due, end);
    if (next > to || cycle === null) break;
    const payment = payInstallment(run, next);
    if (payment !== null) payments.push(payment);
    if (next === end)
      applyNextEvent(run, {
        id: `cycle-${next}`,
        ...minimumPaymentAgreement(cycle, run.position.terms, next),
      });
    day = addDays(next, 1);
  }
  return payments;
}

/**
 * A loan's schedule: paid rows as they were paid, open rows as they will be paid. It assumes that the
 * borrower pays the past-due amount today and each installment on its due date. The last row asks for the
 * remaining debt. Rows beyond a zero balance ask for nothing.
 */
export function projectSchedule(input: FoldInput): InstallmentState[] {
  const now = replay(input);
  const state = toLoanState(now.position, input.as_of);
  const is_payable = isPayable(now.position, input.as_of);
  const rows = is_payable ? openFutureRows(input, state) : state.installments;
  return rowsAsPaid(rows, { ...state, events: now.events, is_payable });
}

/** The rows, with projected amounts for the open ones. */
function openFutureRows(
  input: FoldInput,
  { installments, past_due_amount }: LoanState,
): InstallmentState[] {
  const { as_of } = input;
  const late = { installment_number: 0, due_date: as_of, amount: past_due_amount };
  const current = past_due_amount === '0.00' ? input : withProjectedPayment(input, late);
  let run: ReplayRun = replay(current);
  // Today's payments come before a schedule agreed today and can change it, so the history is replayed.
  const projectRow = (row: InstallmentState) => {
    const { due_date } = row;
    const payment = billedPayment(advanceTo(run, due_date).position, due_date);
    const before = balancesOf(run.position);
    if (payment !== null)
      run =
        due_date > as_of
          ? applyNextEvent(run, projectedPaymentEvent(payment))
          : replay(withProjectedPayment(current, payment));
    return toPaidRow(row, payment, { before, after: balancesOf(run.position) });
  };
  const rowsWhere = (isWanted: (due_date: string) => boolean) =>
    toLoanState(run.position, as_of).installments.filter(({ due_date }) => isWanted(due_date));
  return [
    ...splitPastDueRows(input, installments, past_due_amount),
    ...rowsWhere((due_date) => due_date === as_of).map(projectRow),
    ...rowsWhere((due_date) => due_date > as_of).map(projectRow),
  ];
}

/** The rows due before today. Their past-due amounts are split as a payment of today would be. */
function splitPastDueRows(
  input: FoldInput,
  installments: readonly InstallmentState[],
  pastDue: string,
): InstallmentState[] {
  const rows = installments.filter(({ due_date }) => due_date < input.as_of);
  const open = rows.filter(({ open_amount }) => parseMoney(open_amount).gt(0));
  if (open.length === 0) return rows;
  const run = replay(input);
  let left = parseMoney(pastDue);
  return rows.map((row) => {
    if (row.status === 'paid' || row.status === 'canceled') return row;
    const amount = row === open.at(-1) ? left : min(parseMoney(row.open_amount), left);
    const before = balancesOf(run.position);
    // The debt is smaller than the installments, so this row has nothing left to pay.
    if (amount.lte(0)) return toPaidRow(row, null, { before, after: before });
    left = left.minus(amount);
    const { period_number: installment_number } = row;
    const payment = { installment_number, due_date: input.as_of, amount: money(amount) };
    applyNextEvent(run, projectedPaymentEvent(payment));
    return toPaidRow(row, payment, { before, after: balancesOf(run.position) });
  });
}

/** True if the loan owes money and is neither accelerated nor charged off. */
export const isPayable = (position: Position, date: string): boolean =>
  position.accelerated_on === null &&
  position.charged_off_on === null &&
  totalOwed(position, date).gt(0);

const withProjectedPayment = (input: FoldInput, payment: ProjectedPayment): FoldInput => ({
  ...input,
  events: [...input.events, projectedPaymentEvent(payment)],
});

/** Pays the past-due amount of `date`. */
export function payPastDue(run: ReplayRun, date: string): void {
  const amount = pastDueAmountOn(run.position, date);
  if (amount.eq(0)) return;
  applyNextEvent(
    run,
    projectedPaymentEvent({ installment_number: 0, due_date: date, amount: money(amount) }),
  );
}

export const remainingInstallments = ({ installments }: Position, date: string): Installment[] =>
  installments.filter(({ row, is_canceled }) => !is_canceled && row.due_date >= date);

const balancesOf = ({ principal, paid }: Position) => ({ principal, fees: paid.fees });
type Balances = ReturnType<typeof balancesOf>;

/**
 * A row with the parts of its projected payment. Earlier payments count as interest here. Returned unearned
 * interest repays debt before the payment does, so the row begins at the balance after that.
 */
function toPaidRow(
  row: InstallmentState,
  payment: ProjectedPayment | null,
  { before, after }: { before: Balances; after: Balances },
): InstallmentState {
  if (payment === null && row.status === 'paid') return row;
  const open = parseMoney(payment?.amount ?? '0.00');
  const amount = open.plus(row.paid_amount);
  const repaid = before.principal.minus(after.principal);
  const paidFees = after.fees.minus(before.fees);
  const returnedInterest = atLeastZero(repaid.plus(paidFees).minus(amount));
  const returnedPrincipal = min(returnedInterest, repaid);
  const principal = repaid.minus(returnedPrincipal);
  const fees = paidFees.minus(returnedInterest.minus(returnedPrincipal));
  return {
    ...row,
    status: row.status === 'paid' ? 'partially_paid' : row.status,
    open_amount: money(open),
    payment_amount: money(amount),
    principal_amount: money(principal),
    fees_amount: money(fees),
    interest_amount: money(amount.minus(principal).minus(fees)),
    beginning_balance: money(before.principal.minus(returnedPrincipal)),
    ending_balance: money(after.principal),
  };
}

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
  const uncanceled = position.installments.filter(({ is_canceled }) => !is_canceled);
  const due = uncanceled.filter(({ row }) => row.due_date === date);
  const [first] = due;
  if (first === undefined) return null;
  const owed = repaymentOwed(position, date);
  const { tolerance } = position;
  const isLast = due.at(-1) === uncanceled.at(-1) && !isBilledByCycle(position.terms);
  const amount = isLast ? owed : min(sum(due.map((row) => amountStillDue(row, tolerance))), owed);
  if (amount.lte(0)) return null;
  return { installment_number: first.row.period_number, due_date: date, amount: money(amount) };
}

export function projectedPaymentEvent({
  installment_number,
  due_date,
  amount,
}: ProjectedPayment): LoanEvent {
  const id = `projected-${String(installment_number).padStart(4, '0')}`;
  return { id, kind: 'payment', effective_date: due_date, amount };
}
