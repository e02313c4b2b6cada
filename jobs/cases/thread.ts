import { z } from 'zod';
import * as stored from '../../sql/cases/cases.ts';
import { casesOfBorrower } from '../../sql/portal/cases.ts';
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
import { createReplyTask, createUnsentMessageTask } from './tasks.ts';

export const attachmentIds = z
  .array(uuid)
  .max(10)
  .describe('The ids of documents, up to 10. The borrower must be able to see each of them.');

type MessageInput = { message: string; attachments?: readonly string[] | undefined };

/** Posts a borrower's message. Reopens a resolved case; throws Conflict for a closed one. */
export async function postBorrowerMessage(
  work: Work,
  borrowerId: string,
  caseId: string,
  words: MessageInput,
) {
  if ((await find(work.tx, casesOfBorrower(borrowerId), caseId)) === null) throw new NotFound();
  const row = await findLocked(work.tx, stored.cases, caseId);
  if (row === null) throw new NotFound();
  assertNotClosed(row);
  const id = await addMessage(work, row, words, 'borrower');
  const status = row['status'] === 'in_progress' ? 'in_progress' : 'open';
  await updateCase(work, row, { ...statusFields(row, status), awaits_answer: true });
  await createReplyTask(work, caseOf(row));
  return id;
}

type Answer = MessageInput & { case_id: string; is_internal: boolean };

/**
 * Posts a staff message: to the borrower, who is notified, or as an internal note. Answering an unassigned
 * case assigns it to the author.
 */
export async function answerCase(work: Work, { case_id, is_internal, ...words }: Answer) {
  const row = await findLocked(work.tx, stored.cases, case_id);
  if (row === null) throw new NotFound();
  assertNotClosed(row);
  if (is_internal) return addMessage(work, row, words, 'agent', true);
  const id = await postStaffMessage(work, row, words);
  const isSettled = row['status'] === 'resolved';
  const status = isSettled ? 'resolved' : 'waiting_on_borrower';
  await updateCase(work, row, { ...answeredFields(work, row), status });
  await stored.completeReminders(work.tx, case_id, work.actor.id);
  const context = { case: { number: row['case_number'], subject: row['subject'] } };
  await notifyBorrower(work, row, 'case_answered', context);
  return id;
}

/** Posts a staff message that the borrower can see. */
export const postStaffMessage = (work: Work, row: Row, words: MessageInput) =>
  addMessage(work, row, words, 'agent');

/** The changes to a case after a staff answer. */
export const answeredFields = ({ actor }: Work, row: Row) => ({
  awaits_answer: false,
  is_visible_to_borrower: true,
  first_response_at: row['first_response_at'] ?? new Date().toISOString(),
  assigned_to: row['assigned_to'] ?? actor.id,
});

/** Updates a locked case, with an audit entry. */
export async function updateCase(work: Work, row: Row, changes: Record<string, unknown>) {
  const last_message_at = new Date().toISOString();
  await auditChange(work, stored.cases, 'message', row, async () => {
    await update(work.tx, 'support_cases', row.id, { last_message_at, ...changes });
    return row.id;
  });
}

/** Notifies the borrower. If no message can be sent, creates a task for staff. */
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
    // A broken tenant template must not prevent the answer.
    if (!(error instanceof Invalid)) throw error;
    await createUnsentMessageTask(work, about, Object.values(error.errors).join(' '));
  }
}

async function addMessage(
  work: Work,
  row: Row,
  { message, attachments: documents = [] }: MessageInput,
  author_type: 'borrower' | 'agent',
  is_internal = false,
): Promise<string> {
  if (
    documents.length > 0 &&
    !(await canSeeAllDocuments(work.tx, String(row['borrower_id']), documents))
  )
    throw new Invalid({ attachments: 'Contains a document that the borrower cannot see.' });
  const names = await namesOf(work);
  return insert(work.tx, 'support_case_messages', {
    case_id: row.id,
    author_type,
    author_id: work.actor.id,
    author_name: `${names.first_name} ${names.last_name}`.trim(),
    // Borrowers see only the first name of staff.
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
  if (status === 'closed') throw caseClosed();
}

export const caseClosed = () =>
  new Conflict('The case is closed. Open a new one.', 'case_closed', { current_status: 'closed' });

const caseOf = (row: Row) => ({
  id: row.id,
  case_number: String(row['case_number']),
  borrower_id: String(row['borrower_id']),
  loan_id: (row['loan_id'] as string | null) ?? null,
  assigned_to: (row['assigned_to'] as string | null) ?? null,
});
