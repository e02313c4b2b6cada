import { z } from 'zod';
import * as draws from '../../../sql/loans/funding/draws.ts';
import * as loans from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import { requiredFreeText } from '../../../sql/types.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { LoanEvent } from '../engine/events.ts';
import { recordEvents } from '../history/record-events.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { immutableConflict, openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { rescheduleEvents } from './further-funding-events.ts';

export const DrawReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why it is reversed. Kept in the history of the loan.'),
});

/**
 * Reverses a draw and its fees as if they had never happened, because the money never went out or came
 * back. Later payments apply to the remaining debt. A new schedule repays the smaller balance by the same
 * due dates.
 */
export async function reverseDraw(work: Work, id: string) {
  const loanId = await records.loanIdOf(work.tx, 'draws', id);
  const loan = await openInService(work, loanId, ['active', 'paid_off']);
  const { status, amount } = await draws.lockDraw(work.tx, id);
  if (status !== 'completed') throw immutableConflict('draw', status);
  await records.setRecordStatus(work.tx, 'draws', id, 'reversed');
  await loans.addDisbursed(work.tx, loanId, `-${amount}`);
  const fees = await draws.reverseDrawFees(work.tx, id);
  const undone = loan.events.filter(
    (event) => event.id === id || (event.kind === 'fee' && fees.includes(event.fee_id ?? '')),
  );
  const reversals = undone.map(({ id: reverses }) =>
    newEvent({ kind: 'reversal', effective_date: work.today, reverses }),
  );
  await recordEvents(work, loan, [...reversals, ...scheduleWithoutDraw(work, loan, id, reversals)]);
}

/**
 * The schedule without the draw. It takes effect on the draw's day or, if a later schedule was agreed,
 * today. The draw's own schedule has the draw's date, so it does not count as later.
 */
function scheduleWithoutDraw(
  { today }: Work,
  loan: OpenLoan,
  id: string,
  reversals: readonly LoanEvent[],
): LoanEvent[] {
  if (loan.row.status !== 'active') return [];
  const drawn = loan.events.find((event) => event.id === id)?.effective_date ?? today;
  const isReplanned = eventsInForce(loan.events, today).some(
    (event) => event.kind === 'schedule_agreed' && event.effective_date > drawn,
  );
  return rescheduleEvents(loan, reversals, isReplanned ? today : drawn);
}
