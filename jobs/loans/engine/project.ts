import type { Big } from 'big.js';
import { addDays, earliest, latest } from '../../dates.ts';
import { min, money, parseMoney, sum, ZERO } from '../../money.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { remainingOf, type Installment } from './coverage.ts';
import { cycleOf, endOfCycle } from './cycles.ts';
import type { LoanEvent } from './events.ts';
import { advanceTo, proceed, replay, type FoldInput, type Run } from './fold.ts';
import { totalOwed, type Position } from './position.ts';
import type { InstallmentState } from './bills.ts';
import { stateOf, type LoanState } from './state.ts';

export type ProjectedPayment = { installment_number: number; due_date: string; amount: string };

/**
 * The state on a day to come if every scheduled payment is made on its due date, today's included, the
 * last one paying all that is left. Nothing else is assumed: what is past due today stays so until
 * these payments cover it, and no fee is added.
 */
export function project(
  input: Omit<FoldInput, 'as_of'>,
  { today, as_of }: { today: string; as_of: string },
): { state: LoanState; payments: ProjectedPayment[] } {
  const now = replay({ ...input, as_of: today });
  // What is asked for on a day itself is not yet paid when one asks for that day.
  const due = as_of > today ? askedOn(now.position, today) : null;
  const events = due ? [...input.events, eventOf(due)] : input.events;
  const run = due ? replay({ ...input, events, as_of: today }) : now;
  const payments = due ? [due] : [];
  if (isBilledByCycle(input.terms)) {
    if (as_of > today) payments.push(...payByCycle(run, today, as_of));
    return { state: stateOf(advanceTo(run, as_of).position, as_of), payments };
  }
  for (const { row } of ahead(run.position, addDays(today, 1))) {
    if (row.due_date > as_of) break;
    const payment = pay(run, row.due_date);
    if (payment !== null) payments.push(payment);
  }
  advanceTo(run, as_of);
  return { state: stateOf(run.position, as_of), payments };
}

/**
 * Lets a line's cycles go by from a day to another, each ending with its minimum payment, which is paid
 * when it is due. It ends early where nothing is owed any more, since nothing is drawn.
 */
function payByCycle(run: Run, from: string, to: string): ProjectedPayment[] {
  const payments: ProjectedPayment[] = [];
  let day = from;
  while (day <= to && totalOwed(run.position, day).gt(0)) {
    const due = ahead(run.position, day)[0]?.row.due_date ?? to;
    const cycle = cycleOf(run.position);
    const end = latest(cycle?.ends ?? to, day);
    const next = earliest(due, end);
    if (next > to || cycle === null) break;
    const payment = pay(run, next);
    if (payment !== null) payments.push(payment);
    if (next === end)
      proceed(run, { id: `cycle-${next}`, ...endOfCycle(cycle, run.position.terms, next) });
    day = addDays(next, 1);
  }
  return payments;
}

/**
 * A loan's schedule as it will be paid from a day on, by whoever pays then what is past due, and each
 * instalment on its due date: the last row asks for all that is owed by then, each row shows the
 * interest that it will find, and rows that nothing is left for ask for nothing.
 */
export function scheduleAhead(input: FoldInput): InstallmentState[] {
  const run = replay(input);
  const { as_of } = input;
  const { installments } = stateOf(run.position, as_of);
  if (!isPayable(run.position, as_of)) return installments;
  payPastDue(run, as_of);
  const shown = new Map(installments.map((row) => [row.period_number, row]));
  for (const { row, covered } of ahead(run.position, as_of)) {
    const now = shown.get(row.period_number);
    if (now === undefined || now.status === 'paid') continue;
    const before = balancesOf(run.position);
    const payment = pay(run, row.due_date);
    const after = balancesOf(run.position);
    const asked = parseMoney(payment?.amount ?? '0.00');
    shown.set(row.period_number, {
      ...now,
      ...asPaid(covered.plus(asked), { before, after }),
    });
  }
  return installments.map((row) => shown.get(row.period_number) ?? row);
}

const isPayable = (position: Position, date: string): boolean =>
  position.accelerated_on === null &&
  position.charged_off_on === null &&
  totalOwed(position, date).gt(0);

/** What was due before a day is paid on it. */
function payPastDue(run: Run, date: string): void {
  const late = run.position.installments.filter(({ row }) => row.due_date < date).map(remainingOf);
  const amount = min(sum(late), totalOwed(run.position, date));
  const payment = { installment_number: 0, due_date: date, amount: money(amount) };
  if (amount.gt(ZERO)) proceed(run, eventOf(payment));
}

const ahead = ({ installments }: Position, date: string): Installment[] =>
  installments.filter(({ row, is_canceled }) => !is_canceled && row.due_date >= date);

const balancesOf = ({ principal, paid }: Position) => ({ principal, fees: paid.fees });
type Balances = ReturnType<typeof balancesOf>;

/** The parts of what a row asks for; what it was paid before went to what is neither fee nor principal. */
function asPaid(amount: Big, { before, after }: { before: Balances; after: Balances }) {
  const principal = before.principal.minus(after.principal);
  const fees = after.fees.minus(before.fees);
  return {
    payment_amount: money(amount),
    principal_amount: money(principal),
    fees_amount: money(fees),
    interest_amount: money(amount.minus(principal).minus(fees)),
    beginning_balance: money(before.principal),
    ending_balance: money(after.principal),
  };
}

function pay(run: Run, date: string): ProjectedPayment | null {
  advanceTo(run, date);
  const payment = askedOn(run.position, date);
  if (payment !== null) proceed(run, eventOf(payment));
  return payment;
}

/** What the instalment of a day still asks for; no two are due on one day. */
function askedOn(position: Position, date: string): ProjectedPayment | null {
  const { installments } = position;
  const isStanding = ({ is_canceled }: Installment) => !is_canceled;
  const installment = installments.find((row) => row.row.due_date === date && isStanding(row));
  if (installment === undefined) return null;
  const owed = totalOwed(position, date);
  const isLast =
    installment === installments.findLast(isStanding) && !isBilledByCycle(position.terms);
  const amount = isLast ? owed : min(remainingOf(installment), owed);
  if (amount.lte(0)) return null;
  const { due_date, period_number } = installment.row;
  return { installment_number: period_number, due_date, amount: money(amount) };
}

/** The event that a projected payment stands for. */
export function eventOf({ installment_number, due_date, amount }: ProjectedPayment): LoanEvent {
  const id = `projected-${String(installment_number).padStart(4, '0')}`;
  return { id, kind: 'payment', effective_date: due_date, amount };
}
