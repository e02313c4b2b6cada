import { z } from 'zod';
import { autopayPlans } from '../../../sql/payments/autopay-plans.ts';
import * as borrowers from '../../../sql/borrowers/borrowers.ts';
import * as parties from '../../../sql/loans/co-borrowers.ts';
import { hasForms } from '../../../sql/loans/forms-1099c.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { payments } from '../../../sql/payments/payments.ts';
import { findLocked, type Row } from '../../../sql/table.ts';
import { date, prose } from '../../../sql/types.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { followConditions, followRelease } from '../../cases/conditions-changed.ts';
import { auditChange } from '../../audit.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { cancelAutopayPlan } from '../../payments/autopay/autopay-plan.ts';
import { removePayment } from '../../payments/change.ts';
import type { Work } from '../../work.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { openLoan } from '../history/open-loan.ts';
import { syncFormsOfDebtor } from '../outcomes/sync-forms-1099c.ts';
import { refusalDetails } from '../products/refusals.ts';

const CO_BORROWERS_MAX = 10;

/** Statuses in which a loan is owed, or will be owed once it is funded. */
const OWED = ['pending', 'approved', 'active', 'charged_off'];

type NewCoBorrower = Values & {
  loan_id: string;
  borrower_id: string;
  role: string;
  liable_from?: string | undefined;
};

/**
 * Makes a person liable for the loan together with its borrower, by default from today. The loan's lock
 * prevents two concurrent requests from adding the same person twice.
 */
export async function addCoBorrower(work: Work, input: NewCoBorrower): Promise<string> {
  const { loan_id, borrower_id, liable_from = work.today } = input;
  const loan = await loans.lockLoan(work.tx, loan_id);
  if (loan === null) throw new NotFound();
  if (!(await borrowers.lockIfUsable(work.tx, borrower_id)))
    throw new Invalid({ borrower_id: 'Does not exist.' });
  if (borrower_id === loan.borrower_id)
    throw new Invalid({ borrower_id: 'Is the borrower of this loan.' });
  assertPast(work, { liable_from });
  if (!OWED.includes(loan.status)) {
    throw loanIsOver(loan);
  }
  const known = await parties.findActiveId(work.tx, loan_id, borrower_id);
  if (known !== null) {
    throw alreadyLiable(known);
  }
  if ((await parties.listLiableParties(work.tx, loan_id)).length > CO_BORROWERS_MAX)
    throw new Conflict(
      `A loan can have at most ${CO_BORROWERS_MAX} co-borrowers.`,
      'limit_exceeded',
      {
        limit: CO_BORROWERS_MAX,
      },
    );
  const id = await insert(work.tx, 'co_borrowers', { ...input, liable_from });
  if (isToBeNotified(loan.status, input.role)) await createNoticeTask(work, { ...input, id }, loan);
  await syncForms(work, input);
  await followConditions(work, loan_id);
  return id;
}

/** A cosigner must receive a notice of what liability means before they become liable (16 CFR 444.3). */
const isToBeNotified = (status: string, role: string) =>
  role !== 'co_borrower' && (status === 'pending' || status === 'approved');

const createNoticeTask = (
  { tx, today }: Work,
  { id, loan_id, borrower_id }: NewCoBorrower & { id: string },
  { loan_number }: loans.RawLoan,
) =>
  insert(tx, 'tasks', {
    loan_id,
    borrower_id,
    source: 'system',
    due_date: today,
    priority: 'high',
    title: `Give the cosigner notice for loan ${loan_number}`,
    description:
      'The cosigner must receive a separate notice before signing the agreement (16 CFR 444.3).',
    task_type: 'compliance',
    related_type: 'co_borrower',
    related_id: id,
  });

/** Corrects a person's role or the start of their liability. Throws `Conflict` for a released person. */
export async function changeCoBorrower(work: Work, id: string, changes: Values, row: Row) {
  assertLiable(row);
  assertPast(work, { liable_from: changes['liable_from'] });
  await update(work.tx, 'co_borrowers', id, changes);
  await syncForms(work, row);
  await followConditions(work, String(row['loan_id']));
}

export const RELEASE_REASONS = [
  ...(['lender_release', 'refinanced', 'divorce', 'deceased', 'bankruptcy_discharge'] as const),
  ...(['entered_in_error', 'other'] as const),
] as const;

export const CoBorrowerRelease = z.object({
  release_date: date
    .nullish()
    .describe('The first day on which the person is no longer liable. Default: today.'),
  reason: z
    .enum(RELEASE_REASONS)
    .describe(
      'Why the person is released. With `entered_in_error`, the credit bureaus are asked to delete the association.',
    ),
  notes: prose.nullish().describe('Kept with the record.'),
});

/** Releases a person from the loan and cancels their autopay plan and their scheduled payments. */
export async function releaseCoBorrower(
  work: Work,
  id: string,
  input: z.output<typeof CoBorrowerRelease>,
) {
  const row = await findLocked(work.tx, parties.coBorrowers, id);
  if (row === null) throw new NotFound();
  assertLiable(row);
  const released_on = input.release_date ?? work.today;
  assertPast(work, { release_date: released_on });
  if (released_on < String(row['liable_from']))
    throw new Invalid({ release_date: 'Must not be before liable_from.' });
  await update(work.tx, 'co_borrowers', id, {
    released_on,
    release_reason: input.reason,
    release_notes: input.notes ?? null,
    released_by: work.actor.id,
  });
  await endOrders(work, String(row['loan_id']), String(row['borrower_id']));
  await syncForms(work, row);
  await followRelease(work, String(row['loan_id']));
}

/** Creates, corrects or voids the person's forms 1099-C, if the loan has any. */
async function syncForms(work: Work, { loan_id, borrower_id }: Values) {
  const loanId = String(loan_id);
  if (!(await hasForms(work.tx, loanId))) return;
  const { row, events, state } = await openLoan(work, loanId);
  const history = { events: eventsInForce(events, work.today), state };
  await syncFormsOfDebtor(work, row, history, String(borrower_id));
}

async function endOrders(work: Work, loanId: string, borrowerId: string) {
  const ordered = await parties.listFutureOrders(work.tx, loanId, borrowerId);
  for (const id of ordered.plans) {
    const plan = await findLocked(work.tx, autopayPlans, id);
    await auditChange(work, autopayPlans, 'cancel', plan, async () => {
      await cancelAutopayPlan(work, id);
      return id;
    });
  }
  for (const id of ordered.payments) {
    const payment = await findLocked(work.tx, payments, id);
    if (payment === null) continue;
    await auditChange(work, payments, 'cancel', payment, async () => {
      await removePayment(work, id, payment);
      return id;
    });
  }
}

function assertLiable({ status }: Row) {
  if (status === 'released') throw personReleased();
}

export const personReleased = () =>
  new Conflict('This person is already released.', 'already_released', {
    current_status: 'released',
  });

/** Liability never starts or ends on a future date. */
function assertPast({ today }: Work, days: Record<string, unknown>) {
  for (const [field, day] of Object.entries(days))
    if (day !== undefined && String(day) > today)
      throw new Invalid({ [field]: 'Must not be after the business date.' });
}

export const alreadyLiable = (id: string) =>
  new Conflict(
    'This person already owes the loan. Change that record, or release the person first.',
    'already_exists',
    { id },
  );

export const loanIsOver = (loan: Parameters<typeof refusalDetails>[0]) =>
  new Conflict(
    `The loan is ${loan.status.replaceAll('_', ' ')}.`,
    'loan_not_active',
    refusalDetails(loan),
  );
