import { addDays, earliest, latest } from '../../dates.ts';
import { atLeastZero, min, money, parseMoney, sum } from '../../money.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { amountStillDue, type Installment } from './coverage.ts';
import { currentCycle, minimumPaymentAgreement } from './cycles.ts';
import type { LoanEvent } from './events.ts';
import { applyNextEvent, replay, type FoldInput } from './fold.ts';
import { repaymentOwed, totalOwed, type Position } from './position.ts';
import { rowsAsPaid } from './rows-as-paid.ts';
import { advanceTo, type ReplayRun } from './run.ts';
import { pastDueAmountOn, type InstallmentState } from './bills.ts';
import { toLoanState, type LoanState } from './state.ts';

export type ProjectedPayment = { installment_number: number; due_date: string; amount: string };

/**
 * The state at the end of a day if every scheduled payment is made on its due date, from today through
 * the day itself, the last one paying all that is left. Nothing else is assumed: what is past due today stays so until
 * these payments cover it, and no fee is added.
 */
export function projectState(
  input: Omit<FoldInput, 'as_of'>,
  { today, as_of }: { today: string; as_of: string },
): { state: LoanState; payments: ProjectedPayment[] } {
  const now = replay({ ...input, as_of: today });
  const due = askedOn(now.position, today);
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
 * Lets a line's cycles go by from a day to another, each ending with its minimum payment, which is paid
 * when it is due. It ends early where nothing is owed any more, since nothing is drawn.
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
 * A loan's schedule as it was paid and will be paid from a day on, by whoever pays then what is past due, and each
 * instalment on its due date: the last row asks for all that is owed by then, each row shows the
 * interest that it will find, and rows that nothing is left for ask for nothing. Each row ends where the next begins.
 */
export function projectSchedule(input: FoldInput): InstallmentState[] {
  const now = replay(input);
  const state = toLoanState(now.position, input.as_of);
  const is_payable = isPayable(now.position, input.as_of);
  const rows = is_payable ? openRowsAhead(input, state) : state.installments;
  return rowsAsPaid(rows, { ...state, events: now.events, is_payable });
}

/** The rows with what the open ones will ask for and find. */
function openRowsAhead(
  input: FoldInput,
  { installments, past_due_amount }: LoanState,
): InstallmentState[] {
  const { as_of } = input;
  const late = { installment_number: 0, due_date: as_of, amount: past_due_amount };
  const current = past_due_amount === '0.00' ? input : having(input, late);
  let run: ReplayRun = replay(current);
  // Payments of today come before a plan that is agreed today, which may be another after them.
  const asked = (row: InstallmentState) => {
    const { due_date } = row;
    const payment = askedOn(advanceTo(run, due_date).position, due_date);
    const before = balancesOf(run.position);
    if (payment !== null)
      run =
        due_date > as_of
          ? applyNextEvent(run, projectedPaymentEvent(payment))
          : replay(having(current, payment));
    return asPaid(row, payment, { before, after: balancesOf(run.position) });
  };
  const rowsWhere = (isWanted: (due_date: string) => boolean) =>
    toLoanState(run.position, as_of).installments.filter(({ due_date }) => isWanted(due_date));
  return [
    ...latePaid(input, installments, past_due_amount),
    ...rowsWhere((due_date) => due_date === as_of).map(asked),
    ...rowsWhere((due_date) => due_date > as_of).map(asked),
  ];
}

/** The rows before a day; what is past due of them is split as a payment of that day will find it. */
function latePaid(
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
    // The debt is less than its installments: this one finds nothing left.
    if (amount.lte(0)) return asPaid(row, null, { before, after: before });
    left = left.minus(amount);
    const { period_number: installment_number } = row;
    const payment = { installment_number, due_date: input.as_of, amount: money(amount) };
    applyNextEvent(run, projectedPaymentEvent(payment));
    return asPaid(row, payment, { before, after: balancesOf(run.position) });
  });
}

/** Whether anything is asked for by instalments. */
export const isPayable = (position: Position, date: string): boolean =>
  position.accelerated_on === null &&
  position.charged_off_on === null &&
  totalOwed(position, date).gt(0);

const having = (input: FoldInput, payment: ProjectedPayment): FoldInput => ({
  ...input,
  events: [...input.events, projectedPaymentEvent(payment)],
});

/** What was due before a day is paid on it. */
export function payPastDue(run: ReplayRun, date: string): void {
  const amount = pastDueAmountOn(run.position, date);
  if (amount.eq(0)) return;
  applyNextEvent(
    run,
    projectedPaymentEvent({ installment_number: 0, due_date: date, amount: money(amount) }),
  );
}

/** The instalments that fall due from a day on. */
export const remainingInstallments = ({ installments }: Position, date: string): Installment[] =>
  installments.filter(({ row, is_canceled }) => !is_canceled && row.due_date >= date);

const balancesOf = ({ principal, paid }: Position) => ({ principal, fees: paid.fees });
type Balances = ReturnType<typeof balancesOf>;

/**
 * A row with the parts of what it asks for; what it was paid before went to what is neither fee nor
 * principal. One that asks for nothing more is as it was paid. Interest that comes back with the payment has
 * repaid before it: the row begins with what is then left.
 */
function asPaid(
  row: InstallmentState,
  payment: ProjectedPayment | null,
  { before, after }: { before: Balances; after: Balances },
): InstallmentState {
  if (payment === null && row.status === 'paid') return row;
  const open = parseMoney(payment?.amount ?? '0.00');
  const amount = open.plus(row.paid_amount);
  const repaid = before.principal.minus(after.principal);
  const settled = after.fees.minus(before.fees);
  const back = atLeastZero(repaid.plus(settled).minus(amount));
  const ofPrincipal = min(back, repaid);
  const principal = repaid.minus(ofPrincipal);
  const fees = settled.minus(back.minus(ofPrincipal));
  return {
    ...row,
    status: row.status === 'paid' ? 'partially_paid' : row.status,
    open_amount: money(open),
    payment_amount: money(amount),
    principal_amount: money(principal),
    fees_amount: money(fees),
    interest_amount: money(amount.minus(principal).minus(fees)),
    beginning_balance: money(before.principal.minus(ofPrincipal)),
    ending_balance: money(after.principal),
  };
}

/** Pays on a day what its instalment asks for then, if anything. */
export function payInstallment(run: ReplayRun, date: string): ProjectedPayment | null {
  advanceTo(run, date);
  const payment = askedOn(run.position, date);
  if (payment !== null) applyNextEvent(run, projectedPaymentEvent(payment));
  return payment;
}

/** What the instalments of a day still ask for: the last one, all that it takes to repay the loan. */
function askedOn(position: Position, date: string): ProjectedPayment | null {
  const standing = position.installments.filter(({ is_canceled }) => !is_canceled);
  const due = standing.filter(({ row }) => row.due_date === date);
  const [first] = due;
  if (first === undefined) return null;
  const owed = repaymentOwed(position, date);
  const { tolerance } = position;
  const isLast = due.at(-1) === standing.at(-1) && !isBilledByCycle(position.terms);
  const amount = isLast ? owed : min(sum(due.map((row) => amountStillDue(row, tolerance))), owed);
  if (amount.lte(0)) return null;
  return { installment_number: first.row.period_number, due_date: date, amount: money(amount) };
}

/** The event that a projected payment stands for. */
export function projectedPaymentEvent({
  installment_number,
  due_date,
  amount,
}: ProjectedPayment): LoanEvent {
  const id = `projected-${String(installment_number).padStart(4, '0')}`;
  return { id, kind: 'payment', effective_date: due_date, amount };
}
