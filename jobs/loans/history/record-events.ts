import { Big } from 'big.js';
import * as eventEffects from '../../../sql/loans/event-effects.ts';
import { readLateFeeFacts } from '../../../sql/loans/fees/late-fee-facts.ts';
import { Invalid } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { MAX_BALANCE } from '../arithmetic/terms.ts';
import { readAgreedSteps } from '../agreed/read-agreed-steps.ts';
import { lateFeePolicy, lateFeesAhead } from './late-fee-rules.ts';
import { reviewManualForms, syncForms1099C } from '../outcomes/sync-forms-1099c.ts';
import { eventsInForce } from '../engine/event-order.ts';
import type { LoanEvent } from '../engine/events.ts';
import { startFuture, type AgreedStep } from '../engine/projection/agreed-steps.ts';
import type { ProjectionInput } from '../engine/projection/course.ts';
import { finalPayment, finalPaymentAsAgreed } from '../engine/projection/final-payment.ts';
import type { ReplayRun } from '../engine/run.ts';
import { continueReplay, replay, type Replay } from '../engine/fold.ts';
import { outlookOf } from '../engine/outlook/outlook.ts';
import { toLoanState, type LoanState } from '../engine/state.ts';
import { readTerms } from '../products/loan-terms.ts';
import { prepaymentPenalty, type PenaltyBasis } from '../products/prepayment-penalty.ts';
import { postChanges } from './post-changes.ts';
import {
  changedSales,
  changedSplits,
  CREDIT_KINDS,
  lossOf,
  changedCoverage,
  changedEvents,
  changedReversals,
  PAYMENT_KINDS,
  newScheduleVersions,
  shownSchedule,
} from './differences.ts';
import { changeStatus, applyStateChange, delinquencyColumns } from './apply-state-change.ts';
import { remindOfTransferredBalance } from './after-transfer.ts';
import { updateNextDraw } from './autopay/save-next-draw.ts';
import { supersedeStaleQuote } from './supersede-quotes.ts';
import { reevaluateOutcomes, notifyOfficer } from './reevaluate-outcomes.ts';
import { notifyScheduleChange, type RateCap } from './notify-schedule-change.ts';
import { changesAgreedSchedule, scheduleReason } from './schedule-reason.ts';
import type { LoanStatus } from './statuses.ts';
import { openLoan, type OpenLoan } from './open-loan.ts';
import { affectsPastDays, findWithdrawnEvents } from './withdrawn-events.ts';

