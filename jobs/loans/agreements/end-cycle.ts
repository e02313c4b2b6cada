import type { Work } from '../../work.ts';
import { endOfCycle } from '../engine/cycles.ts';
import { happen, openLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { termsOf } from '../products/terms-of.ts';

/**
 * Ends the billing cycle of a line with the day, and asks for its minimum payment. A cycle whose day
 * was missed ends a little later, so that the borrower has all the days to pay. A repeat does nothing.
 */
export async function endCycle(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row, state } = loan;
  const { cycle } = state;
  if (row.status !== 'active' || cycle === null || cycle.ends > work.today) return;
  await happen(work, loan, [newEvent(endOfCycle(cycle, termsOf(row), work.today))]);
}
