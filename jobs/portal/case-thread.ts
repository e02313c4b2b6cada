import { z } from 'zod';
import * as stored from '../../sql/portal/cases.ts';
import { canSeeAllDocuments } from '../../sql/portal/documents.ts';
import { find, findLocked, type Row } from '../../sql/table.ts';
import { uuid } from '../../sql/types.ts';
import { insert, update } from '../../sql/write.ts';
import type { TemplateType } from '../../templates/messages.ts';
import { auditChange } from '../audit.ts';
import { compose } from '../communications/compose.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { statusFields } from './cases.ts';
import { createReplyTask, createUnsentMessageTask } from './case-tasks.ts';

/** Documents that go along with a message; the borrower sees each of them. */
export const attachmentIds = z.array(uuid).max(10);

type Words = { message: string; attachments?: readonly string[] | undefined };

/** What a borrower says in a case of theirs: one that was settled is open again, a closed one is not. */
export async function postBorrowerMessage(
  work: Work,
  borrowerId: string,
  caseId: string,
  words: Words,
) {
  if ((await find(work.tx, stored.casesOfBorrower(borrowerId), caseId)) === null)
    throw new NotFound();
  const row = await findLocked(work.tx, stored.cases, caseId);
  if (row === null) throw new NotFound();
  assertNotClosed(row);
  const id = await say(work, row, words, 'borrower');
  const status = row['status'] === 'in_progress' ? 'in_progress' : 'open';
  await updateCase(work, row, { ...statusFields(row, status), awaits_answer: true });
  await createReplyTask(work, caseOf(row));
  return id;
}

type Answer = Words & { case_id: string; is_internal: boolean };

/**
 * What one of the staff says in a case: to the borrower, who is told that there is an answer, or among
 * themselves. Whoever answers a case that is nobody's takes it.
 */
export async function answerCase(work: Work, { case_id, is_internal, ...words }: Answer) {
  const row = await findLocked(work.tx, stored.cases, case_id);
  if (row === null) throw new NotFound();
  assertNotClosed(row);
  if (is_internal) return say(work, row, words, 'agent', true);
  const id = await postStaffMessage(work, row, words);
  const isSettled = row['status'] === 'resolved';
  const status = isSettled ? 'resolved' : 'waiting_on_borrower';
  await updateCase(work, row, { ...answeredFields(work, row), status });
  await stored.completeReminders(work.tx, case_id, work.actor.id);
  const context = { case: { number: row['case_number'], subject: row['subject'] } };
  await notifyBorrower(work, row, 'case_answered', context);
  return id;
}

/** Says something to the borrower in a case, which they see from then on. */
export const postStaffMessage = (work: Work, row: Row, words: Words) =>
  say(work, row, words, 'agent');

/** What a case says of itself once staff have spoken in it. */
export const answeredFields = ({ actor }: Work, row: Row) => ({
  awaits_answer: false,
  is_visible_to_borrower: true,
  first_response_at: row['first_response_at'] ?? new Date().toISOString(),
  assigned_to: row['assigned_to'] ?? actor.id,
});

/** Changes a case that is locked, and says so in its history. */
export async function updateCase(work: Work, row: Row, changes: Record<string, unknown>) {
  const last_message_at = new Date().toISOString();
  await auditChange(work, stored.cases, 'message', row, async () => {
    await update(work.tx, 'support_cases', row.id, { last_message_at, ...changes });
    return row.id;
  });
}

/** Tells the borrower by mail; where nothing can go out, staff are asked to. */
export async function notifyBorrower(
  work: Work,
  row: Row,
  template_type: TemplateType,
  context: object,
) {
  const about = caseOf(row);
  try {
    await compose(work, {
      template_type,
      borrower_id: about.borrower_id,
      loan_id: about.loan_id,
      context: { ...context },
      triggered_by: work.actor.type === 'borrower' ? 'portal' : 'system',
    });
  } catch (error) {
    // A template of the tenant's that does not work is no reason to refuse what was answered.
    if (!(error instanceof Invalid)) throw error;
    await createUnsentMessageTask(work, about, Object.values(error.errors).join(' '));
  }
}

async function say(
  work: Work,
  row: Row,
  { message, attachments: documents = [] }: Words,
  author_type: 'borrower' | 'agent',
  is_internal = false,
): Promise<string> {
  if (
    documents.length > 0 &&
    !(await canSeeAllDocuments(work.tx, String(row['borrower_id']), documents))
  )
    throw new Invalid({ attachments: 'Names a document that the borrower does not see.' });
  const names = await namesOf(work);
  return insert(work.tx, 'support_case_messages', {
    case_id: row.id,
    author_type,
    author_id: work.actor.id,
    author_name: `${names.first_name} ${names.last_name}`.trim(),
    // Whoever works for a lender is known to its borrowers by the first name alone.
    shown_name:
      author_type === 'agent' ? names.first_name : `${names.first_name} ${names.last_name}`,
    message,
    is_internal,
    attachments: documents,
  });
}

async function namesOf({ tx, actor }: Work) {
  const named = actor.id === null ? null : await stored.findUserName(tx, actor.id);
  return named ?? { first_name: 'System', last_name: '' };
}

function assertNotClosed({ status }: Row) {
  if (status !== 'closed') return;
  throw new Conflict('The case is closed. Open another one.', 'case_closed', {
    current_status: 'closed',
  });
}

const caseOf = (row: Row) => ({
  id: row.id,
  case_number: String(row['case_number']),
  borrower_id: String(row['borrower_id']),
  loan_id: (row['loan_id'] as string | null) ?? null,
  assigned_to: (row['assigned_to'] as string | null) ?? null,
});
