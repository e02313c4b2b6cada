import { keepOutlook } from '../../../sql/loans/cycles.ts';
import { parseMoney, parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { endOfCycle } from '../engine/cycles.ts';
import { happen, openLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { outlookOf } from '../plans/minimum-outlook.ts';
import { termsOf } from '../products/terms-of.ts';

/**
 * Ends the billing cycle of a line with the day, and asks for its minimum payment. A cycle whose day
 * was missed ends a little later, so that the borrower has all the days to pay. A repeat does nothing.
 */
export async function endCycle(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const { cycle } = loan.state;
  if (row.status !== 'active' || cycle === null || cycle.ends > work.today) return;
  const terms = termsOf(row);
  const state = await happen(work, loan, [newEvent(endOfCycle(cycle, terms, work.today))]);
  const asked = state.installments.find(({ period_number }) => period_number === cycle.number);
  const outlook =
    asked && terms.minimum_payment
      ? outlookOf(terms.minimum_payment, {
          balance: parseMoney(state.cycle?.statement_rest ?? '0.00'),
          rate: parseRate(state.current_rate),
          first_payment: parseMoney(asked.payment_amount),
        })
      : null;
  await keepOutlook(work.tx, loanId, outlook);
}
