import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert } from '../../../sql/write.ts';
import { compose } from '../../communications/compose.ts';
import { addDays } from '../../dates.ts';
import { orderDocument } from '../../documents/order.ts';
import { settingsOf } from '../../users/settings.ts';
import type { Work } from '../../work.ts';
import { DENIAL_REASONS, type DenialReason } from './denial-reasons.ts';
import type { CreditReport } from './credit-report.ts';

/** A creditor notifies the applicant within 30 days of the decision (12 CFR 1002.9(a)(1)). */
const NOTICE_DAYS = 30;

type Denied = Pick<RawLoan, 'id' | 'borrower_id' | 'loan_number' | 'principal_amount'>;

/**
 * Orders the notice that tells an applicant why, and sends it by letter or mail. Where neither can
 * reach them, it is put on somebody's desk, with its legal deadline.
 */
export async function adverseAction(
  work: Work,
  loan: Denied,
  reasons: readonly DenialReason[],
  report: CreditReport | null,
) {
  const { adverse_action } = await settingsOf(work.tx);
  const about = { borrower_id: loan.borrower_id, loan_id: loan.id };
  const document_id = await orderDocument(work, {
    template: 'adverse_action_notice',
    document_type: 'adverse_action_notice',
    filename: 'adverse-action-notice.pdf',
    ...about,
    data: (language) => ({
      requested_amount: loan.principal_amount,
      reasons: reasons.map((code) => DENIAL_REASONS[code][language === 'es' ? 'es' : 'en']),
      agency: { name: adverse_action.agency_name, address: adverse_action.agency_address },
      credit_bureau: report && {
        name: report.bureau_name,
        address: report.bureau_address,
        phone: report.bureau_phone,
      },
      credit_score: report?.score ? { ...report.score, source: report.bureau_name } : null,
    }),
  });
  const { status } = await compose(work, {
    ...about,
    template_type: 'loan_denied',
    channel: 'letter',
    document_id,
    triggered_by: 'system',
  });
  if (status === 'queued') return;
  await insert(work.tx, 'tasks', {
    ...about,
    title: `Send the adverse action notice of ${loan.loan_number}`,
    task_type: 'compliance',
    due_date: addDays(work.today, NOTICE_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'loan',
    related_id: loan.id,
  });
}
