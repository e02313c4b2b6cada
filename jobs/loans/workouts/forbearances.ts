import { z } from 'zod';
import * as stored from '../../../sql/loans/workouts/forbearances.ts';
import type { OpenForbearance } from '../../../sql/loans/workouts/forbearances.ts';
import * as records from '../../../sql/loans/records.ts';
import { overlapsRelief } from '../../../sql/loans/workouts/reliefs.ts';
import { prose } from '../../../sql/types.ts';
import { insert, update } from '../../../sql/write.ts';
import { addDays } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { settingsOf } from '../../users/settings/settings.ts';
import type { Work } from '../../work.ts';
import { changesSchedule, endOfForbearance, startOfForbearance } from '../agreed/forbearance.ts';
import { isInService } from '../agreed/standing.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents, updateAgreed } from '../history/record-events.ts';
import {
  recordCanceler,
  recordChanger,
  immutableConflict,
  openInService,
} from '../history/loan-records.ts';
import { newEvent, newEvents } from '../history/new-event.ts';
import { fundingDate } from '../agreed/resume-accrual.ts';
import { assertHasSchedule, refusalDetails } from '../products/refusals.ts';
import { addPaymentPlan } from './payment-plans.ts';

export const FORBEARANCE_TYPES = ['full', 'reduced_payment', 'interest_only'] as const;
export const END_TREATMENTS = [
  ...(['reinstatement', 'extend_term', 'deferred_balance', 'repayment_plan'] as const),
  ...(['re_amortize'] as const),
] as const;
export const RELIEF_STATUSES = ['scheduled', 'active', 'completed', 'canceled', 'broken'] as const;

type NewForbearance = Omit<
  OpenForbearance,
  'id' | 'status' | 'event_ids' | 'reduced_payment_amount'
> & {
  loan_id: string;
  reduced_payment_amount?: string | null | undefined;
  reason: string;
  suspend_late_fees: boolean;
  suspend_credit_reporting: boolean;
  hardship_application_id?: string | null | undefined;
  notes?: string | null | undefined;
};

/**
 * Adds a forbearance: the lender accepts reduced or no payments for a time. It takes effect on its first
 * day.
 */
export async function addForbearance(work: Work, input: NewForbearance): Promise<string> {
  const loan = await openInService(work, input.loan_id);
  const { start_date, end_date } = input;
  assertDates(work, loan, input);
  if (changesSchedule(input)) assertHasSchedule(loan.row);
  if (input.forbearance_type === 'reduced_payment' && !input.reduced_payment_amount)
    throw new Invalid({ reduced_payment_amount: 'Is required for a reduced payment.' });
  await assertNoOverlap(work, loan, { from: start_date, to: end_date });
  const { forbearance_type, reason, reduced_payment_amount, interest_accrues, notes } = input;
  const { suspend_late_fees, suspend_delinquency, suspend_credit_reporting } = input;
  const { end_treatment, hardship_application_id } = input;
  await insert(work.tx, 'forbearances', {
    loan_id: loan.row.id,
    forbearance_type,
    start_date,
    end_date,
    reason,
    reduced_payment_amount,
    interest_accrues,
    suspend_late_fees,
    suspend_delinquency,
    suspend_credit_reporting,
    end_treatment,
    hardship_application_id,
    notes,
    created_by: work.actor.id,
  });
  if (start_date > work.today) await updateAgreed(work, loan.row.id);
  else await startAndEndForbearances(work, loan.row.id);
  return lastOf(work, loan.row.id);
}

const lastOf = async (work: Work, loanId: string) =>
  (await stored.lockOpenForbearances(work.tx, loanId)).toSorted((one, other) =>
    one.id < other.id ? 1 : -1,
  )[0]?.id ?? '';

function assertDates(work: Work, loan: OpenLoan, { start_date, end_date }: NewForbearance) {
  if (end_date < start_date) throw new Invalid({ end_date: 'Must not be before start_date.' });
  if (end_date < work.today)
    throw new Invalid({ end_date: 'Must not be before the business date.' });
  const start = fundingDate(loan);
  if (start !== null && start_date < start)
    throw new Invalid({ start_date: 'Must not be before the loan was funded.' });
}

async function assertNoOverlap(work: Work, { row }: OpenLoan, days: { from: string; to: string }) {
  if (!(await overlapsRelief(work.tx, 'forbearances', row.id, days))) return;
  throw forbearanceOverlaps(refusalDetails(row));
}

