import { dictionary } from '../../sql/dictionary.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { isLiable } from '../../sql/loans/co-borrowers.ts';
import * as stored from '../../sql/portal/cases.ts';
import * as applications from '../../sql/portal/hardship.ts';
import type { Row } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { createReplyTask, createDisputeTask } from './case-tasks.ts';
import { assertOwnLoan } from './own-loans.ts';

export const CASE_TYPES = [
  ...(['dispute', 'payment_issue', 'billing_question', 'hardship', 'complaint'] as const),
  ...(['technical', 'document_request', 'payoff_request', 'credit_report_dispute'] as const),
  'general',
] as const;
export const CASE_STATUSES = [
  ...(['open', 'in_progress', 'waiting_on_borrower', 'resolved', 'closed'] as const),
] as const;
export const CASE_SOURCES = ['portal', 'agent', 'system', 'email', 'sms'] as const;

/** Multi-line text that is not blank. */
export const nonBlankProse = prose.refine((text) => text.trim() !== '', 'Must not be empty.');

/** Maximum open cases per borrower. */
const OPEN_MAX = 20;

/** Status changes that staff can make. A closed case stays closed. */
const NEXT = dictionary<readonly string[]>({
  open: ['in_progress', 'waiting_on_borrower', 'resolved', 'closed'],
  in_progress: ['open', 'waiting_on_borrower', 'resolved', 'closed'],
  waiting_on_borrower: ['open', 'in_progress', 'resolved', 'closed'],
  resolved: ['open', 'in_progress', 'closed'],
  closed: [],
});

export type CaseRequest = {
  borrower_id: string;
  loan_id?: string | null | undefined;
  subject: string;
  description: string;
  case_type: (typeof CASE_TYPES)[number];
};

/**
 * Opens a case for a borrower's request. In the same transaction, creates the answer task and, for a credit
 * dispute, the dispute task.
 */
export async function openBorrowerCase(work: Work, question: CaseRequest): Promise<string> {
  if (question.loan_id) await assertOwnLoan(work, question.borrower_id, question.loan_id);
  await lockBorrower(work.tx, question.borrower_id);
  if ((await stored.countOpenCases(work.tx, question.borrower_id)) >= OPEN_MAX) {
    const message = `You have ${OPEN_MAX} open cases. Add a message to one of them.`;
    throw new Conflict(message, 'too_many_cases');
  }
  const number = await stored.nextCaseNumber(work.tx, work.today.slice(0, 4));
  return openCase(work, number, { ...question, source: 'portal' });
}

/** Opens a case with a given number and creates its tasks. The borrower must be locked. */
export async function openCase(
  work: Work,
  number: string,
  opened: CaseRequest & Values & { source: (typeof CASE_SOURCES)[number] },
): Promise<string> {
  const isTheirs = opened.source === 'portal';
  const case_number = `C-${number}`;
  const id = await insert(work.tx, 'support_cases', {
    is_visible_to_borrower: isTheirs,
    ...opened,
    case_number,
    awaits_answer: isTheirs,
  });
  const { borrower_id, loan_id = null, case_type } = opened;
  const row = { id, case_number, borrower_id, loan_id };
  if (isTheirs) await createReplyTask(work, { ...row, assigned_to: null });
  const isDispute = case_type === 'dispute' || case_type === 'credit_report_dispute';
  if (isDispute && loan_id !== null && (await stored.isReportedToBureaus(work.tx, loan_id)))
    await createDisputeTask(work, row);
  return id;
}

type NewCase = CaseRequest &
  Values & { status: (typeof CASE_STATUSES)[number]; assigned_to?: string | null | undefined };

/** Opens a case on behalf of staff. The borrower does not see it until staff write to the borrower. */
export async function addCase(work: Work, input: NewCase): Promise<string> {
  const { borrower_id, loan_id, status, assigned_to } = input;
  if (status !== 'open' && status !== 'in_progress')
    throw new Invalid({ status: 'Must be open or in_progress for a new case.' });
  await lockBorrower(work.tx, borrower_id);
  if (loan_id && !(await isLiable(work.tx, loan_id, borrower_id)))
    throw new Invalid({ loan_id: 'Does not exist.' });
  await checkWorker(work, assigned_to);
  const number = await stored.nextCaseNumber(work.tx, work.today.slice(0, 4));
  return openCase(work, number, { ...input, source: 'agent' });
}

type Changes = Values & { status?: string | undefined; assigned_to?: string | null | undefined };

/** Changes a case. Resolving or closing it requires a resolution and completes its reminders. */
export async function changeCase(work: Work, id: string, changes: Changes, row: Row) {
  if (changes.assigned_to !== row['assigned_to']) await checkWorker(work, changes.assigned_to);
  const status = changes.status ?? String(row['status']);
  const from = String(row['status']);
  if (status === from) return update(work.tx, 'support_cases', id, changes);
  assertTransition(from, status);
  const isOver = status === 'resolved' || status === 'closed';
  if (isOver && !String(changes['resolution'] ?? row['resolution'] ?? '').trim())
    throw new Invalid({ resolution: 'Is required to resolve or close a case.' });
  if (isOver && (await applications.hasOpenApplicationInCase(work.tx, id)))
    throw new Conflict('Decide the hardship application of this case first.', 'application_open');
  await update(work.tx, 'support_cases', id, { ...changes, ...statusFields(row, status) });
  if (isOver) await stored.completeReminders(work.tx, id, work.actor.id);
}

function assertTransition(from: string, to: string) {
  const allowed_statuses = NEXT[from] ?? [];
  if (allowed_statuses.includes(to)) return;
  throw new Conflict(`A case that is ${from} cannot become ${to}.`, 'invalid_transition', {
    current_status: from,
    allowed_statuses,
  });
}

/** The fields that follow from a status. */
export function statusFields(row: Row, status: string): Values {
  const now = new Date().toISOString();
  if (status === 'resolved') return { status, resolved_at: now, awaits_answer: false };
  if (status === 'closed')
    return { status, resolved_at: row['resolved_at'] ?? now, closed_at: now, awaits_answer: false };
  return { status, resolved_at: null };
}

async function checkWorker({ tx }: Work, userId: string | null | undefined) {
  if (!userId || (await stored.canWorkOnCases(tx, userId))) return;
  throw new Invalid({ assigned_to: 'Does not exist.' });
}
