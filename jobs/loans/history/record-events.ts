import { Big } from 'big.js';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { MAX_BALANCE } from '../arithmetic/terms.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';
import { reviewManualForms, syncForms1099C } from '../outcomes/sync-forms-1099c.ts';
import { remindOfTransferredBalance } from './after-transfer.ts';
import { applyStateChange, changeStatus } from './apply-state-change.ts';
import { updateNextDraw } from './autopay/save-next-draw.ts';
import { notifyScheduleChange, type RateCap } from './notify-schedule-change.ts';
import { openLoan, type OpenLoan } from './open-loan.ts';
import { foldChange, type FoldOptions, type LoanChange } from './recording/fold-change.ts';
import { lookAhead, type Ahead, type AheadOptions } from './recording/look-ahead.ts';
import { postChanges } from './recording/post-changes.ts';
import { notifyOfficer, reevaluateOutcomes } from './recording/reevaluate-outcomes.ts';
import { changesAgreedSchedule } from './recording/schedule-reason.ts';
import { findWithdrawnEvents } from './recording/withdrawn-events.ts';
import { writeChange } from './recording/write-change.ts';
import type { LoanStatus } from './statuses.ts';
import { supersedeStaleQuote } from './supersede-quotes.ts';

export type RecordOptions = FoldOptions &
  AheadOptions & {
    /** The new status, if it does not follow from the events. */
    newStatus?: LoanStatus;
    /** The trigger named in the status notification to subscribers. */
    trigger?: string | undefined;
    statusReason?: string | null | undefined;
    /** The legal cap that starts with these events, for the notice of the new payments. */
    rateCap?: RateCap | undefined;
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
  options: RecordOptions = {},
): Promise<LoanState> {
  const withdrawn = await findWithdrawnEvents(work, loan, requested);
  const change = foldChange(work, loan, [...requested, ...withdrawn], options);
  assertStorable(change);
  // Before the agreed steps are read, because a plan that breaks cancels scheduled payments.
  const outcomes = await reevaluateOutcomes(work, loan, change);
  const areOutcomesChanged = outcomes.length > 0;
  const ahead = await lookAhead(work, loan.row, change, { ...options, areOutcomesChanged });
  const row = { ...loan.row, status: options.newStatus ?? loan.row.status };
  await writeChange(work, loan, change, { ...ahead, status: row.status });
  await postChanges(work, loan, change);
  await updateDependents(work, loan.row, change, { ...options, agreed: ahead.agreed });
  // Boarding notifies subscribers of the whole loan; its initial state is not a change.
  if (!change.isBoarding) {
    const sentences = await applyStateChange(
      work,
      row,
      { was: loan.row.status, ...change },
      options.trigger,
    );
    await notifyOfficer(work, loan.row, [...sentences, ...outcomes]);
    await updateAutopay(work, row, change, ahead.agreed);
  }
  await notifyNewSchedule(work, loan.row, change, options);
  return change.after.state;
}

/** Updates the records and tasks that rest on the loan's events, and sets the status that the caller asks for. */
async function updateDependents(
  work: Work,
  row: OpenLoan['row'],
  { input, newEvents, before, after }: LoanChange,
  { agreed, newStatus, trigger, statusReason }: RecordOptions & Pick<Ahead, 'agreed'>,
) {
  const states = { before: before.state, after: after.state, input };
  await remindOfTransferredBalance(work, row, newEvents, states);
  await supersedeStaleQuote(work, row.quote_id, { ...input, agreed }, newEvents);
  if (newStatus) await changeStatus(work, row, newStatus, trigger ?? newStatus, statusReason);
  await syncForms1099C(work, row, before, after);
  await reviewManualForms(work, row, before, after);
}

async function updateAutopay(
  work: Work,
  row: OpenLoan['row'],
  { input, run, after: { state } }: LoanChange,
  agreed: Ahead['agreed'],
) {
  if (row.autopay_plan)
    await updateNextDraw(work, row.autopay_plan, { row, input, run, state, agreed });
}

/** A schedule that the parties agreed has a notice of its own. */
async function notifyNewSchedule(
  work: Work,
  row: OpenLoan['row'],
  { newEvents, newSchedules, input, before, after, scheduleReason: reason }: LoanChange,
  { newStatus, rateCap: rate_cap }: RecordOptions,
) {
  const isAgreed = newStatus !== undefined || changesAgreedSchedule(newEvents, input.events);
  if (newSchedules.length === 0 || isAgreed) return;
  const change = { before: before.state, after: after.state, reason, rate_cap };
  await notifyScheduleChange(work, row, change);
}

/**
 * Updates what follows from a loan's agreed changes after one was added or canceled: its final payment and
 * its payoff quote.
 */
export async function updateAgreed(work: Work, loanId: string) {
  await recordEvents(work, await openLoan(work, loanId), []);
}

/**
 * An amount that overflows a column would stop the close for every loan. A loan above the limit can only
 * decrease.
 */
function assertStorable({ before, after }: LoanChange) {
  for (const balance of ['total_balance', 'suspense_balance'] as const) {
    const amount = new Big(after.state[balance]);
    if (amount.lte(MAX_BALANCE) || amount.lte(before.state[balance])) continue;
    throw new Invalid({ amount: `Must not raise a balance of the loan above ${MAX_BALANCE}.` });
  }
}
