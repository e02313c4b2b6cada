import { dictionary } from '../../../sql/dictionary.ts';
import * as modifications from '../../../sql/loans/workouts/modifications.ts';
import type { AgreedModification } from '../../../sql/loans/workouts/modifications.ts';
import * as records from '../../../sql/loans/records.ts';
import type { Row } from '../../../sql/table.ts';
import { insert, update } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { buildModificationEvents } from '../agreed/modification.ts';
import { TERM_FIELDS } from '../agreed/new-term.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents, updateAgreed } from '../history/record-events.ts';
import {
  recordCanceler,
  recordChanger,
  immutableConflict,
  openInService,
} from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { refusalDetails } from '../products/refusals.ts';
import { applyModification, currentAndOriginalRate } from './apply-modification.ts';

export const MODIFICATION_TYPES = [
  ...(['rate_change', 'term_extension', 'payment_change', 're_age', 're_amortize'] as const),
  ...(['principal_forgiveness', 'capitalization', 'due_date_change', 'combined'] as const),
] as const;
export const MODIFICATION_REASONS = [
  ...(['hardship', 'scra', 'disaster', 'settlement', 'customer_request'] as const),
  ...(['error_correction', 'other'] as const),
] as const;
export const MODIFICATION_MONTHS_MAX = 600;
export const BALANCE_TREATMENTS = ['keep', 'capitalize', 'waive'] as const;
export const MODIFICATION_STATUSES = [
  ...(['pending', 'approved', 'completed', 'rejected', 'reversed', 'canceled'] as const),
] as const;

type Term = Extract<keyof AgreedModification, `new_${string}`> | 'extend_months';
type Treatment = Extract<keyof AgreedModification, `capitalize_${string}` | `${string}_treatment`>;
type NewModification = Pick<
  AgreedModification,
  'loan_id' | 'modification_type' | 'principal_forgiven' | Treatment
> & {
  [Name in Term]?: AgreedModification[Name] | undefined;
} & {
  effective_date?: string | null | undefined;
  reason: string;
  reason_comment?: string | null | undefined;
  apply_immediately: boolean;
};

/** Each type of modification needs at least one of these fields. */
const NEEDS = dictionary<readonly string[]>({
  rate_change: ['new_interest_rate'],
  term_extension: ['extend_months', 'new_term_months', 'new_maturity_date'],
  payment_change: ['new_payment_amount'],
  principal_forgiveness: ['principal_forgiven'],
  capitalization: ['capitalize_interest', 'capitalize_fees', 'interest_treatment', 'fee_treatment'],
  due_date_change: ['new_payment_day'],
});

/**
 * Adds a modification of a loan's terms. It applies immediately unless it needs maker–checker approval,
 * sets `apply_immediately` to false or has a future effective date. Close of business applies an approved
 * modification on its effective date.
 */
export async function addModification(work: Work, input: NewModification): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const effective_date = input.effective_date ?? work.today;
  assertComplete(input);
  const start = fundingDate(loan);
  if (start !== null && effective_date < start)
    throw new Invalid({ effective_date: 'Must not be before the loan was funded.' });
  await assertWithinLimit(work, loan);
  const { approvals } = await settingsOf(work.tx);
  const mayApply = input.apply_immediately && !approvals.four_eyes.includes('modifications');
  const id = await insert(work.tx, 'modifications', {
    ...columns(input),
    effective_date,
    status: mayApply ? 'approved' : 'pending',
    requested_by: work.actor.id,
  });
  const modification = await modifications.lockModification(work.tx, id);
  // A modification that the loan cannot have today is refused now instead of on its effective date.
  if (effective_date > work.today || !mayApply)
    buildModificationEvents(loan, { ...modification, effective_date: work.today });
  else await applyModification(work, loan, modification);
  if (effective_date > work.today && mayApply) await updateAgreed(work, loan.row.id);
  return id;
}

const columns = (input: NewModification) => {
  const { modification_type, reason, reason_comment, apply_immediately, loan_id } = input;
  const { new_interest_rate, new_payment_amount, new_payment_day } = input;
  const { new_term_months, extend_months, new_maturity_date } = input;
  const { capitalize_interest, capitalize_fees, interest_treatment, fee_treatment } = input;
  return {
    loan_id,
    modification_type,
    reason,
    reason_comment,
    apply_immediately,
    new_interest_rate,
    new_payment_amount,
    new_payment_day,
    new_term_months,
    extend_months,
    new_maturity_date,
    capitalize_interest,
    capitalize_fees,
    interest_treatment,
    fee_treatment,
    principal_forgiven: input.principal_forgiven,
  };
};

