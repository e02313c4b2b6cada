import { min, money } from '../money.ts';
import { advanceTo, proceed, replay } from './fold.ts';
import type { FoldInput } from './fold.ts';
import { remainingOf } from './coverage.ts';
import type { LoanEvent } from './events.ts';
import { totalOwed } from './position.ts';
import { stateOf } from './state.ts';
import type { LoanState } from './state.ts';

export type ProjectedPayment = { installment_number: number; due_date: string; amount: string };

/**
 * The state on a day to come if every scheduled payment is made on its due date, the last one
 * paying all that is left. Nothing else is assumed: what is past due today stays so until these
 * payments cover it, and no fee is added.
 */
export function project(
  input: Omit<FoldInput, 'as_of'>,
  dates: { today: string; as_of: string },
): { state: LoanState; payments: ProjectedPayment[] } {
  const run = replay({ ...input, as_of: dates.today });
  const payments: ProjectedPayment[] = [];
  const ahead = run.position.installments.filter(
    ({ row, is_canceled }) =>
      !is_canceled && row.due_date > dates.today && row.due_date <= dates.as_of,
  );
  const last = run.position.installments.findLast(({ is_canceled }) => !is_canceled);
  for (const installment of ahead) {
    const { due_date, period_number } = installment.row;
    advanceTo(run, due_date);
    const asked = installment === last ? null : remainingOf(installment);
    const owed = totalOwed(run.position, due_date);
    const amount = asked === null ? owed : min(asked, owed);
    if (amount.lte(0)) continue;
    const payment = { installment_number: period_number, due_date, amount: money(amount) };
    proceed(run, eventOf(payment));
    payments.push(payment);
  }
  advanceTo(run, dates.as_of);
  return { state: stateOf(run.position, dates.as_of), payments };
}

/** The event that a projected payment stands for. */
export function eventOf({ installment_number, due_date, amount }: ProjectedPayment): LoanEvent {
  const id = `projected-${String(installment_number).padStart(4, '0')}`;
  return { id, kind: 'payment', effective_date: due_date, amount };
}
