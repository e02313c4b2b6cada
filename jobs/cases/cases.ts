import { dictionary } from '../../sql/dictionary.ts';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { listConditionsOfCase } from '../../sql/cases/conditions.ts';
import * as stored from '../../sql/cases/cases.ts';
import { isLiable } from '../../sql/loans/co-borrowers.ts';
import { areDocumentsAbout } from '../../sql/portal/documents.ts';
import * as applications from '../../sql/portal/hardship.ts';
import type { Row } from '../../sql/table.ts';
import { prose } from '../../sql/types.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { cancelReminders, recordFacts, withdrawFacts, type FactualCase } from './record-facts.ts';
import { lastsBeyondCase } from './rules/conditions.ts';
import { hasFacts, isLegal, isPersonal, LEGAL_TYPES } from './rules/facts.ts';
import { createReplyTask, createDisputeTask } from './tasks.ts';

/** The types that a borrower can choose in the portal. */
export const REQUEST_TYPES = [
  ...(['dispute', 'payment_issue', 'billing_question', 'hardship', 'complaint'] as const),
  ...(['technical', 'document_request', 'payoff_request', 'credit_report_dispute'] as const),
  'general',
] as const;
export const CASE_TYPES = [...REQUEST_TYPES, ...LEGAL_TYPES] as const;
export const CASE_STATUSES = [
  ...(['open', 'in_progress', 'waiting_on_borrower', 'resolved', 'closed'] as const),
] as const;
export const CASE_SOURCES = ['portal', 'agent', 'system', 'email', 'sms'] as const;

/** Multi-line text that is not blank. */
export const nonBlankProse = prose.refine((text) => text.trim() !== '', 'Must not be empty.');

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
type FactChanges = { facts?: object | null | undefined; facts_reason?: string | null | undefined };

/** Opens a case with a given number and creates its tasks. The borrower must be locked. */
export async function openCase(
  work: Work,
  number: string,
  {
    facts,
    facts_reason = null,
    ...opened
  }: CaseRequest & FactChanges & Values & { source: (typeof CASE_SOURCES)[number] },
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
  const about = factualCase({ ...opened, ...row });
  if (facts && about) await recordFacts(work, about, facts, facts_reason);
  return id;
}

type NewCase = CaseRequest &
  FactChanges &
  Values & {
    status: (typeof CASE_STATUSES)[number];
    assigned_to?: string | null | undefined;
    opened_in_error?: boolean | undefined;
    document_ids?: readonly string[] | undefined;
  };

/** Opens a case on behalf of staff. The borrower does not see it until staff write to the borrower. */
export async function addCase(work: Work, input: NewCase): Promise<string> {
  const { borrower_id, loan_id = null, status, assigned_to, case_type, facts } = input;
  if (status !== 'open' && status !== 'in_progress')
    throw new Invalid({ status: 'Must be open or in_progress for a new case.' });
  if (input.opened_in_error)
    throw new Invalid({ opened_in_error: 'Must be false for a new case.' });
  assertFactsFit(case_type, facts, loan_id);
  await lockBorrower(work.tx, borrower_id);
  if (loan_id && !(await isLiable(work.tx, loan_id, borrower_id)))
    throw new Invalid({ loan_id: 'Is not a loan that the borrower owes.' });
  await checkWorker(work, assigned_to);
  await checkDocuments(work, borrower_id, input.document_ids);
  await assertOnlyOpenCase(work, borrower_id, case_type, null);
  const number = await stored.nextCaseNumber(work.tx, work.today.slice(0, 4));
  return openCase(work, number, { ...input, source: 'agent' });
}

type Changes = FactChanges &
  Values & {
    case_type?: (typeof CASE_TYPES)[number] | undefined;
    status?: string | undefined;
    assigned_to?: string | null | undefined;
    opened_in_error?: boolean | undefined;
    document_ids?: readonly string[] | undefined;
  };

/**
 * Changes a case. Resolving or closing it requires a resolution and completes its reminders. Changed facts are a new
 * version with everything that follows from them; they can also be corrected after the case was closed.
 */
export async function changeCase(
  work: Work,
  id: string,
  { facts, facts_reason, ...changes }: Changes,
  row: Row,
) {
  const borrower_id = String(row['borrower_id']);
  if (changes.assigned_to !== row['assigned_to']) await checkWorker(work, changes.assigned_to);
  await checkDocuments(work, borrower_id, changes.document_ids);
  const type = changes.case_type;
  if (type !== undefined && type !== row['case_type'])
    await assertOnlyOpenCase(work, borrower_id, type, id);
  await changeFacts(work, { facts, facts_reason }, changes, row);
  const wasInError = row['opened_in_error'] === true;
  if (wasInError && changes.opened_in_error === false)
    throw new Conflict('The case was opened in error. Open a new one.', 'case_closed');
  const isInError = !wasInError && changes.opened_in_error === true;
  const status = isInError ? 'closed' : (changes.status ?? String(row['status']));
  const from = String(row['status']);
  if (isInError) await withdrawErroneousCase(work, changes, row);
  const isOver = status === 'resolved' || status === 'closed';
  if (facts && isOver && !isInError) await assertConditionsEnd(work, id);
  if (status === from) return update(work.tx, 'support_cases', id, changes);
  assertTransition(from, status);
  if (isOver) await assertMayEnd(work, id, changes, row);
  else await assertOnlyOpenCase(work, borrower_id, String(row['case_type']), id);
  await update(work.tx, 'support_cases', id, { ...changes, ...statusFields(row, status) });
  if (isOver) await stored.completeReminders(work.tx, id, work.actor.id);
  const about = factualCase(row);
  if (status === 'closed' && about) await cancelReminders(work, about);
}

