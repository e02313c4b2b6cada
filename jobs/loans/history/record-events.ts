import { Big } from 'big.js';
import type { EventRow } from '../../../sql/loans/events.ts';
import * as eventEffects from '../../../sql/loans/event-effects.ts';
import * as history from '../../../sql/loans/history.ts';
import { BusinessDateChanged, Invalid, NotFound, ReliefEnding } from '../../errors.ts';
import { money } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { MAX_BALANCE } from '../arithmetic/terms.ts';
import { reviewManualForms, syncForms1099C } from '../outcomes/sync-forms-1099c.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { LoanEvent } from '../engine/events.ts';
import { finalPayment } from '../engine/projection/final-payment.ts';
import { foldWithCheckpoint, continueReplay, replay } from '../engine/fold.ts';
import { toLoanState, type LoanState } from '../engine/state.ts';
import { readTerms } from '../products/loan-terms.ts';
import { billBeforeEvent } from '../../documents/statements.job.ts';
import { postChanges } from './post-changes.ts';
import {
  changedSales,
  changedSplits,
  CREDIT_KINDS,
  lossOf,
  changedCoverage,
  changedEvents,
  PAYMENT_KINDS,
  newScheduleVersion,
} from './differences.ts';
import { changeStatus, applyStateChange, delinquencyColumns } from './apply-state-change.ts';
import { remindOfTransferredBalance } from './after-transfer.ts';
import { updateAutopayDates } from './next-autopay-date.ts';
import { supersedeStaleQuote } from './supersede-quotes.ts';
import { reevaluateOutcomes, notifyOfficer } from './reevaluate-outcomes.ts';
import { notifyScheduleChange } from './notify-schedule-change.ts';
import { changesAgreedSchedule, scheduleReason } from './schedule-reason.ts';
import type { LoanStatus } from './statuses.ts';
import type { LoanRecord, OpenLoan } from './open-loan.ts';
import { affectsPastDays, findWithdrawnEvents } from './withdrawn-events.ts';

/**
 * Locks the loan and folds it as of today; one writer per loan at a time. Throws `ReliefEnding` if a relief
 * has ended, so that its end is recorded first. Creates last month's statement if it is still missing.
 */
export async function openLoan(work: Work, loanId: string): Promise<OpenLoan> {
  const whole = await lockRecord(work, loanId);
  if (work.isEndingReliefs) return toUnfoldedLoan(work, whole);
  if (whole?.has_ended_relief) throw new ReliefEnding();
  const month = whole?.unbilled_month ?? null;
  if (month !== null) await billBeforeEvent(work.tx, { work, id: loanId, month });
  return toUnfoldedLoan(work, whole);
}

/** Refolds a loan before it is billed. An outdated checkpoint may be the reason why billing failed. */
export async function refold(work: Work, loanId: string) {
  await recordEvents(work, toUnfoldedLoan(work, await lockRecord(work, loanId)), []);
}

/**
 * Locks and reads the loan. If the business date moved while the request waited for the lock, throws
 * `BusinessDateChanged` and the request restarts on the new date.
 */
async function lockRecord({ tx, today }: Work, loanId: string): Promise<LoanRecord | null> {
  const whole = await history.lockAndRead(tx, loanId);
  if (whole !== null && whole.business_date !== today) throw new BusinessDateChanged();
  return whole;
}

function toUnfoldedLoan({ today }: Work, whole: LoanRecord | null, knownOn = today): OpenLoan {
  if (whole === null) throw new NotFound();
  const { schedule, events: recorded, ...row } = whole;
  const events = recorded.filter(({ recorded_on }) => recorded_on <= knownOn).map(eventOf);
  const input = { terms: readTerms(row), schedule, events, as_of: today };
  const run = replay(input);
  return { row, schedule, events, state: toLoanState(run.position, today), folded: { input, run } };
}

/** Reads a loan and its history without a lock. With `knownOn`, excludes events recorded after that day. */
export async function readLoan(work: Work, loanId: string, knownOn?: string): Promise<OpenLoan> {
  return toUnfoldedLoan(work, await history.read(work.tx, loanId), knownOn);
}

const eventOf = ({ id, kind, effective_date, details }: EventRow): LoanEvent =>
  ({ ...details, id, kind, effective_date }) as LoanEvent;

export type RecordOptions = {
  /** The loan's first schedule. Later schedules follow from events. */
  schedule?: readonly ScheduleRow[];
  /** The new status, if it does not follow from the events. */
  becomes?: LoanStatus;
  /** The trigger named in the status notification to subscribers. */
  trigger?: string | undefined;
  reason?: string | null | undefined;
  /** The reason for a schedule change, if it does not follow from the events. */
  because?: string | undefined;
};

/**
 * Records events and everything that follows from them, in one transaction. All financial changes of a loan
 * use this function. It appends the events, folds the history and writes the differences: checkpoint,
 * schedule, coverage, allocations, fees and ledger entries. If an older event now has a different effect,
 * it posts the difference dated today.
 */
