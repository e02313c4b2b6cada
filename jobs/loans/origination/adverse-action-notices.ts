import { z } from 'zod';
import * as decisions from '../../../sql/loans/origination/decisions.ts';
import { isLiable } from '../../../sql/loans/co-borrowers.ts';
import * as stored from '../../../sql/loans/origination/adverse-action.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { date, prose, requiredFreeText } from '../../../sql/types.ts';
import { update } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { refusalDetails } from '../products/refusals.ts';
import type { Work } from '../../work.ts';
import {
  createTask,
  orderNotice,
  recordNotice,
  sendByLetter,
  sendNotice,
} from './adverse-action.ts';
import { CreditReport } from './credit-report.ts';
import { DENIAL_CODES, type DenialReason } from './denial-reasons.ts';

/** More than four reasons are unlikely to help an applicant (official commentary on 12 CFR 1002.9(b)(2)). */
export const REASONS_MAX = 4;

/** The applicant may ask for the reasons within 60 days, and gets them within 30 (12 CFR 1002.9(a)(2)(ii)). */
const REQUEST_DAYS = 60;
const ANSWER_DAYS = 30;

export const noticeFields = {
  kind: z
    .enum(stored.NOTICE_KINDS)
    .default('denial')
    .describe(
      '`denial`: for another applicant of a denied loan, or for an application that you refused by canceling it. `counteroffer`: you offer other terms than those requested. `incomplete_application`: you need more information to decide.',
    ),
  reasons: z
    .array(z.enum(DENIAL_CODES))
    .max(REASONS_MAX)
    .default([])
    .describe(
      'The principal reasons. Without reasons, or with `other`, the notice says how to get them.',
    ),
  other_reasons: z
    .array(requiredFreeText)
    .max(REASONS_MAX)
    .default([])
    .describe(
      'Specific reasons for which there is no code, in the language of the applicant. At most four reasons in total.',
    ),
  counteroffer: prose
    .nullish()
    .describe('The terms that you offer, such as amount, rate and term. Only for `counteroffer`.'),
  information_needed: z
    .array(requiredFreeText)
    .max(20)
    .default([])
    .describe('What the applicant must send. Only for `incomplete_application`.'),
  respond_by: date
    .nullish()
    .describe(
      'The last day for the answer of the applicant. Required for `counteroffer` and `incomplete_application`. A task is then due.',
    ),
};

type Input = {
  loan_id: string;
  borrower_id?: string | null | undefined;
  kind: stored.NoticeKind;
  reasons: DenialReason[];
  other_reasons: string[];
  counteroffer?: string | null | undefined;
  information_needed: string[];
  respond_by?: string | null | undefined;
  credit_report?: CreditReport | null | undefined;
};

/** Records and sends a notice about an application. `denyLoan` does this itself for the primary applicant. */
export async function addNotice(work: Work, input: Input): Promise<string> {
  const loan = await loans.lockLoan(work.tx, input.loan_id);
  if (loan === null) throw new NotFound();
  const borrower_id = input.borrower_id ?? loan.borrower_id;
  if (!(await isLiable(work.tx, loan.id, borrower_id)))
    throw new Invalid({ borrower_id: 'Is not an applicant of this loan.' });
  assertComplete(work, input);
  const expected = input.kind === 'denial' ? ['denied', 'canceled'] : ['pending'];
  if (!expected.includes(loan.status)) {
    const next = input.kind === 'denial' ? ' Deny the loan, which sends the notice.' : '';
    throw wrongLoanStatus(loan, expected, next);
  }
  if (input.kind === 'denial' && (await stored.hasDenialNotice(work.tx, loan.id, borrower_id)))
    throw denialNoticeExists();
  return recordNotice(work, loan, {
    ...input,
    borrower_id,
    counteroffer: input.counteroffer ?? null,
    respond_by: input.respond_by ?? null,
    credit_report: input.credit_report ?? null,
  });
}

