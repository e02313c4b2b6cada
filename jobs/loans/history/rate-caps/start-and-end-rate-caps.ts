import * as stored from '../../../../sql/loans/rate-caps.ts';
import { update } from '../../../../sql/write.ts';
import type { Work } from '../../../work.ts';
import { startOfRateCap } from '../../agreed/rate-cap.ts';
import { installmentAmountOf } from '../differences.ts';
import { newEvents } from '../new-event.ts';
import { notifyEndOfRateCap } from '../notify-schedule-change.ts';
import { openLoan } from '../open-loan.ts';
import { recordEvents } from '../record-events.ts';

/**
 * Starts the caps whose first day has come, and shows the agreed installment again after their last day, with a letter to
 * the borrowers. Close of business calls this.
 */
export async function startAndEndRateCaps(work: Work, loanId: string) {
  const open = (await stored.listRateCaps(work.tx, loanId)).filter(({ is_over }) => !is_over);
  for (const cap of open) {
    if (cap.event_id === null && cap.start_date <= work.today)
      await startRateCap(work, loanId, cap);
    if (cap.end_date !== null && cap.end_date < work.today) await endRateCap(work, loanId, cap);
  }
}

async function startRateCap(work: Work, loanId: string, cap: stored.RateCap) {
  const loan = await openLoan(work, loanId);
  const events = newEvents(startOfRateCap(loan, cap));
  const [event] = events;
  if (event === undefined) return;
  // First, because what a loan will owe includes the caps that have not started yet.
  await stored.markRateCapStarted(work.tx, cap.id, event.id);
  await recordEvents(work, loan, events, { scheduleChangeReason: 'rate_capped', rateCap: cap });
}

async function endRateCap(work: Work, loanId: string, cap: stored.RateCap) {
  const { row, state } = await openLoan(work, loanId);
  await stored.markRateCapOver(work.tx, cap.id);
  const agreed = installmentAmountOf(row, state) ?? null;
  await update(work.tx, 'loans', loanId, { payment_amount: agreed ?? undefined });
  await notifyEndOfRateCap(work, row, { state, agreed, rate_cap: cap });
}
