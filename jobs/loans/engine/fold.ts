import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { applyEvent } from './apply.ts';
import { eventsInForce } from './event-order.ts';
import type { LoanEvent } from './events.ts';
import { updateAccrualPace } from './interest/accrual-pace.ts';
import { newPosition } from './position.ts';
import { advanceTo, type ReplayRun } from './run.ts';
import { toLoanState, type LoanState } from './state.ts';

export type FoldInput = {
  terms: Terms;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  as_of: string;
};

/**
 * A loan's state on `as_of`, computed from its terms, schedule and events. The result does not depend on
 * the order in which events were recorded. It includes the events of `as_of` itself, and interest for every
 * day before it.
 */
export function fold(input: FoldInput): LoanState {
  return toLoanState(replay(input).position, input.as_of);
}

/** A run and the effective events it applied, in order. */
export type Replay = ReplayRun & { events: readonly LoanEvent[] };

/** `observe` is called before each event, when the run has reached the events before. */
export function replay(
  input: FoldInput,
  observe?: (run: ReplayRun, next: LoanEvent) => void,
): Replay {
  const position = newPosition(input.terms, input.schedule);
  const run = { position, day: '', events: eventsInForce(input.events, input.as_of) };
  for (const event of run.events) {
    observe?.(run, event);
    applyNextEvent(run, event);
  }
  advanceTo(run, input.as_of);
  return run;
}

/** A folded history. `run` becomes null once `continueReplay` has used it. */
export type FoldedHistory = { input: FoldInput; run: Replay | null };

/**
 * Continues a folded run with new events and gives the same result as a full replay. Returns null if terms,
 * schedule or date differ, or if a new event takes effect before the end of the run.
 */
export function continueReplay(folded: FoldedHistory, input: FoldInput): Replay | null {
  const { run, input: foldedInput } = folded;
  const isSame =
    foldedInput.as_of === input.as_of &&
    foldedInput.schedule === input.schedule &&
    JSON.stringify(foldedInput.terms) === JSON.stringify(input.terms);
  if (run === null || !isSame) return null;
  const after = eventsInForce(input.events, input.as_of);
  const newEvents = after.slice(run.events.length);
  const isContinuation =
    run.events.every((event, at) => event === after[at]) &&
    newEvents.every(({ effective_date }) => effective_date >= run.day);
  if (!isContinuation) return null;
  folded.run = null;
  for (const event of newEvents) applyNextEvent(run, event);
  advanceTo(run, input.as_of);
  return { ...run, events: after };
}

/** Applies one event. Events must arrive in effective order. */
export function applyNextEvent(run: ReplayRun, event: LoanEvent): ReplayRun {
  advanceTo(run, event.effective_date);
  applyEvent(run.position, event);
  updateAccrualPace(run.position, event.effective_date);
  return run;
}
