import { z } from 'zod';
import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { dictionary } from '../../sql/dictionary.ts';
import { cases, completeReminders } from '../../sql/cases/cases.ts';
import * as stored from '../../sql/portal/hardship.ts';
import { RELIEFS, type Relief } from '../../sql/portal/hardship.ts';
import { findLocked, type Row } from '../../sql/table.ts';
import { prose, uuid } from '../../sql/types.ts';
import { update, type Values } from '../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';
import { statusFields, nonBlankProse } from '../cases/cases.ts';
import { answeredFields, updateCase, notifyBorrower, postStaffMessage } from '../cases/thread.ts';

export const APPLICATION_STATUSES = [
  ...(['submitted', 'under_review', 'more_info_needed', 'approved', 'denied'] as const),
  ...(['withdrawn', 'completed'] as const),
] as const;

/** Allowed actions by status. A decided application is final. */
const OPEN = ['approve', 'deny', 'withdraw'];
const ALLOWED = dictionary<readonly string[]>({
  submitted: ['review', 'request-info', ...OPEN],
  under_review: ['request-info', ...OPEN],
  more_info_needed: ['review', ...OPEN],
});

export const InfoRequest = z.object({
  message: nonBlankProse.describe('The information that you need. The borrower sees this text.'),
});
export const Denial = z.object({ reason: nonBlankProse.describe('The borrower sees this text.') });
export const Withdrawal = z.object({
  reason: prose
    .nullish()
    .describe(
      'Why the application ends. Becomes the resolution of the case, which the borrower sees.',
    ),
});
export const reliefFields = {
  resulting_type: z
    .enum(RELIEFS)
    .nullish()
    .describe(
      'The kind of an existing relief of the loan. Alternatively, send the terms of a new one under the name of its kind.',
    ),
  resulting_id: uuid.nullish().describe('The id of the existing relief.'),
  message: nonBlankProse.nullish().describe('The borrower sees this text.'),
};

/** Starts the review and assigns the case to the reviewer. */
export async function startReview(work: Work, id: string) {
  const { own } = await lockApplication(work, id, 'review');
  await update(work.tx, 'hardship_applications', id, { status: 'under_review' });
  const assigned_to = own['assigned_to'] ?? work.actor.id;
  await updateCase(work, own, { status: 'in_progress', assigned_to });
}

/** Requests missing information from the borrower in the application's case. */
export async function requestInformation(
  work: Work,
  id: string,
  words: z.output<typeof InfoRequest>,
) {
  const { own } = await lockApplication(work, id, 'request-info');
  await update(work.tx, 'hardship_applications', id, { status: 'more_info_needed' });
  await postStaffMessage(work, own, words);
  await updateCase(work, own, { ...answeredFields(work, own), status: 'waiting_on_borrower' });
  await completeReminders(work.tx, own.id, work.actor.id);
  const context = { case: { number: own['case_number'], subject: own['subject'] } };
  await notifyBorrower(work, own, 'case_answered', context);
}

/** Creates a relief for the loan with the regular operation for its kind. */
export type CreateRelief = (kind: Relief, loanId: string, terms: object) => Promise<string>;
type Approval = {
  resulting_type?: Relief | null | undefined;
  resulting_id?: string | null | undefined;
  message?: string | null | undefined;
} & { [Kind in Relief]?: object | null | undefined };

/** Approves an application with an existing relief, or with a new one created in the same transaction. */
export async function approveApplication(
  work: Work,
  id: string,
  input: Approval,
  make: CreateRelief,
) {
  const { row, own } = await lockApplication(work, id, 'approve');
  const relief = await reliefFor(work, String(row['loan_id']), input, make);
  await recordDecision(work, row, own, { decision: 'approved', ...relief }, input.message ?? null);
}

/** Denies an application with a reason. */
export async function denyApplication(work: Work, id: string, { reason }: z.output<typeof Denial>) {
  const { row, own } = await lockApplication(work, id, 'deny');
  await recordDecision(work, row, own, { decision: 'denied' }, reason);
}

