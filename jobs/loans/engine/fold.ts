import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { toCheckpoint, type Checkpoint } from './checkpoint.ts';
import { applyEvent } from './apply.ts';
import { interestOutlook } from './bills.ts';
import { eventsInForce } from './event-order.ts';
import type { LoanEvent } from './events.ts';
import { updateAccrualPace } from './accrual-pace.ts';
import { newPosition } from './position.ts';
import { advanceTo, nextAccrualChange, type ReplayRun } from './run.ts';
import { toLoanState, type LoanState } from './state.ts';

export type FoldInput = {
  terms: Terms;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  as_of: string;
};

/**
 * A loan's state on a day, from its terms, its plan and all that happened to it. The order in
 * which events arrived has no influence: they take effect by date, kind and id. A reversed event
 * leaves no trace. Interest counts each day before the given one; events of the day itself are in.
 */
export function fold(input: FoldInput): LoanState {
  return toLoanState(replay(input).position, input.as_of);
}

/** The state together with the anchor that the loan's row keeps, and the run that came to them. */
export function foldWithCheckpoint(
  input: FoldInput,
  run = replay(input),
): { state: LoanState; anchor: Checkpoint; run: Replay } {
  const { position } = run;
  const until = nextAccrualChange(run);
  const ahead = until && interestOutlook(position, input.as_of, until);
  return {
    run,
    state: toLoanState(position, input.as_of),
    anchor: toCheckpoint(position, input.as_of, { until, ahead }),
  };
}

/** A run through a history, and the events of it that count, in their order. */
export type Replay = ReplayRun & { events: readonly LoanEvent[] };

export function replay(input: FoldInput): Replay {
  const position = newPosition(input.terms, input.schedule);
  const run = { position, day: '', events: eventsInForce(input.events, input.as_of) };
  for (const event of run.events) applyNextEvent(run, event);
  advanceTo(run, input.as_of);
  return run;
}

/** A history that was folded, and the run that came to its end, as long as nobody has gone on with it. */
export type FoldedHistory = { input: FoldInput; run: Replay | null };

/**
 * Goes on where a shorter history has ended, if all that is new takes effect behind all of it, on the same
 * terms: what comes of it is what a replay of the whole would come to. Otherwise answers null.
 */
export function continueReplay(folded: FoldedHistory, input: FoldInput): Replay | null {
  const { run, input: known } = folded;
  const isSame =
    known.as_of === input.as_of &&
    known.schedule === input.schedule &&
    JSON.stringify(known.terms) === JSON.stringify(input.terms);
  if (run === null || !isSame) return null;
  const after = eventsInForce(input.events, input.as_of);
  const fresh = after.slice(run.events.length);
  const isBehind =
    run.events.every((event, at) => event === after[at]) &&
    fresh.every(({ effective_date }) => effective_date >= run.day);
  if (!isBehind) return null;
  folded.run = null;
  for (const event of fresh) applyNextEvent(run, event);
  advanceTo(run, input.as_of);
  return { ...run, events: after };
}

/** One more event, not earlier than those before it. */
export function applyNextEvent(run: ReplayRun, event: LoanEvent): ReplayRun {
  advanceTo(run, event.effective_date);
  applyEvent(run.position, event);
  updateAccrualPace(run.position, event.effective_date);
  return run;
}