export async function recordEvents(
  work: Work,
  loan: OpenLoan,
  requested: readonly LoanEvent[],
  { schedule: first, becomes, trigger, reason, because }: RecordOptions = {},
): Promise<LoanState> {
  const { row } = loan;
  const schedule = first ?? loan.schedule;
  const newEvents = [...requested, ...(await findWithdrawnEvents(work, loan, requested))];
  const events = [...loan.events, ...newEvents];
  const input = { terms: readTerms(row), schedule, events, as_of: work.today };
  const effectiveBefore = loan.folded.run?.events ?? eventsInForce(loan.events, work.today);
  const { state, anchor, run } = foldWithCheckpoint(
    input,
    continueReplay(loan.folded, input) ?? replay(input),
  );
  const final = finalPayment(run);
  assertStorable(loan.state, state);
  const cause = because ?? scheduleReason(newEvents, events, work.today);
  const isChanged = changedEvents(loan.state, state);
  const now = { ...row, status: becomes ?? row.status };
  // Boarding notifies subscribers of the whole loan; its initial state is not a change.
  const isBoarded = newEvents.some(({ kind }) => kind === 'boarding');
  const replaced = newScheduleVersion(loan, state, first !== undefined, cause);
  await eventEffects.writeEventEffects(work.tx, {
    loan_id: row.id,
    events: newEvents.map(storedForm),
    plan: replaced,
    covered: {
      version: row.schedule_version,
      rows: replaced ? [] : changedCoverage(loan.state, state),
    },
    // The caller writes a new payment together with its split.
    payments: changedSplits(PAYMENT_KINDS, isChanged, state, loan.events),
    credits: changedSplits(CREDIT_KINDS, isChanged, state, events),
    sales: changedSales(isChanged, state, events),
    fees: state.fees,
    anchor: {
      ...checkpointColumns(state, anchor),
      ...delinquencyColumns(work, { ...now, isBoarded }, state, run.position),
      ...lossOf(loan.state, state),
      final_payment_amount: final && money(final),
      schedule_version: replaced?.version ?? row.schedule_version,
      ...replaced?.shown,
    },
  });
  await postChanges(work, loan, input, {
    state,
    isChanged,
    newEvents,
    effectiveBefore,
    effectiveAfter: run.events,
  });
  await remindOfTransferredBalance(work, row, newEvents, { before: loan.state, after: state });
  await supersedeStaleQuote(work, row.quote_id, input);
  if (becomes) await changeStatus(work, row, becomes, trigger ?? becomes, reason);
  const before = { events: effectiveBefore, state: loan.state };
  const after = { events: run.events, state };
  await syncForms1099C(work, row, before, after);
  await reviewManualForms(work, row, before, after);
  if (!isBoarded) {
    const moved = { was: row.status, before: loan.state, after: state, events: run.events };
    const sentences = await applyStateChange(work, now, moved, trigger);
    if (affectsPastDays(newEvents, work.today))
      sentences.push(...(await reevaluateOutcomes(work, loan, events, run.events)));
    await notifyOfficer(work, row, sentences);
    if (replaced) await updateAutopayDates(work, row.id, loan.state, state);
  }
  if (replaced && !becomes && !changesAgreedSchedule(newEvents, events))
    await notifyScheduleChange(work, row, { before: loan.state, after: state, reason: cause });
  return state;
}

/**
 * An amount that overflows a column would stop the close for every loan. A loan above the limit can only
 * decrease.
 */
function assertStorable(before: LoanState, after: LoanState) {
  for (const balance of ['total_balance', 'suspense_balance'] as const) {
    const amount = new Big(after[balance]);
    if (amount.lte(MAX_BALANCE) || amount.lte(before[balance])) continue;
    throw new Invalid({ amount: `Must not raise a balance of the loan above ${MAX_BALANCE}.` });
  }
}

const storedForm = ({ id, kind, effective_date, ...details }: LoanEvent) => ({
  id,
  kind,
  effective_date,
  details,
});

type Checkpoint = ReturnType<typeof foldWithCheckpoint>['anchor'];

function checkpointColumns(state: LoanState, anchor: Checkpoint) {
  const { day_count: _, rounding_mode: __, ...columns } = anchor;
  return {
    ...columns,
    off_books_interest: state.off_books_interest,
    interest_free_balance: state.interest_free_balance,
    charge_off_balance: state.charge_off_balance,
    recovered_amount: state.total_recovered,
    deficiency_balance: state.deficiency_balance,
    oldest_unpaid_due_date: state.oldest_unpaid_due_date,
    maturity_date: state.maturity_date,
    cycle_start_date: state.cycle?.begins ?? null,
    cycle_end_date: state.cycle?.ends ?? null,
    last_payment_date: state.last_payment_date,
    last_payment_amount: state.last_payment_amount,
    paid_principal: state.total_paid_principal,
    paid_interest: state.total_paid_interest,
    paid_fees: state.total_paid_fees,
    delinquency_pauses: state.pauses,
    ...openInstallments(state),
  };
}

/**
 * A summary of the open installments, so that queries need not read the schedule. Null if due dates are not
 * in the order of their numbers. This happens if a single installment was moved and a later workout was
 * reversed.
 */
function openInstallments({ installments, maturity_date }: LoanState) {
  const isInOrder = installments.every(
    ({ period_number }, at) => period_number > (installments[at - 1]?.period_number ?? 0),
  );
  if (!isInOrder)
    return { open_installments: null, first_open_period: null, is_last_covered: null };
  const open = installments.filter(({ status }) => status !== 'paid' && status !== 'canceled');
  const last = installments.findLast(({ due_date }) => due_date === maturity_date);
  return {
    open_installments: open.length,
    first_open_period: (open[0] ?? last)?.period_number ?? null,
    is_last_covered: last?.status === 'paid',
  };
}
