import type { Work } from '../../../work.ts';
import type { ScheduleRow } from '../../arithmetic/amortize.ts';
import { eventsInForce } from '../../engine/event-order.ts';
import type { LoanEvent } from '../../engine/events.ts';
import { continueReplay, replay, type FoldInput, type Replay } from '../../engine/fold.ts';
import { toLoanState, type LoanState } from '../../engine/state.ts';
import { readTerms } from '../../products/loan-terms.ts';
import { changedEvents, newScheduleVersions } from '../differences.ts';
import type { OpenLoan } from '../open-loan.ts';
import { scheduleReason } from './schedule-reason.ts';

/** The events in force, in order, and the state that they give. */
export type FoldedEvents = { events: readonly LoanEvent[]; state: LoanState };

/** A loan before and after new events. */
export type LoanChange = {
  newEvents: readonly LoanEvent[];
  /** All recorded events, the new ones included. */
  input: FoldInput & { terms: ReturnType<typeof readTerms> };
  before: FoldedEvents;
  after: FoldedEvents;
  /** The fold that gave `after`. */
  run: Replay;
  isBoarding: boolean;
  /** Whether the allocations or the coverage of an event changed. */
  isChanged: (eventId: string) => boolean;
  /** Empty if the schedule stays the same. */
  newSchedules: ReturnType<typeof newScheduleVersions>;
  scheduleReason: string;
};

export type FoldOptions = {
  /** The loan's first schedule. Later schedules follow from events. */
  firstSchedule?: readonly ScheduleRow[];
  /** The fold of these events on `firstSchedule`, if the caller has it. The loan has no other events. */
  firstFold?: Replay;
  /** The reason for a schedule change, if it does not follow from the events. */
  scheduleChangeReason?: string | undefined;
};

/** Folds the loan with new events as of today, and compares it with the loan before them. Writes nothing. */
export function foldChange(
  { today }: Work,
  loan: OpenLoan,
  newEvents: readonly LoanEvent[],
  { firstSchedule, firstFold, scheduleChangeReason }: FoldOptions,
): LoanChange {
  const events = [...loan.events, ...newEvents];
  const schedule = firstSchedule ?? loan.schedule;
  const input = { terms: readTerms(loan.row), schedule, events, as_of: today };
  const inForceBefore = loan.folded.run?.events ?? eventsInForce(loan.events, today);
  const run = firstFold ?? continueReplay(loan.folded, input) ?? replay(input);
  const state = toLoanState(run.position, today);
  const reason = scheduleChangeReason ?? scheduleReason(newEvents, events, today);
  return {
    newEvents,
    input,
    before: { events: inForceBefore, state: loan.state },
    after: { events: run.events, state },
    run,
    isBoarding: newEvents.some(({ kind }) => kind === 'boarding'),
    isChanged: changedEvents(loan.state, state),
    newSchedules: newScheduleVersions(loan, state, firstSchedule, reason),
    scheduleReason: reason,
  };
}
