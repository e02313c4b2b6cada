import { z } from 'zod';
import * as flags from '../../../sql/loans/flags.ts';
import { date, prose, requiredFreeText } from '../../../sql/types.ts';
import { assertLegallyAllowed } from '../../cases/legally-allowed.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { assertStatus } from '../history/statuses.ts';

export const Acceleration = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why the loan is accelerated. Kept in the history of the loan.'),
  effective_date: date.nullish().describe('Must be the business date, which is the default.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});
export const AccelerationReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why the acceleration is reversed. Kept in the history of the loan.'),
});

/**
 * Makes the whole debt due today and cancels the future installments. Days past due still count from the
 * oldest unpaid installment. Before funding, only the flag is set. Accelerating an accelerated loan does
 * nothing.
 */
export async function accelerate(work: Work, loanId: string, input: z.output<typeof Acceleration>) {
  if (input.effective_date && input.effective_date !== work.today) {
    throw new Invalid({ effective_date: `Must be the business date, ${work.today}.` });
  }
  const loan = await openLoan(work, loanId);
  assertStatus(loan.row, 'accelerate');
  if (loan.row.is_accelerated) return;
  await assertLegallyAllowed(work, loanId, 'acceleration');
  await flags.markAccelerated(work.tx, loanId, true);
  if (fundingDate(loan) === null) return;
  await recordEvents(work, loan, [newEvent({ kind: 'acceleration', effective_date: work.today })]);
}

/**
 * Restores the installments as if the loan had never been accelerated, and reapplies later payments to
 * them.
 */
export async function reverseAcceleration(work: Work, loanId: string, _input: unknown) {
  const loan = await openLoan(work, loanId);
  if (!loan.row.is_accelerated) return;
  await flags.markAccelerated(work.tx, loanId, false);
  const reversals = eventsInForce(loan.events, work.today)
    .filter(({ kind }) => kind === 'acceleration')
    .map(({ id }) => newEvent({ kind: 'reversal', effective_date: work.today, reverses: id }));
  if (reversals.length > 0) await recordEvents(work, loan, reversals);
}
