import { saveCycleOutlook } from '../../../sql/loans/workouts/cycles.ts';
import { parseMoney, parseRate } from '../../money.ts';
import type { Work } from '../../work.ts';
import { minimumPaymentAgreement } from '../engine/interest/cycles.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { minimumPaymentOutlook } from '../schedule/minimum-outlook.ts';
import { readTerms } from '../products/loan-terms.ts';

/**
 * Ends the billing cycle of a line of credit and bills its minimum payment. If the cycle's last day was
 * missed, the cycle ends today, so the borrower still has all the days to pay. Safe to repeat.
 */
export async function endCycle(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const { cycle } = loan.state;
  if (row.status !== 'active' || cycle === null || cycle.ends > work.today) return;
  const terms = readTerms(row);
  const state = await recordEvents(work, loan, [
    newEvent(minimumPaymentAgreement(cycle, terms, work.today)),
  ]);
  const minimumPayment = state.installments.find(
    ({ period_number }) => period_number === cycle.number,
  );
  const outlook =
    minimumPayment && terms.minimum_payment
      ? minimumPaymentOutlook(terms.minimum_payment, {
          balance: parseMoney(state.cycle?.statement_remainder ?? '0.00'),
          rate: parseRate(state.current_rate),
          first_payment: parseMoney(minimumPayment.payment_amount),
        })
      : null;
  await saveCycleOutlook(work.tx, loanId, outlook);
}
