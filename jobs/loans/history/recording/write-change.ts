import * as eventEffects from '../../../../sql/loans/event-effects.ts';
import { money } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { LoanEvent } from '../../engine/events.ts';
import type { LoanState } from '../../engine/state.ts';
import { delinquencyColumns } from '../apply-state-change.ts';
import {
  changedCoverage,
  changedReversals,
  changedSales,
  changedSplits,
  CREDIT_KINDS,
  lossOf,
  PAYMENT_KINDS,
  shownSchedule,
} from '../differences.ts';
import type { OpenLoan } from '../open-loan.ts';
import type { LoanChange } from './fold-change.ts';
import type { Ahead } from './look-ahead.ts';

/**
 * Writes the new events, and what they change in the loan's row, schedule, coverage, splits, fees and outlook. `status`
 * is the loan's status after the events.
 */
export async function writeChange(
  work: Work,
  { row, events: eventsBefore }: OpenLoan,
  change: LoanChange,
  { status, final, outlook }: Ahead & { status: string },
) {
  const { newEvents, input, isChanged, newSchedules, isBoarding, run } = change;
  const { before, after } = { before: change.before.state, after: change.after.state };
  const reversals = changedReversals(eventsBefore, input.events);
  const newSchedule = newSchedules.at(-1);
  await eventEffects.writeEventEffects(work.tx, {
    loan_id: row.id,
    events: newEvents.map((event) => toEventRow(event, reversals.now)),
    reversals: reversals.changed,
    new_schedules: newSchedules,
    coverage: {
      version: row.schedule_version,
      rows: newSchedule ? [] : changedCoverage(before, after),
    },
    // The caller writes a new payment together with its split.
    payments: changedSplits(PAYMENT_KINDS, isChanged, after, eventsBefore),
    credits: changedSplits(CREDIT_KINDS, isChanged, after, input.events),
    sales: changedSales(isChanged, after, input.events),
    fees: after.fees,
    checkpoint: {
      ...checkpointColumns(after),
      ...delinquencyColumns(work, { ...row, status, isBoarded: isBoarding }, after, run.position),
      ...lossOf(before, after),
      final_payment_amount: final && money(final),
      schedule_version: newSchedule?.version ?? row.schedule_version,
      ...(newSchedule && shownSchedule(row, after)),
    },
    outlook,
  });
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
