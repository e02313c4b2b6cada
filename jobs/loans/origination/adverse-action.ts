import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert } from '../../../sql/write.ts';
import { compose } from '../../communications/compose.ts';
import { addDays } from '../../dates.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { DENIAL_REASONS, type DenialReason } from './denial-reasons.ts';
import type { CreditReport } from './credit-report.ts';

/** A creditor must notify the applicant within 30 days of the decision (12 CFR 1002.9(a)(1)). */
const NOTICE_DAYS = 30;

type Denied = Pick<RawLoan, 'id' | 'borrower_id' | 'loan_number' | 'principal_amount'>;

/**
 * Orders the adverse action notice and sends it by letter. If it cannot be sent, creates a task with the
 * legal deadline.
 */
export async function sendAdverseActionNotice(
  work: Work,
  loan: Denied,
  reasons: readonly DenialReason[],
  report: CreditReport | null,
) {
  const { adverse_action } = await settingsOf(work.tx);
  const about = { borrower_id: loan.borrower_id, loan_id: loan.id };
  const specific = reasons.filter((code) => code !== 'other');
  // "Other reasons" is not specific, so the applicant has a right to ask for the reasons.
  const reasons_on_request = specific.length === 0 || specific.length < reasons.length;
  const document_id = await orderDocument(work, {
    template: 'adverse_action_notice',
    document_type: 'adverse_action_notice',
    filename: 'adverse-action-notice.pdf',
    // The notice names the telephone number that provides the reasons.
    must: reasons_on_request ? ['branding.support_phone'] : [],
    ...about,
    data: (language) => ({
      requested_amount: loan.principal_amount,
      reasons_on_request,
      reasons: specific.map((code) => DENIAL_REASONS[code][language === 'es' ? 'es' : 'en']),
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
  const { loan_number } = loan;
  if (status !== 'queued')
    await createComplianceTask(work, loan, `Send the adverse action notice of ${loan_number}`);
  if (report === null && reasons.some((code) => FROM_A_REPORT.includes(code)))
    await createComplianceTask(
      work,
      loan,
      `Tell the applicant of ${loan_number} which credit bureau's report the denial is based on`,
    );
}

/** Reasons that only a credit report can give. The notice must name the bureau (FCRA, section 615(a)). */
const FROM_A_REPORT: readonly DenialReason[] = ['recent_inquiries'];

const createComplianceTask = (work: Work, { id, borrower_id }: Denied, title: string) =>
  insert(work.tx, 'tasks', {
    borrower_id,
    loan_id: id,
    title,
    task_type: 'compliance',
    due_date: addDays(work.today, NOTICE_DAYS),
    priority: 'high',
    source: 'system',
    related_type: 'loan',
    related_id: id,
  });
