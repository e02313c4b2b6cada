import { min, money } from '../../money.ts';
import { remainingOf } from './coverage.ts';
import type { LoanEvent } from './events.ts';
import { advanceTo, proceed, replay, type FoldInput } from './fold.ts';
import { totalOwed, type Position } from './position.ts';
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
  const due = as_of > today ? paymentOn(now.position, today) : null;
  const events = due ? [...input.events, eventOf(due)] : input.events;
  const run = due ? replay({ ...input, events, as_of: today }) : now;
  const payments = due ? [due] : [];
  const ahead = run.position.installments.filter(
    ({ row, is_canceled }) => !is_canceled && row.due_date > today && row.due_date <= as_of,
  );
  for (const { row } of ahead) {
    advanceTo(run, row.due_date);
    const payment = paymentOn(run.position, row.due_date);
    if (payment === null) continue;
    proceed(run, eventOf(payment));
    payments.push(payment);
  }
  advanceTo(run, as_of);
  return { state: stateOf(run.position, as_of), payments };
}

/** What the instalment of a day still asks for; no two are due on one day. */
function paymentOn(position: Position, date: string): ProjectedPayment | null {
  const standing = position.installments.filter(({ is_canceled }) => !is_canceled);
  const installment = standing.find(({ row }) => row.due_date === date);
  if (installment === undefined) return null;
  const owed = totalOwed(position, date);
  const isLast = installment === standing.at(-1);
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
