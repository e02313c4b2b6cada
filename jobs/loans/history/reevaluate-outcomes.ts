import type { RawLoan } from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import { reevaluatePlans } from '../outcomes/payment-plans.ts';
import { reevaluatePromises } from '../outcomes/promises.ts';
import { listReceipts } from '../outcomes/receipts.ts';
import { remindOfficer } from '../outcomes/remind-officer.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { OpenLoan } from './record-events.ts';
import { evaluationCutoff } from './withdrawn-events.ts';

/**
 * Judges again what was judged by the loan's payments, as they are known now. Answers sentences about what
 * does not hold any more.
 */
export async function reevaluateOutcomes(
  work: Work,
  loan: Pick<OpenLoan, 'row'>,
  recorded: readonly LoanEvent[],
  counting: readonly LoanEvent[],
): Promise<string[]> {
  const receipts = listReceipts(recorded, counting);
  const known = evaluationCutoff(work, loan);
  const promises = await reevaluatePromises(work, loan.row.id, receipts, known);
  return [...promises, ...(await reevaluatePlans(work, loan.row.id, receipts, known))];
}

/** The officer hears of what was concluded before and does not hold any more. */
export async function notifyOfficer(work: Work, loan: RawLoan, sentences: readonly string[]) {
  if (sentences.length === 0) return;
  const title = `Review ${loan.loan_number}: earlier conclusions have changed`;
  await remindOfficer(work, loan, { title, description: sentences.join(' '), priority: 'high' });
}