/** Starts and ends the loan's forbearances that are due to start or end. */
export async function startAndEndForbearances(work: Work, loanId: string) {
  const { row } = await openLoan(work, loanId);
  for (const forbearance of await stored.lockOpenForbearances(work.tx, row.id)) {
    // Read the loan again: the previous forbearance in this loop has changed it.
    const loan = await openLoan(work, row.id);
    if (forbearance.status === 'active' && forbearance.end_date < work.today)
      await completeForbearance(work, loan, forbearance);
    if (forbearance.status === 'scheduled' && forbearance.start_date <= work.today)
      await startForbearance(work, loan, forbearance);
  }
}

async function startForbearance(work: Work, loan: OpenLoan, forbearance: OpenForbearance) {
  if (!isInService(loan)) {
    await records.setRecordStatus(work.tx, 'forbearances', forbearance.id, 'canceled');
    return;
  }
  const { delinquency } = await settingsOf(work.tx);
  const events = newEvents(startOfForbearance(loan, forbearance, delinquency));
  const event_ids = events.map(({ id }) => id);
  // First, because what a loan will owe includes the forbearances that have not started yet.
  await update(work.tx, 'forbearances', forbearance.id, { status: 'active', event_ids });
  // Needed even without events, because a forbearance can suspend late fees.
  await recordEvents(work, loan, events);
}

async function completeForbearance(
  work: Work,
  loan: OpenLoan,
  forbearance: OpenForbearance,
  isBroken = false,
) {
  const { events, owed } = endOfForbearance(loan, forbearance, work.today, isBroken);
  const status = isBroken ? 'broken' : 'completed';
  await records.setRecordStatus(work.tx, 'forbearances', forbearance.id, status);
  // Also without events: the projections no longer include the end that was agreed.
  await recordEvents(work, await openLoan(work, loan.row.id), newEvents(events));
  if (owed.length > 0) await scheduleAfter(work, loan, owed);
}

/** Proposes a payment plan for the missed amounts, due in addition to the regular installments. */
const scheduleAfter = (
  work: Work,
  { row }: OpenLoan,
  owed: { due_date: string; amount: string }[],
) =>
  addPaymentPlan(work, {
    loan_id: row.id,
    plan_type: 'repayment',
    installments: owed,
    grace_days: 3,
    waive_remaining: false,
    auto_collect: false,
    status: 'proposed',
    notes: 'After a forbearance.',
  });

export const ForbearanceEnd = z.object({
  status: z
    .enum(['completed', 'broken'])
    .default('completed')
    .describe(
      '`broken`: the borrower did not keep the agreement, so the agreed treatment of missed payments does not apply.',
    ),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

/** Ends a forbearance before its last day. A broken forbearance ends without its agreed treatment. */
export async function endForbearance(
  work: Work,
  id: string,
  input: z.output<typeof ForbearanceEnd>,
) {
  const loanId = await records.loanIdOf(work.tx, 'forbearances', id);
  const loan = await openLoan(work, loanId);
  const forbearance = (await stored.lockOpenForbearances(work.tx, loanId)).find(
    (open) => open.id === id,
  );
  if (forbearance?.status !== 'active')
    throw immutableConflict('forbearance', forbearance?.status ?? 'ended');
  const last = addDays(work.today, -1);
  const pause = loan.events.find(
    (event) => event.kind === 'delinquency_pause' && forbearance.event_ids.includes(event.id),
  );
  const { start_date: effective_date } = forbearance;
  const shorter = pause && [
    newEvent({ kind: 'reversal', effective_date: work.today, reverses: pause.id }),
    ...(last >= effective_date
      ? [newEvent({ kind: 'delinquency_pause', effective_date, to: last })]
      : []),
  ];
  if (shorter) await recordEvents(work, loan, shorter);
  const end_date = last > effective_date ? last : effective_date;
  await update(work.tx, 'forbearances', id, { end_date });
  const ended = { ...forbearance, end_date };
  await completeForbearance(work, await openLoan(work, loanId), ended, input.status === 'broken');
}

const kind = {
  table: 'forbearances',
  noun: 'forbearance',
  cancelable: ['scheduled'],
  cancel: updateAgreed,
} as const;
export const changeForbearance = recordChanger(kind);
export const cancelForbearance = recordCanceler(kind);

export const forbearanceOverlaps = (details: Record<string, unknown>) =>
  new Conflict('Another forbearance of the loan overlaps this period.', 'overlaps', details);
