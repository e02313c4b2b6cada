import type { RawLoan } from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import { rejudgePlans } from '../conclusions/payment-plans.ts';
import { rejudgePromises } from '../conclusions/promises.ts';
import { receiptsIn } from '../conclusions/receipts.ts';
import { remindOfficer } from '../conclusions/remind.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { OpenLoan } from './happen.ts';
import { knownOf } from './withdrawn.ts';

/**
 * Judges again what was judged by the loan's payments, as they are known now. Answers sentences about what
 * does not hold any more.
 */
export async function rejudge(
  work: Work,
  loan: Pick<OpenLoan, 'row'>,
  recorded: readonly LoanEvent[],
  counting: readonly LoanEvent[],
): Promise<string[]> {
  const receipts = receiptsIn(recorded, counting);
  const known = knownOf(work, loan);
  const promises = await rejudgePromises(work, loan.row.id, receipts, known);
  return [...promises, ...(await rejudgePlans(work, loan.row.id, receipts, known))];
}

/** The officer hears of what was concluded before and does not hold any more. */
export async function tellOfficer(work: Work, loan: RawLoan, sentences: readonly string[]) {
  if (sentences.length === 0) return;
  const title = `Review ${loan.loan_number}: earlier conclusions have changed`;
  await remindOfficer(work, loan, { title, description: sentences.join(' '), priority: 'high' });
}
