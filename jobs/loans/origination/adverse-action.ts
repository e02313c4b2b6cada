import * as stored from '../../../sql/loans/origination/adverse-action.ts';
import { listLiableParties } from '../../../sql/loans/co-borrowers.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { findOpenTask } from '../../../sql/borrowers/tasks.ts';
import { insert, update } from '../../../sql/write.ts';
import { compose } from '../../communications/compose.ts';
import { addDays } from '../../dates.ts';
import { orderDocument } from '../../documents/order-document.ts';
import { hasRequiredSettings, type RequiredSetting } from '../../documents/required-settings.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import type { CreditReport } from './credit-report.ts';
import { DENIAL_REASONS, type DenialReason } from './denial-reasons.ts';

/**
 * A creditor must notify the applicant within 30 days of a completed application, of adverse action on an
 * incomplete one, or of a counteroffer (12 CFR 1002.9(a)(1) and (c)(1)). Counted from the decision.
 */
export const NOTICE_DAYS = 30;

export type NewNotice = {
  kind: stored.NoticeKind;
  /** The applicant. Only one of several applicants must be notified, the primary one (12 CFR 1002.9(f)). */
  borrower_id: string;
  reasons: readonly DenialReason[];
  other_reasons?: readonly string[];
  counteroffer?: string | null;
  information_needed?: readonly string[];
  respond_by?: string | null;
  credit_report: CreditReport | null;
};

type Loan = Pick<RawLoan, 'id' | 'borrower_id' | 'loan_number' | 'principal_amount'>;

/**
 * Records a notice about an application and sends it by letter. A notice that cannot be sent yet waits as a
 * draft, with a task for the legal deadline.
 */
export async function recordNotice(work: Work, loan: Loan, notice: NewNotice): Promise<string> {
  const { kind, reasons, other_reasons = [], ...rest } = notice;
  const id = await insert(work.tx, 'adverse_action_notices', {
    ...rest,
    kind,
    loan_id: loan.id,
    reasons,
    other_reasons,
    has_right_to_reasons: kind !== 'incomplete_application' && !isSpecific(reasons, other_reasons),
    decided_on: work.today,
    notify_by: addDays(work.today, NOTICE_DAYS),
    created_by: work.actor.id,
  });
  await sendNotice(work, loan, id);
  if (kind === 'denial') await remindOfReports(work, loan, notice);
  return id;
}

/** Every reason is stated. "Other reasons" is not specific (12 CFR 1002.9(b)(2)). */
const isSpecific = (reasons: readonly DenialReason[], texts: readonly string[]) =>
  reasons.length + texts.length > 0 && !reasons.includes('other');

/** Orders the notice as a document and sends it by letter, or creates a task that says what is missing. */
export async function sendNotice(work: Work, loan: Loan, id: string): Promise<void> {
  const notice = await stored.lockNotice(work.tx, id);
  const must = requiredBy(notice);
  const about = { id, loan_id: loan.id, borrower_id: notice.borrower_id };
  if (!(await hasRequiredSettings(work, 'adverse_action_notice', must))) {
    const title = `Complete the settings, then send the notice about ${loan.loan_number}`;
    return createTask(work, { ...about, title, due_date: notice.notify_by });
  }
  const document_id = await orderNotice(work, loan, notice);
  const isSent = await sendByLetter(work, loan, notice, document_id);
  await update(work.tx, 'adverse_action_notices', id, {
    document_id,
    ...(isSent && { status: 'sent', sent_on: work.today }),
  });
  if (!isSent) {
    const title = `Send the adverse action notice of ${loan.loan_number}`;
    return createTask(work, { ...about, title, due_date: notice.notify_by });
  }
  await stored.completeNoticeTasks(work.tx, id);
  if (notice.respond_by !== null) {
    const title = `Decide about the application ${loan.loan_number}, which the applicant had to answer`;
    await createTask(work, { ...about, title, due_date: notice.respond_by });
  }
}

/** The notice must name the telephone number that provides the reasons (12 CFR 1002.9(a)(2)(ii)). */
const requiredBy = ({ has_right_to_reasons }: stored.Notice): RequiredSetting[] =>
  has_right_to_reasons ? ['branding.support_phone'] : [];

