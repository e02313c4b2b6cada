import * as stored from '../../../sql/loans/workouts/deferments.ts';
import type { OpenDeferment } from '../../../sql/loans/workouts/deferments.ts';
import * as records from '../../../sql/loans/records.ts';
import {
  countAgainstDefermentLimit as counted,
  overlapsRelief,
} from '../../../sql/loans/workouts/reliefs.ts';
import { insert, update } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import {
  buildDeferredSchedule,
  defermentFee,
  endOfDeferment,
  startOfDeferment,
} from '../agreed/deferment.ts';
import { isInService } from '../agreed/standing.ts';
import { forgivesFees } from '../fees/forgiven-fees.ts';
import { assessFee } from '../fees/origination-fees.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents, updateAgreed } from '../history/record-events.ts';
import { recordCanceler, recordChanger, openInService } from '../history/loan-records.ts';
import { newEvents } from '../history/new-event.ts';
import { refusalDetails } from '../products/refusals.ts';

export const DEFERMENT_TYPES = ['payment_skip', 'principal_only', 'full'] as const;
export const INTEREST_TREATMENTS = ['accrue', 'waive', 'capitalize_at_end'] as const;

/** Two years of monthly payments. */
export const MAX_DEFERRED_PERIODS = 24;

type NewDeferment = {
  loan_id: string;
  deferment_type: (typeof DEFERMENT_TYPES)[number];
  periods?: number | null | undefined;
  start_date?: string | null | undefined;
  end_date?: string | null | undefined;
  start_installment?: number | null | undefined;
  interest_treatment: (typeof INTEREST_TREATMENTS)[number];
  extend_maturity: boolean;
  fee_amount: string;
  reason: string;
  notes?: string | null | undefined;
};

/** Defers payments, within the product's limit. A deferment that starts today takes effect immediately. */
export async function addDeferment(work: Work, input: NewDeferment): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const start_date = input.start_date ?? work.today;
  if (start_date < work.today)
    throw new Invalid({ start_date: 'Must not be before the business date.' });
  const periods = input.periods ?? periodsBetween(loan, start_date, input.end_date ?? null);
  await assertWithinLimit(work, loan, start_date);
  const to = input.end_date ?? start_date;
  if (await overlapsRelief(work.tx, 'deferments', loan.row.id, { from: start_date, to }))
    throw defermentOverlaps();
  const { deferment_type, start_installment, interest_treatment, extend_maturity } = input;
  const { fee_amount, reason, notes } = input;
  const id = await insert(work.tx, 'deferments', {
    loan_id: loan.row.id,
    deferment_type,
    periods,
    start_date,
    start_installment,
    interest_treatment,
    extend_maturity,
    fee_amount,
    reason,
    notes,
    created_by: work.actor.id,
  });
  // A deferment that the loan cannot have today is refused now instead of on its start date.
  buildDeferredSchedule(loan, {
    deferment_type,
    periods,
    start_date,
    extend_maturity,
    start_installment: start_installment ?? null,
  });
  if (start_date > work.today) await updateAgreed(work, loan.row.id);
  else await startAndEndDeferments(work, loan.row.id);
  return id;
}

/** The number of installments due between two days. */
function periodsBetween({ state }: OpenLoan, from: string, to: string | null): number {
  if (to === null) throw new Invalid({ periods: 'Give either this field or an end date.' });
  const due = state.installments.filter(({ due_date }) => due_date >= from && due_date <= to);
  if (due.length === 0) throw new Invalid({ end_date: 'No installment is due in this period.' });
  if (due.length > MAX_DEFERRED_PERIODS)
    throw new Invalid({
      end_date: `Must not cover more than ${MAX_DEFERRED_PERIODS} installments.`,
    });
  return due.length;
}

/** Supervisors expect explicit limits on extensions and deferrals (FFIEC). */
async function assertWithinLimit(work: Work, { row }: OpenLoan, day: string) {
  const { count, limit } = await counted(work.tx, row.id, row.product_id, day);
  if (count < limit) return;
  throw defermentLimit({ ...refusalDetails(row), limit });
}

/** Starts and ends the loan's deferments that are due to start or end today or earlier. */
export async function startAndEndDeferments(work: Work, loanId: string) {
  const { row } = await openLoan(work, loanId);
  for (const deferment of await stored.lockOpenDeferments(work.tx, row.id)) {
    const loan = await openLoan(work, row.id);
    const isOver = deferment.end_date !== null && deferment.end_date < work.today;
    if (deferment.status === 'active' && isOver) await endDeferment(work, loan, deferment);
    if (deferment.status === 'scheduled' && deferment.start_date <= work.today)
      await startDeferment(work, loan, deferment);
  }
}

async function startDeferment(work: Work, loan: OpenLoan, deferment: OpenDeferment) {
  if (!isInService(loan)) {
    await records.setRecordStatus(work.tx, 'deferments', deferment.id, 'canceled');
    return;
  }
  const { events: drafts, end_date, first_number } = startOfDeferment(loan, deferment);
  const events = newEvents(drafts);
  const fee = defermentFee(deferment);
  if (fee !== null && !forgivesFees(loan, fee.on)) {
    const description = 'Deferment fee';
    events.push(await assessFee(work, loan.row, { ...fee, description }));
  }
  // First, because what a loan will owe includes the deferments that have not started yet.
  await update(work.tx, 'deferments', deferment.id, {
    status: 'active',
    end_date,
    start_installment: first_number,
    event_ids: events.map(({ id }) => id),
  });
  // Open the loan again: no late fee is charged until the end of the deferment, which is now stored.
  await recordEvents(work, await openLoan(work, loan.row.id), events);
}

async function endDeferment(work: Work, loan: OpenLoan, deferment: OpenDeferment) {
  const events = newEvents(endOfDeferment(loan, deferment, work.today));
  await records.setRecordStatus(work.tx, 'deferments', deferment.id, 'completed');
  if (events.length > 0) await recordEvents(work, loan, events);
}

const kind = {
  table: 'deferments',
  noun: 'deferment',
  cancelable: ['scheduled'],
  cancel: updateAgreed,
} as const;
export const changeDeferment = recordChanger(kind);
export const cancelDeferment = recordCanceler(kind);

export const defermentOverlaps = () =>
  new Conflict('Another deferment of the loan overlaps this period.', 'overlaps');

export const defermentLimit = (details: Record<string, unknown>) =>
  new Conflict(
    'The loan has reached the number of deferments that its product allows in 12 months.',
    'limit_exceeded',
    details,
  );
