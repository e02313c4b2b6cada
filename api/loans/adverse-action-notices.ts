import { z } from 'zod';
import {
  addNotice,
  noticeFields,
  ReasonsRequest,
  requestReasons,
  sendDraft,
  StatedReasons,
  stateReasons,
  alreadySent,
  reasonsConflicts,
  reasonsRequestConflicts,
  denialNoticeExists,
  wrongLoanStatus,
} from '../../jobs/loans/origination/adverse-action-notices.ts';
import { CreditReport } from '../../jobs/loans/origination/credit-report.ts';
import { adverseActionNotices as table } from '../../sql/loans/origination/adverse-action.ts';
import { date, flag, timestamps, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';

export const adverseActionNotices = resource({
  name: 'AdverseActionNotice',
  path: 'adverse-action-notices',
  about:
    'A notice about an application that you denied, countered or could not decide, with the request for its reasons.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    borrower_id: uuid
      .nullish()
      .describe(
        'The applicant. Default: the borrower. Applicants whose credit reports were used need their own notices.',
      ),
    ...noticeFields,
    status: z
      .enum(['draft', 'sent'])
      .readonly()
      .describe(
        'A `draft` waits for missing settings or an address, with a task. `sent`: the letter was queued.',
      ),
    has_right_to_reasons: flag
      .readonly()
      .describe('Whether the notice told the applicant how to get the reasons.'),
    decided_on: date.readonly().describe('The day of the decision.'),
    notify_by: date
      .readonly()
      .describe('When the notice must be sent, 30 days after the decision.'),
    sent_on: date.nullable().readonly().describe('When the notice was sent.'),
    document_id: uuid.nullable().readonly().describe('The notice.'),
    reasons_requested_on: date
      .nullable()
      .readonly()
      .describe('When the applicant asked for the reasons.'),
    reasons_due_on: date
      .nullable()
      .readonly()
      .describe('When the reasons must be stated, 30 days after the request.'),
    reasons_stated_on: date
      .nullable()
      .readonly()
      .describe('When the statement of reasons was sent.'),
    statement_document_id: uuid.nullable().readonly().describe('The statement of reasons.'),
    created_by: uuid.nullable().readonly().describe('The user who made the decision.'),
    ...timestamps,
  },
  writeOnly: {
    credit_report: CreditReport.nullish().describe(
      'The consumer report of this applicant that was used. The notice then names the bureau and the score.',
    ),
  },
  filters: [
    ...(['loan_id', 'borrower_id', 'kind', 'status', 'notify_by'] as const),
    ...(['reasons_due_on', 'reasons_stated_on'] as const),
  ],

  example: (today) => ({
    kind: 'incomplete_application',
    information_needed: ['Your last two pay slips'],
    respond_by: today.replace(/^\d{4}/, (year) => String(Number(year) + 1)),
  }),
  conflicts: {
    create: () => [
      wrongLoanStatus({ status: 'active', blockers: {} }, ['pending'], ''),
      denialNoticeExists(),
    ],
  },
  create: addNotice,
  actions: {
    send: action({
      allow: 'loan_officer',
      summary: 'Send an adverse action notice that waits',
      description:
        'Sends a draft after you entered the missing settings or address. If something is still missing, the notice stays a draft and its task stays open. Answers 409 `invalid_transition` if it was already sent.',
      conflicts: () => [alreadySent()],
      body: z.object({}),
      run: sendDraft,
    }),
    'request-reasons': action({
      allow: 'loan_officer',
      summary: "Record an applicant's request for the reasons",
      description:
        'Creates a task that is due 30 days after the request. Answers 409 `too_late` if the request came more than 60 days after the notice, and 409 `reasons_stated` if the applicant already has all reasons.',
      conflicts: reasonsRequestConflicts,
      body: ReasonsRequest,
      run: requestReasons,
    }),
    'state-reasons': action({
      allow: 'loan_officer',
      summary: 'Send the statement of reasons',
      description:
        'Prints the specific reasons, sends them by letter and completes the task. Also possible without a request. Answers 409 `reasons_stated` if the applicant already has all reasons.',
      conflicts: reasonsConflicts,
      body: StatedReasons,
      example: () => ({ reasons: ['income_insufficient'] }),
      run: stateReasons,
    }),
  },
});