/** Orders the notice, or, with `statement`, the statement of reasons that the applicant asked for. */
export async function orderNotice(
  work: Work,
  loan: Loan,
  notice: stored.Notice,
  statement?: { reasons: readonly DenialReason[]; other_reasons: readonly string[] },
): Promise<string> {
  const { adverse_action } = await settingsOf(work.tx);
  const { reasons, other_reasons } = statement ?? notice;
  const report = statement ? null : (notice.credit_report as CreditReport | null);
  return orderDocument(work, {
    template: 'adverse_action_notice',
    document_type: 'adverse_action_notice',
    filename: statement ? 'statement-of-reasons.pdf' : 'adverse-action-notice.pdf',
    must: statement ? [] : requiredBy(notice),
    borrower_id: notice.borrower_id,
    loan_id: loan.id,
    data: (language) => ({
      requested_amount: loan.principal_amount,
      reasons_on_request: !statement && notice.has_right_to_reasons,
      reasons: [
        ...reasons
          .filter((code) => code !== 'other')
          .map((code) => DENIAL_REASONS[code as DenialReason][language === 'es' ? 'es' : 'en']),
        ...other_reasons,
      ],
      statement: statement ? { decided_on: notice.decided_on } : null,
      counteroffer:
        notice.counteroffer === null
          ? null
          : { terms: notice.counteroffer, respond_by: notice.respond_by ?? '' },
      incomplete:
        notice.kind === 'incomplete_application'
          ? {
              information_needed: notice.information_needed,
              respond_by: notice.respond_by ?? '',
            }
          : null,
      agency: { name: adverse_action.agency_name, address: adverse_action.agency_address },
      credit_bureau: report && {
        name: report.bureau_name,
        address: report.bureau_address,
        phone: report.bureau_phone,
      },
      credit_score: report?.score ? { ...report.score, source: report.bureau_name } : null,
    }),
  });
}

/** Sends an ordered notice or statement by letter. Returns false if the letter is blocked. */
export async function sendByLetter(
  work: Work,
  { id: loan_id }: Loan,
  { kind, borrower_id }: stored.Notice,
  document_id: string,
  isStatement = false,
): Promise<boolean> {
  const { status } = await compose(work, {
    borrower_id,
    loan_id,
    template_type: kind === 'denial' && !isStatement ? 'loan_denied' : 'application_notice',
    channel: 'letter',
    document_id,
    triggered_by: 'system',
  });
  return status === 'queued';
}

/** Reasons that only a credit report can give. The notice must name the bureau (FCRA, section 615(a)). */
const FROM_A_REPORT: readonly DenialReason[] = ['recent_inquiries'];

/** Each consumer whose report was used must be notified of it (15 U.S.C. 1681m(a)). */
async function remindOfReports(work: Work, loan: Loan, notice: NewNotice) {
  const { reasons, credit_report: report, borrower_id } = notice;
  const about = { id: loan.id, loan_id: loan.id, borrower_id, related_type: 'loan' };
  const due_date = addDays(work.today, NOTICE_DAYS);
  if (report === null && reasons.some((code) => FROM_A_REPORT.includes(code))) {
    const title = `Tell the applicant of ${loan.loan_number} which credit bureau's report the denial is based on`;
    await createTask(work, { ...about, title, due_date });
  }
  const parties = await listLiableParties(work.tx, loan.id);
  const isJoint = parties.some(({ role }) => role === 'co_borrower');
  if (report === null || !isJoint || borrower_id !== loan.borrower_id) return;
  const title = `If reports of other applicants were used for ${loan.loan_number}, send them their own notices`;
  await createTask(work, { ...about, title, due_date });
}

type Deadline = {
  id: string;
  loan_id: string;
  borrower_id: string;
  title: string;
  due_date: string;
  related_type?: string;
};

/** Creates a compliance task about a notice, unless the same task is open. */
export async function createTask(
  { tx }: Work,
  { id, related_type = 'adverse_action_notice', ...task }: Deadline,
) {
  if ((await findOpenTask(tx, id, task.title)) !== null) return;
  await insert(tx, 'tasks', {
    ...task,
    task_type: 'compliance',
    priority: 'high',
    source: 'system',
    related_type,
    related_id: id,
  });
}