const isGiven = (value: unknown) =>
  value !== undefined && value !== null && value !== false && value !== '0.00' && value !== 'keep';

function assertComplete(input: NewModification) {
  const isNamed = (name: string) => isGiven((input as Record<string, unknown>)[name]);
  const needs = NEEDS[input.modification_type] ?? [];
  const [first] = needs;
  if (first !== undefined && !needs.some(isNamed)) throw new Invalid({ [first]: 'Is required.' });
  if (input.modification_type === 'combined' && !Object.values(NEEDS).flat().some(isNamed))
    throw new Invalid({ modification_type: 'Give at least one term to change.' });
  const [, second] = TERM_FIELDS.filter(isNamed);
  if (second !== undefined) throw new Invalid({ [second]: 'Give only one of these fields.' });
}

async function assertWithinLimit(work: Work, { row }: OpenLoan) {
  const { count, limit } = await modifications.countAgainstLimit(work.tx, row.id, row.product_id);
  if (count < limit) return;
  throw modificationLimit({
    ...refusalDetails(row),
    limit,
  });
}

/**
 * Approves a pending modification, and applies it if its effective date has come. Under maker–checker
 * approval, the requester cannot approve it.
 */
export async function approveModification(work: Work, id: string) {
  const loan = await openInService(work, await records.loanIdOf(work.tx, 'modifications', id));
  const modification = await modifications.lockModification(work.tx, id);
  if (modification.status !== 'pending')
    throw immutableConflict('modification', modification.status);
  const { approvals } = await settingsOf(work.tx);
  const isOwn = work.actor.id !== null && work.actor.id === modification.requested_by;
  if (isOwn && approvals.four_eyes.includes('modifications')) throw secondPersonRequired();
  await update(work.tx, 'modifications', id, { status: 'approved', approved_by: work.actor.id });
  if (modification.effective_date > work.today) await updateAgreed(work, loan.row.id);
  else await applyModification(work, loan, modification);
}

export async function rejectModification(work: Work, id: string) {
  await openLoan(work, await records.loanIdOf(work.tx, 'modifications', id));
  const { status } = await modifications.lockModification(work.tx, id);
  if (status !== 'pending') throw immutableConflict('modification', status);
  await update(work.tx, 'modifications', id, { status: 'rejected' });
}

/**
 * Undoes a modification as if it had never happened. Throws `Conflict` while a later completed modification
 * depends on it.
 */
export async function reverseModification(work: Work, id: string) {
  const loan = await openLoan(work, await records.loanIdOf(work.tx, 'modifications', id));
  const { status, event_ids, previous_terms } = await modifications.lockModification(work.tx, id);
  if (status !== 'completed') throw immutableConflict('modification', status);
  if (await modifications.hasLaterCompleted(work.tx, loan.row.id, id)) throw laterModification();
  await update(work.tx, 'modifications', id, { status: 'reversed' });
  const reversals = event_ids.map((reverses) =>
    newEvent({ kind: 'reversal', effective_date: work.today, reverses }),
  );
  const state = await recordEvents(work, loan, reversals);
  const { payment_day } = previous_terms;
  await update(work.tx, 'loans', loan.row.id, {
    payment_day,
    ...currentAndOriginalRate(loan.row, state),
  });
}

/** Applies the loan's approved modifications whose effective date has come. */
export async function applyDueModifications(work: Work, loanId: string) {
  const { row } = await openLoan(work, loanId);
  for (const modification of await modifications.listDueModifications(work.tx, loanId)) {
    // Read the loan again: the previous modification in this loop may have changed it.
    const loan = await openLoan(work, row.id);
    if (loan.row.status === 'active') await applyModification(work, loan, modification);
    else await update(work.tx, 'modifications', modification.id, { status: 'canceled' });
  }
}

const kind = {
  table: 'modifications',
  noun: 'modification',
  cancelable: ['pending', 'approved'],
  cancel: updateAgreed,
} as const;
export const changeModification = recordChanger(kind);
export const cancelModification: (work: Work, id: string, row: Row) => Promise<void> =
  recordCanceler(kind);

export const secondPersonRequired = () =>
  new Conflict('A second person must approve this.', 'four_eyes');

export const laterModification = () =>
  new Conflict('A later modification depends on this one. Reverse the later one first.', 'in_use');

export const modificationLimit = (details: Record<string, unknown>) =>
  new Conflict(
    'The loan has reached the number of modifications that its product allows.',
    'limit_exceeded',
    details,
  );
