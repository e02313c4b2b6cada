import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { anchorOf, type Anchor } from './anchor.ts';
import { applyEvent } from './apply.ts';
import { interestAhead } from './bills.ts';
import { eventsInForce } from './event-order.ts';
import type { LoanEvent } from './events.ts';
import { retune } from './pace.ts';
import { openPosition } from './position.ts';
import { advanceTo, nextTurn, type Run } from './run.ts';
import { stateOf, type LoanState } from './state.ts';

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
  return stateOf(replay(input).position, input.as_of);
}

/** The state together with the anchor that the loan's row keeps, and the run that came to them. */
export function foldWithAnchor(
  input: FoldInput,
  run = replay(input),
): { state: LoanState; anchor: Anchor; run: Replayed } {
  const { position } = run;
  const until = nextTurn(run);
  const ahead = until && interestAhead(position, input.as_of, until);
  return {
    run,
    state: stateOf(position, input.as_of),
    anchor: anchorOf(position, input.as_of, { until, ahead }),
  };
}

/** A run through a history, and the events of it that count, in their order. */
export type Replayed = Run & { events: readonly LoanEvent[] };

export function replay(input: FoldInput): Replayed {
  const position = openPosition(input.terms, input.schedule);
  const run = { position, day: '', events: eventsInForce(input.events, input.as_of) };
  for (const event of run.events) proceed(run, event);
  advanceTo(run, input.as_of);
  return run;
}

/** A history that was folded, and the run that came to its end, as long as nobody has gone on with it. */
export type Folded = { input: FoldInput; run: Replayed | null };

/**
 * Goes on where a shorter history has ended, if all that is new takes effect behind all of it, on the same
 * terms: what comes of it is what a replay of the whole would come to. Otherwise answers null.
 */
export function goOn(folded: Folded, input: FoldInput): Replayed | null {
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
  for (const event of fresh) proceed(run, event);
  advanceTo(run, input.as_of);
  return { ...run, events: after };
}

/** One more event, not earlier than those before it. */
export function proceed(run: Run, event: LoanEvent): Run {
  advanceTo(run, event.effective_date);
  applyEvent(run.position, event);
  retune(run.position, event.effective_date);
  return run;
}
