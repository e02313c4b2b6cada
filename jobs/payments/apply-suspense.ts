import type { Big } from 'big.js';
import { z } from 'zod';
import * as records from '../../sql/loans/records.ts';
import { newId } from '../../sql/new-id.ts';
import { requiredFreeText } from '../../sql/types.ts';
import { insert } from '../../sql/write.ts';
import { Conflict } from '../errors.ts';
import type { EventOf } from '../loans/engine/events.ts';
import { fold } from '../loans/engine/fold.ts';
import type { LoanState } from '../loans/engine/state.ts';
import { billsPaidFromSuspense } from '../loans/history/bills-from-suspense.ts';
import { explainSplit } from '../loans/history/differences.ts';
import { openLoan, type OpenLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { immutableConflict, openInService } from '../loans/history/loan-records.ts';
import { newEvent } from '../loans/history/new-event.ts';
import { assertInHistory } from '../loans/history/accrual-stops.ts';
import { refusalDetails } from '../loans/products/refusals.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { money, parseMoney, sum } from '../money.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { refundableSuspense } from './reimburse.ts';

export const SUSPENSE_USES = ['regular', 'extra_principal', 'fee_only'] as const;

type NewApplication = {
  loan_id: string;
  amount?: string | null | undefined;
  effective_date?: string | null | undefined;
  payment_type: (typeof SUSPENSE_USES)[number];
  notes?: string | null | undefined;
};

/**
 * Applies money in suspense to the loan like a payment of that date. Default amount: as much as the loan
 * can use.
 */
export async function applySuspense(work: Work, input: NewApplication): Promise<string> {
  const loan = await openInService(work, input.loan_id, ['active', 'charged_off']);
  const on = input.effective_date ?? work.today;
  assertInHistory(work, loan, 'effective_date', on);
  const available = refundableSuspense(loan, on);
  const refusal = { ...refusalDetails(loan.row), suspense_balance: money(available) };
  if (available.eq(0))
    throw new Conflict('The loan has no money in suspense.', 'exceeds_suspense', refusal);
  if (input.amount && available.lt(input.amount)) throw exceedsSuspense(refusal);
  const wanted = input.amount ? parseMoney(input.amount) : available;
  const usable = usableAmount(work, loan, eventOf({ ...input, on, amount: money(wanted) }));
  if (usable.eq(0) || (input.amount && usable.lt(wanted))) {
    throw exceedsAmountOwed({
      ...refusal,
      applicable_amount: money(usable),
    });
  }
  return apply(work, loan, { ...input, on, amount: money(usable), source: 'staff' });
}

type Application = Pick<NewApplication, 'payment_type' | 'notes'> & { on: string; amount: string };

const eventOf = ({ on, amount, payment_type }: Application) =>
  newEvent({ kind: 'suspense_application', effective_date: on, amount, payment_type });

/** How much of the amount the loan can use. */
function usableAmount(
  work: Work,
  { row, schedule, events }: OpenLoan,
  event: EventOf<'suspense_application'>,
): Big {
  const input = { terms: readTerms(row), schedule, events: [...events, event] };
  return appliedAmount(fold({ ...input, as_of: work.today }), event.id);
}

function appliedAmount(state: LoanState, id: string): Big {
  const { principal_applied, interest_applied, fees_applied } = explainSplit(state, id);
  return sum([principal_applied, interest_applied, fees_applied].map(parseMoney));
}

async function apply(
  work: Work,
  loan: OpenLoan,
  { on, source, ...application }: Application & { source: 'staff' | 'rule' },
): Promise<string> {
  const id = newId();
  const { amount, payment_type, notes } = application;
  await insert(work.tx, 'suspense_applications', {
    id,
    loan_id: loan.row.id,
    amount,
    payment_type,
    notes,
    source,
    effective_date: on,
    created_by: work.actor.id,
  });
  const state = await recordEvents(work, loan, [{ ...eventOf({ ...application, on }), id }]);
  await emit(work, 'suspense.applied', {
    suspense_application_id: id,
    loan_id: loan.row.id,
    amount,
    effective_date: on,
    suspense_balance: state.suspense_balance,
    remaining_balance: state.total_balance,
  });
  return id;
}

/** Pays due bills from suspense, as far as the money covers them in full. */
export async function payBillsFromSuspense(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const amount = billsPaidFromSuspense(loan.state, work.today);
  if (amount === null) return;
  await apply(work, loan, { on: work.today, amount, payment_type: 'regular', source: 'rule' });
}

export const SuspenseApplicationReversal = z.object({
  reason: requiredFreeText
    .nullish()
    .describe('Why the application is reversed. Kept in the history of the loan.'),
});

/** Reverses an application as if it had never happened. The money returns to suspense. */
export async function reverseSuspenseApplication(work: Work, id: string) {
  const loan = await openLoan(work, await records.loanIdOf(work.tx, 'suspense_applications', id));
  const { status } = await records.lockRecordRow(work.tx, 'suspense_applications', id);
  if (status !== 'applied') throw immutableConflict('suspense application', status);
  await records.setRecordStatus(work.tx, 'suspense_applications', id, 'reversed');
  await recordEvents(work, loan, [
    newEvent({ kind: 'reversal', effective_date: work.today, reverses: id }),
  ]);
}

export const exceedsSuspense = (refusal: Record<string, unknown>) =>
  new Conflict(
    'The amount exceeds the money in suspense. See suspense_balance.',
    'exceeds_suspense',
    refusal,
  );

export const exceedsAmountOwed = (details: Record<string, unknown>) =>
  new Conflict(
    'The amount exceeds what the loan owes. Apply a smaller amount.',
    'exceeds_balance',
    details,
  );
