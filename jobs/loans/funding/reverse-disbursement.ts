import { z } from 'zod';
import * as disbursements from '../../../sql/loans/funding/disbursements.ts';
import * as records from '../../../sql/loans/records.ts';
import { prose, requiredFreeText } from '../../../sql/types.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { LoanEvent } from '../engine/events.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { immutableConflict } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { refusalDetails } from '../products/refusals.ts';

export const DisbursementReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why it is reversed. Kept in the history, and sent with `loan.status_changed`.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/**
 * Events that do not prevent a reversal: fees are reversed with the disbursement, and accrual stops have no
 * effect without it.
 */
const REVERSED_WITH_DISBURSEMENT: readonly string[] = ['fee', 'accrual_stop', 'accrual_start'];

/**
 * Reverses the only disbursement of a loan as if it had never happened, because the money never went out or
 * came back. The loan returns to approved and can be disbursed again. Throws `Conflict` if later events
 * depend on the disbursement.
 */
export async function reverseDisbursement(
  work: Work,
  id: string,
  { reason }: z.output<typeof DisbursementReversal>,
) {
  const loan = await openLoan(work, await records.loanIdOf(work.tx, 'disbursements', id));
  const { row } = loan;
  const { status } = await records.lockRecordRow(work.tx, 'disbursements', id);
  if (!['completed', 'failed'].includes(status)) throw immutableConflict('disbursement', status);
  const undone = eventsInForce(loan.events, work.today);
  assertNoLaterEvents(loan, undone, id);
  const events = undone
    .filter(({ kind }) => kind !== 'accrual_stop' && kind !== 'accrual_start')
    .map(({ id: reverses }) =>
      newEvent({ kind: 'reversal', effective_date: work.today, reverses }),
    );
  await records.setRecordStatus(work.tx, 'disbursements', id, 'reversed');
  await disbursements.reverseDisbursementFees(work.tx, row.id);
  await recordEvents(work, loan, events, {
    newStatus: 'approved',
    trigger: 'reverse-disbursement',
    statusReason: reason,
  });
  await disbursements.clearFunding(work.tx, row.id);
}

/** Throws unless the disbursement and its schedule are the only events that count. */
function assertNoLaterEvents({ row }: OpenLoan, events: readonly LoanEvent[], id: string) {
  const isOfIt = (event: LoanEvent) => 'disbursement_id' in event && event.disbursement_id === id;
  const other = events.find(
    (event) => !isOfIt(event) && !REVERSED_WITH_DISBURSEMENT.includes(event.kind),
  );
  if (other === undefined && row.status === 'active') return;
  const details = { ...refusalDetails(row), ...(other && { event: other.kind }) };
  throw laterEvents(details);
}

export const laterEvents = (details: Record<string, unknown>) =>
  new Conflict('The loan has later events. Reverse those first.', 'has_transactions', details);