export type RecordOptions = {
  /** The loan's first schedule. Later schedules follow from events. */
  firstSchedule?: readonly ScheduleRow[];
  /** The fold of these events on `firstSchedule`, if the caller has it. The loan has no other events. */
  firstFold?: Replay;
  /** The new status, if it does not follow from the events. */
  newStatus?: LoanStatus;
  /** The trigger named in the status notification to subscribers. */
  trigger?: string | undefined;
  statusReason?: string | null | undefined;
  /** The reason for a schedule change, if it does not follow from the events. */
  scheduleChangeReason?: string | undefined;
  /** The legal cap that starts with these events, for the notice of the new payments. */
  rateCap?: RateCap | undefined;
  /** Set if no event happens and the outlook is only extended. The final payment stays as of the last event. */
  extendsOutlook?: true;
  /** Set if something was agreed for a later day after the loan was opened. */
  hasNewAgreement?: true;
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
  const { firstSchedule, newStatus, trigger, statusReason, scheduleChangeReason } = options;
  const { row } = loan;
  const schedule = firstSchedule ?? loan.schedule;
  const newEvents = [...requested, ...(await findWithdrawnEvents(work, loan, requested))];
  const events = [...loan.events, ...newEvents];
  const input = { terms: readTerms(row), schedule, events, as_of: work.today };
  const effectiveBefore = loan.folded.run?.events ?? eventsInForce(loan.events, work.today);
  const run = options.firstFold ?? continueReplay(loan.folded, input) ?? replay(input);
  const state = toLoanState(run.position, work.today);
  const isBoarded = newEvents.some(({ kind }) => kind === 'boarding');
  // First, because a plan that breaks cancels scheduled payments.
  const outcomes =
    !isBoarded && affectsPastDays(newEvents, work.today)
      ? await reevaluateOutcomes(work, loan, events, run.events)
      : [];
  const has_agreed_records = row.has_agreed_records || options.hasNewAgreement === true;
  const known = { row: { ...row, has_agreed_records }, schedule, events, state };
  const agreed = await readAgreedSteps(work, known);
  const stepsAhead = agreed.filter((step) => isAhead(work, step));
  const future =
    stepsAhead.length > 0
      ? startFuture({ terms: input.terms, schedule, events }, stepsAhead)
      : null;
  const finalBefore =
    row.final_payment_amount === null ? null : parseMoney(row.final_payment_amount);
  const final = options.extendsOutlook ? finalBefore : finalPaymentOf(run, { ...input, agreed });
  assertStorable(loan.state, state);
  const cause = scheduleChangeReason ?? scheduleReason(newEvents, events, work.today);
  const isChanged = changedEvents(loan.state, state);
  const reversals = changedReversals(loan.events, events);
  const current = { ...row, status: newStatus ?? row.status };
  const penaltyOn = input.terms.prepayment_penalty
    ? penaltyRule(row, run.position.funded_on)
    : null;
  // A payment plan whose outcome changed may now suspend late fees.
  const late_fee_facts =
    outcomes.length > 0 ? await readLateFeeFacts(work.tx, row.id) : row.late_fee_facts;
  const lateFees = state.is_charged_off ? null : lateFeePolicy({ ...row, late_fee_facts }, run);
  const outlook = {
    final,
    penaltyOn,
    lateFeesOn: lateFees && lateFeesAhead(lateFees),
    agreed: future,
  };
  const newVersions = newScheduleVersions(loan, state, firstSchedule, cause);
  const newVersion = newVersions.at(-1) ?? null;
  await eventEffects.writeEventEffects(work.tx, {
    loan_id: row.id,
    events: newEvents.map((event) => toEventRow(event, reversals.now)),
    reversals: reversals.changed,
    new_schedules: newVersions,
    coverage: {
      version: row.schedule_version,
      rows: newVersion ? [] : changedCoverage(loan.state, state),
    },
    // The caller writes a new payment together with its split.
    payments: changedSplits(PAYMENT_KINDS, isChanged, state, loan.events),
    credits: changedSplits(CREDIT_KINDS, isChanged, state, events),
    sales: changedSales(isChanged, state, events),
    fees: state.fees,
    checkpoint: {
      ...checkpointColumns(state),
      ...delinquencyColumns(work, { ...current, isBoarded }, state, run.position),
      ...lossOf(loan.state, state),
      final_payment_amount: final && money(final),
      schedule_version: newVersion?.version ?? row.schedule_version,
      ...(newVersion && shownSchedule(row, state)),
    },
    outlook: run.position.funded_on === null ? [] : outlookOf(run, outlook),
  });
  await postChanges(work, loan, input, {
    state,
    isChanged,
    newEvents,
    effectiveBefore,
    effectiveAfter: run.events,
  });
  const transferred = { before: loan.state, after: state, input };
  await remindOfTransferredBalance(work, row, newEvents, transferred);
  await supersedeStaleQuote(work, row.quote_id, { ...input, agreed }, newEvents);
  if (newStatus) await changeStatus(work, row, newStatus, trigger ?? newStatus, statusReason);
  const before = { events: effectiveBefore, state: loan.state };
  const after = { events: run.events, state };
  await syncForms1099C(work, row, before, after);
  await reviewManualForms(work, row, before, after);
  // Boarding notifies subscribers of the whole loan; its initial state is not a change.
  if (!isBoarded) {
    const change = { was: row.status, before: loan.state, after: state, events: run.events };
    const sentences = await applyStateChange(work, current, change, trigger);
    await notifyOfficer(work, row, [...sentences, ...outcomes]);
    if (row.autopay_plan)
      await updateNextDraw(work, row.autopay_plan, { row: current, input, run, state, agreed });
  }
  if (newVersion && !newStatus && !changesAgreedSchedule(newEvents, events)) {
    const change = { before: loan.state, after: state, reason: cause, rate_cap: options.rateCap };
    await notifyScheduleChange(work, row, change);
  }
  return state;
}

/**
 * Whether the outlook counts on the step. An overdue step has failed, and a step of the day that is being closed can
 * still fail. The outlook is written again when they happen.
 */
const isAhead = ({ today, isClosingDay }: Work, { date, is_overdue }: AgreedStep): boolean =>
  !is_overdue && !(isClosingDay && date === today);

const finalPaymentOf = (
  run: ReplayRun,
  input: ProjectionInput & { agreed: readonly AgreedStep[] },
) => (input.agreed.length > 0 ? finalPaymentAsAgreed(input) : finalPayment(run));

/**
 * The prepayment penalty by the balances of a day. The balances decide whether the loan is open, because its row can
 * still have the status from before funding or reopening.
 */
function penaltyRule(row: OpenLoan['row'], funded_on: string | null) {
  const loan = { ...row, status: 'active', disbursement_date: row.disbursement_date ?? funded_on };
  return (basis: PenaltyBasis) => prepaymentPenalty(loan, basis);
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
function assertStorable(before: LoanState, after: LoanState) {
  for (const balance of ['total_balance', 'suspense_balance'] as const) {
    const amount = new Big(after[balance]);
    if (amount.lte(MAX_BALANCE) || amount.lte(before[balance])) continue;
    throw new Invalid({ amount: `Must not raise a balance of the loan above ${MAX_BALANCE}.` });
  }
}

const toEventRow = (
  { id, kind, effective_date, is_replayed, ...details }: LoanEvent,
  reversals: ReadonlyMap<string, string>,
) => ({
  id,
  kind,
  effective_date,
  details,
  is_replayed: is_replayed === true,
  reversed_by: reversals.get(id) ?? null,
});

function checkpointColumns(state: LoanState) {
  return {
    principal_balance: state.principal_balance,
    interest_settled: state.interest_settled,
    outstanding_fees: state.outstanding_fees,
    suspense_balance: state.suspense_balance,
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
  };
}