/** Withdraws an application without a decision, because the borrower no longer wants relief. */
export async function withdrawApplication(
  work: Work,
  id: string,
  { reason }: z.output<typeof Withdrawal>,
) {
  const { row, own } = await lockApplication(work, id, 'withdraw');
  await update(work.tx, 'hardship_applications', id, { status: 'withdrawn' });
  const resolution = reason || `${String(row['application_number'])} was withdrawn.`;
  if (own['status'] !== 'closed')
    await updateCase(work, own, { ...statusFields(own, 'resolved'), resolution });
  await completeReminders(work.tx, own.id, work.actor.id);
}

/**
 * Locks the application, the borrower and the case, in this order. The caller has already locked the loan.
 */
async function lockApplication(work: Work, id: string, action: string) {
  const row = await findLocked(work.tx, stored.applications, id);
  if (row === null) throw new NotFound();
  const status = String(row['status']);
  const allowed_actions = ALLOWED[status] ?? [];
  if (!allowed_actions.includes(action)) {
    throw applicationDecided(status, allowed_actions);
  }
  await lockBorrower(work.tx, String(row['borrower_id']));
  const own = await findLocked(work.tx, cases, String(row['case_id']));
  if (own === null) throw new NotFound();
  return { row, own };
}

/** An application cannot be approved with a relief in one of these statuses. */
const VOID = ['canceled', 'rejected', 'reversed', 'broken'];

async function reliefFor(work: Work, loanId: string, input: Approval, make: CreateRelief) {
  const { resulting_type, resulting_id } = input;
  const [kind, other] = RELIEFS.filter((name) => input[name]);
  const isNamed = Boolean(resulting_id);
  if (other !== undefined || (kind !== undefined && isNamed))
    throw new Invalid({ [other ?? 'resulting_id']: 'Only one relief can be granted.' });
  if (kind !== undefined)
    return { resulting_type: kind, resulting_id: await make(kind, loanId, input[kind] ?? {}) };
  if (!resulting_type)
    throw new Invalid({ resulting_type: 'Is required unless the request contains a new relief.' });
  if (!resulting_id)
    throw new Invalid({ resulting_id: 'Is required unless the request contains a new relief.' });
  const status = await stored.findReliefStatus(work.tx, resulting_type, resulting_id, loanId);
  if (status === null) throw new Invalid({ resulting_id: 'Does not exist.' });
  if (!VOID.includes(status)) return { resulting_type, resulting_id };
  throw reliefNotInForce(status);
}

/** Records the decision, resolves the case and notifies the borrower. */
async function recordDecision(
  work: Work,
  row: Row,
  own: Row,
  decided: Values & { decision: 'approved' | 'denied' },
  words: string | null,
) {
  const { decision } = decided;
  await update(work.tx, 'hardship_applications', row.id, {
    ...decided,
    status: decision,
    decision_reason: words,
    decided_by: work.actor.id,
    decided_at: new Date().toISOString(),
  });
  if (words !== null) await postStaffMessage(work, own, { message: words });
  const number = String(row['application_number']);
  await updateCase(work, own, {
    ...answeredFields(work, own),
    ...statusFields(own, 'resolved'),
    resolution: `${number} was ${decision}.`,
  });
  await completeReminders(work.tx, own.id, work.actor.id);
  const hardship = { number, type: row['hardship_type'], date: work.today };
  const isApproved = decision === 'approved';
  await notifyBorrower(work, own, 'hardship_decided', {
    hardship,
    reason: words,
    was_approved: isApproved,
    was_denied: !isApproved,
  });
}

export const applicationDecided = (status: string, allowed_actions: readonly string[]) =>
  new Conflict(
    `This is not possible for an application that is ${status.replaceAll('_', ' ')}.`,
    'invalid_transition',
    {
      current_status: status,
      allowed_actions,
    },
  );

export const reliefNotInForce = (status: string) =>
  new Conflict(`The relief is ${status}. Choose a relief in force.`, 'relief_not_in_force', {
    current_status: status,
  });
