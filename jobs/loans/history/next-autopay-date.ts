import * as plans from '../../../sql/payments/autopay-plans.ts';
import { update } from '../../../sql/write.ts';
import type { Work } from '../../work.ts';
import type { LoanState } from '../engine/state.ts';
import { nextAutopayDueDate, autopayRunDate, displayedRunDate } from './autopay-dates.ts';

export const isOpenAutopayPlan = ({ status }: plans.AutopayPlan) =>
  ['active', 'paused'].includes(status);

/** Saves the next draw date, or completes an autopay plan that has ended. */
export async function saveNextAutopayDate(
  { tx, today }: Work,
  state: Parameters<typeof nextAutopayDueDate>[1],
  id: string,
) {
  const plan = await plans.lockAutopayPlan(tx, id);
  if (plan === null || !isOpenAutopayPlan(plan)) return;
  const due = nextAutopayDueDate(plan, state);
  const isOver = due === null && plan.end_date !== null && plan.end_date < today;
  await update(tx, 'autopay_plans', id, {
    next_due_date: due,
    next_run_date: due === null ? null : displayedRunDate(today, autopayRunDate(plan, due)),
    ...(isOver && { status: 'completed' }),
  });
}

/** Moves autopay dates when due dates move. */
export async function updateAutopayDates(
  work: Work,
  loanId: string,
  before: LoanState,
  after: LoanState,
) {
  if (dueDatesOf(before) === dueDatesOf(after)) return;
  const id = await plans.findOpenPlanId(work.tx, loanId);
  if (id !== null) await saveNextAutopayDate(work, after, id);
}

const dueDatesOf = ({ installments }: LoanState) =>
  installments.map(({ due_date }) => due_date).join();
