import type { RawLoan } from '../../sql/loans/loans.ts';
import { insert } from '../../sql/write.ts';
import { addDays } from '../dates.ts';
import type { Work } from '../work.ts';

/** A creditor notifies the applicant within 30 days of the decision (12 CFR 1002.9(a)(1)). */
const NOTICE_DAYS = 30;

/** Puts the adverse action notice of a denied loan on somebody's desk, with its legal deadline. */
export async function adverseAction(
  { tx, today }: Work,
  loan: Pick<RawLoan, 'id' | 'borrower_id' | 'loan_number'>,
  reasons: readonly string[],
) {
  await insert(tx, 'tasks', {
    borrower_id: loan.borrower_id,
    loan_id: loan.id,
    title: `Send the adverse action notice of ${loan.loan_number}`,
    description: reasons.length > 0 ? `Reasons: ${reasons.join(', ')}` : null,
    task_type: 'compliance',
    due_date: addDays(today, NOTICE_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'loan',
    related_id: loan.id,
  });
}