/** Records changed facts, or changes the type of a case that has none. */
async function changeFacts(
  work: Work,
  { facts, facts_reason }: FactChanges,
  { case_type }: Pick<Changes, 'case_type'>,
  row: Row,
) {
  const before = String(row['case_type']);
  const type = case_type ?? before;
  if (type !== before && row['facts'] !== null)
    throw new Invalid({
      case_type: 'Cannot be changed once the case has facts. Open another case.',
    });
  if (type !== before && facts === undefined) assertFactsFit(type, facts, row['loan_id']);
  if (facts === undefined) {
    if (facts_reason && facts_reason !== row['facts_reason'])
      throw new Invalid({ facts: 'Is required with a new facts_reason.' });
    return;
  }
  if (facts === null && row['facts'] === null && !isLegal(type)) return;
  assertFactsFit(type, facts, row['loan_id']);
  const about = factualCase({ ...row, case_type: type });
  if (!about || !facts) throw new Invalid({ facts: 'Cannot be removed. Set opened_in_error.' });
  if (row['opened_in_error'] === true)
    throw new Conflict('The case was opened in error. Open a new one.', 'case_closed');
  await recordFacts(work, about, facts, facts_reason);
}

async function withdrawErroneousCase(work: Work, changes: Changes, row: Row) {
  assertResolved(changes, row);
  const about = factualCase(row);
  if (about) await withdrawFacts(work, about);
}

/** A case has facts if its type has some. The facts of legal types are required. */
function assertFactsFit(type: string, facts: object | null | undefined, loanId: unknown) {
  if (isLegal(type) && !facts)
    throw new Invalid({
      facts: 'Is required for this case_type. The guide about cases lists the facts of each type.',
    });
  if (facts && !hasFacts(type)) throw new Invalid({ facts: 'Must be omitted for this case_type.' });
  if (isPersonal(type) && loanId)
    throw new Invalid({
      loan_id: 'Must be omitted for this case_type, which concerns all loans of the person.',
    });
}

/** A person has one open case of a type that is about the person: a second one would contradict the first. */
async function assertOnlyOpenCase(
  work: Work,
  borrowerId: string,
  type: string,
  except: string | null,
) {
  if (!isPersonal(type)) return;
  const other = await stored.findOpenCaseOfType(work.tx, borrowerId, type, except);
  if (other === null) return;
  throw caseExists(other);
}

async function assertMayEnd(work: Work, id: string, changes: Changes, row: Row) {
  assertResolved(changes, row);
  if (await applications.hasOpenApplicationInCase(work.tx, id)) throw applicationOpen();
  if (!changes.opened_in_error) await assertConditionsEnd(work, id);
}

/** A case that is over has no temporary condition without an end: nobody would watch for it. */
async function assertConditionsEnd(work: Work, id: string) {
  const conditions = await listConditionsOfCase(work.tx, id);
  const lasting = conditions.find(
    ({ condition, until_date }) => until_date === null && !lastsBeyondCase(condition),
  );
  if (lasting === undefined) return;
  throw conditionsOpen(lasting.condition);
}

function assertResolved(changes: Changes, row: Row) {
  if (!String(changes['resolution'] ?? row['resolution'] ?? '').trim())
    throw new Invalid({ resolution: 'Is required to resolve or close a case.' });
}

function factualCase(row: Values): FactualCase | null {
  const case_type = String(row['case_type']);
  if (!hasFacts(case_type)) return null;
  return {
    id: String(row['id']),
    case_number: String(row['case_number']),
    case_type,
    borrower_id: String(row['borrower_id']),
    loan_id: (row['loan_id'] as string | null | undefined) ?? null,
    assigned_to: (row['assigned_to'] as string | null | undefined) ?? null,
    is_closed: row['status'] === 'closed',
  };
}

function assertTransition(from: string, to: string) {
  const allowed_statuses = NEXT[from] ?? [];
  if (allowed_statuses.includes(to)) return;
  throw caseTransition(from, to, allowed_statuses);
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

async function checkDocuments({ tx }: Work, borrowerId: string, ids: readonly string[] = []) {
  if (ids.length === 0 || (await areDocumentsAbout(tx, borrowerId, ids))) return;
  throw new Invalid({ document_ids: 'Contains a document that is not about the borrower.' });
}

export const conditionsOpen = (condition: string) =>
  new Conflict(
    `The condition ${condition} has no end. Complete the facts, for example with the date of the dismissal, or the last day. If the condition goes on, keep the case open or open a new one.`,
    'conditions_open',
    { condition },
  );

export const caseExists = (other: { id: string; case_number: string }) =>
  new Conflict(
    `The borrower has an open case of this type: ${other.case_number}. Correct its facts, or close it first.`,
    'already_exists',
    { case_id: other.id },
  );

export const caseTransition = (from: string, to: string, allowed_statuses: readonly string[]) =>
  new Conflict(`A case that is ${from} cannot become ${to}.`, 'invalid_transition', {
    current_status: from,
    allowed_statuses,
  });

export const applicationOpen = () =>
  new Conflict('Decide the hardship application of this case first.', 'application_open');
