import * as stored from '../../../sql/loans/deferments.ts';
import type { OpenDeferment } from '../../../sql/loans/deferments.ts';
import * as records from '../../../sql/loans/records.ts';
import {
  countAgainstDefermentLimit as counted,
  overlapsRelief,
} from '../../../sql/loans/reliefs.ts';
import { insert, update } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { assessFee } from '../fees/origination-fees.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { recordCanceler, recordChanger, openInService } from '../history/loan-records.ts';
import { newEvent } from '../history/new-event.ts';
import { refusalDetails } from '../history/statuses.ts';
import { nextUnpaidNumber } from '../schedule/schedule-basis.ts';
import { buildDeferredSchedule } from './deferment-schedule.ts';

export const DEFERMENT_TYPES = ['payment_skip', 'principal_only', 'full'] as const;
export const INTEREST_TREATMENTS = ['accrue', 'waive', 'capitalize_at_end'] as const;

/** Two years of monthly payments. */
export const MAX_DEFERRED_PERIODS = 24;

const REST = { reason: 'deferment' } as const;

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
    throw new Conflict('Another deferment of the loan overlaps this period.', 'overlaps');
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
  await startAndEndDeferments(work, loan.row.id);
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
  const message =
    'The loan has reached the number of deferments that its product allows in 12 months.';
  throw new Conflict(message, 'limit_exceeded', { ...refusalDetails(row), limit });
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
  const { row } = loan;
  if (row.status !== 'active') {
    await records.setRecordStatus(work.tx, 'deferments', deferment.id, 'canceled');
    return;
  }
  const { start_date: effective_date, fee_amount } = deferment;
  const { agreement, resumes_on, first_number } = buildDeferredSchedule(loan, deferment);
  // A principal-only deferment skips nothing: each period still has an interest installment.
  const isSkipping = deferment.deferment_type !== 'principal_only';
  const skipped = { from_number: first_number, periods: deferment.periods, until: resumes_on };
  const events: LoanEvent[] = [
    newEvent({
      kind: 'schedule_agreed',
      effective_date,
      agreement,
      ...(isSkipping && { defers: skipped }),
    }),
  ];
  if (deferment.interest_treatment === 'waive')
    events.push(newEvent({ kind: 'accrual_stop', effective_date, ...REST }));
  if (parseMoney(fee_amount).gt(ZERO)) {
    const fee = { fee_type: 'other', description: 'Deferment fee' };
    events.push(await assessFee(work, row, { ...fee, amount: fee_amount, on: effective_date }));
  }
  await recordEvents(work, loan, events);
  await update(work.tx, 'deferments', deferment.id, {
    status: 'active',
    end_date: addDays(resumes_on, -1),
    start_installment: first_number,
    event_ids: events.map(({ id }) => id),
  });
}

async function endDeferment(work: Work, loan: OpenLoan, deferment: OpenDeferment) {
  const effective_date = work.today;
  const events: LoanEvent[] = [];
  if (deferment.interest_treatment === 'waive')
    events.push(newEvent({ kind: 'accrual_start', effective_date, ...REST }));
  if (deferment.interest_treatment === 'capitalize_at_end' && loan.row.status === 'active')
    events.push(...capitalized(loan, effective_date));
  if (events.length > 0) await recordEvents(work, loan, events);
  await records.setRecordStatus(work.tx, 'deferments', deferment.id, 'completed');
}

/**
 * Capitalizes the interest accrued during the deferment and spreads the new principal over the remaining
 * schedule.
 */
function capitalized({ state }: OpenLoan, effective_date: string): LoanEvent[] {
  const capitalization = newEvent({ kind: 'capitalization', effective_date, interest: 'all' });
  const from = nextUnpaidNumber(state, effective_date);
  if (from === null) return [capitalization];
  const agreement = { rule: 'spread', from, accrues_from: effective_date } as const;
  return [capitalization, newEvent({ kind: 'schedule_agreed', effective_date, agreement })];
}

const kind = { table: 'deferments', noun: 'deferment', cancelable: ['scheduled'] } as const;
export const changeDeferment = recordChanger(kind);
export const cancelDeferment = recordCanceler(kind);