function assertComplete({ today }: Work, input: Input) {
  const { kind, reasons, other_reasons, counteroffer, information_needed, respond_by } = input;
  const errors: Record<string, string> = {};
  if (reasons.length + other_reasons.length > REASONS_MAX)
    errors['reasons'] = `Give at most ${REASONS_MAX} reasons, together with other_reasons.`;
  if (kind === 'counteroffer' && !counteroffer)
    errors['counteroffer'] = 'Is required for a counteroffer.';
  if (kind !== 'counteroffer' && counteroffer)
    errors['counteroffer'] = 'Is only for a counteroffer.';
  const isIncomplete = kind === 'incomplete_application';
  if (isIncomplete !== information_needed.length > 0)
    errors['information_needed'] = isIncomplete
      ? 'Is required for an incomplete application.'
      : 'Is only for an incomplete application.';
  if (isIncomplete && reasons.length + other_reasons.length > 0)
    errors['reasons'] = 'An incomplete application has no reasons. It is not decided yet.';
  if (kind === 'denial' && respond_by) errors['respond_by'] = 'A denial needs no answer.';
  if (kind !== 'denial' && (!respond_by || respond_by <= today))
    errors['respond_by'] = 'Give a day after the business date.';
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/** Sends a draft after the missing settings or the missing address were entered. */
export async function sendDraft(work: Work, id: string) {
  const { loan, notice } = await openNotice(work, id);
  if (notice.status === 'sent') throw alreadySent();
  await sendNotice(work, loan, id);
}

export const ReasonsRequest = z.object({
  requested_on: date
    .nullish()
    .describe('When you received the request. Default: the business date.'),
});

/** Records that the applicant asked for the reasons. A task is due within the legal deadline. */
export async function requestReasons(
  work: Work,
  id: string,
  { requested_on }: z.output<typeof ReasonsRequest>,
) {
  const { loan, notice } = await openNotice(work, id);
  const sentOn = assertReasonsDue(notice);
  const { reasons_requested_on: known } = notice;
  if (known !== null) throw alreadyRequested(known);
  const day = requested_on ?? work.today;
  if (day > work.today || day < sentOn)
    throw new Invalid({
      requested_on: `Must be from ${sentOn} to the business date, ${work.today}.`,
    });
  const last = addDays(sentOn, REQUEST_DAYS);
  if (day > last) throw requestedTooLate(last);
  const due = addDays(day, ANSWER_DAYS);
  await update(work.tx, 'adverse_action_notices', id, {
    reasons_requested_on: day,
    reasons_due_on: due,
  });
  const { borrower_id } = notice;
  const title = `State the reasons for the decision about ${loan.loan_number}`;
  await createTask(work, { id, loan_id: loan.id, borrower_id, title, due_date: due });
}

const specificCode = z.enum(
  DENIAL_CODES.filter((code) => code !== 'other') as [DenialReason, ...DenialReason[]],
);

export const StatedReasons = z
  .object({
    reasons: z
      .array(specificCode)
      .max(REASONS_MAX)
      .default([])
      .describe('The principal reasons, as codes.'),
    other_reasons: noticeFields.other_reasons,
  })
  .refine(
    ({ reasons, other_reasons }) => {
      const count = reasons.length + other_reasons.length;
      return count > 0 && count <= REASONS_MAX;
    },
    { message: 'Give one to four reasons.', path: ['reasons'] },
  );

/** Sends the statement of specific reasons (12 CFR 1002.9(b)(2)), requested or not. */
export async function stateReasons(work: Work, id: string, input: z.output<typeof StatedReasons>) {
  const { loan, notice } = await openNotice(work, id);
  assertReasonsDue(notice);
  const document_id = await orderNotice(work, loan, notice, input);
  const isSent = await sendByLetter(work, loan, notice, document_id, true);
  await update(work.tx, 'adverse_action_notices', id, {
    ...input,
    statement_document_id: document_id,
    ...(isSent && { reasons_stated_on: work.today }),
  });
  const { kind, borrower_id } = notice;
  if (kind === 'denial' && borrower_id === loan.borrower_id) {
    const codes = [...input.reasons, ...(input.other_reasons.length > 0 ? ['other'] : [])];
    await decisions.setDenialReasons(work.tx, loan.id, codes);
  }
  if (isSent) return stored.completeNoticeTasks(work.tx, id);
  const title = `Send the statement of reasons about ${loan.loan_number}`;
  const due_date = notice.reasons_due_on ?? addDays(work.today, ANSWER_DAYS);
  await createTask(work, { id, loan_id: loan.id, borrower_id, title, due_date });
}

async function openNotice(work: Work, id: string) {
  const loanId = await stored.findLoanOfNotice(work.tx, id);
  const loan = loanId === null ? null : await loans.lockLoan(work.tx, loanId);
  if (loan === null) throw new NotFound();
  return { loan, notice: await stored.lockNotice(work.tx, id) };
}

/** Returns the day on which the notice was sent. Throws Conflict unless it left reasons open. */
function assertReasonsDue({ sent_on, has_right_to_reasons, reasons_stated_on }: stored.Notice) {
  if (sent_on === null) throw notSentYet();
  if (has_right_to_reasons && reasons_stated_on === null) return sent_on;
  throw reasonsStated();
}

export const alreadySent = () =>
  new Conflict('The notice was already sent.', 'invalid_transition', { current_status: 'sent' });
const notSentYet = () =>
  new Conflict('The notice was not sent yet. Send it first.', 'invalid_transition', {
    current_status: 'draft',
  });
const reasonsStated = () =>
  new Conflict('The applicant already has all reasons.', 'reasons_stated');
const alreadyRequested = (day: string) =>
  new Conflict(`The request of ${day} is already recorded.`, 'already_exists');
const requestedTooLate = (last: string) =>
  new Conflict(
    `The right to ask for the reasons ended on ${last}. You may still state them.`,
    'too_late',
    { ended_on: last },
  );

export const reasonsConflicts = () => [reasonsStated(), notSentYet()];
export const reasonsRequestConflicts = () => [
  requestedTooLate('2026-01-15'),
  alreadyRequested('2026-01-10'),
  ...reasonsConflicts(),
];

export const denialNoticeExists = () =>
  new Conflict('This applicant already has a notice of the denial.', 'already_exists');

export const wrongLoanStatus = (
  loan: Parameters<typeof refusalDetails>[0],
  expected: readonly string[],
  next: string,
) =>
  new Conflict(
    `The loan is ${loan.status}. Such a notice is for a loan that is ${expected.join(' or ')}.${next}`,
    'invalid_transition',
    refusalDetails(loan),
  );
