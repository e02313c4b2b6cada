import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { anchorOf, type Anchor } from './anchor.ts';
import { applyEvent } from './apply.ts';
import { eventsInForce, endOfPromo } from './event-order.ts';
import type { LoanEvent } from './events.ts';
import { isFollowingPlan, openPosition, retune, type Position } from './position.ts';
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

/** The state together with the anchor that the loan's row keeps. */
export function foldWithAnchor(input: FoldInput): { state: LoanState; anchor: Anchor } {
  const { position, turns } = replay(input);
  const turn = turns.find((date) => date > input.as_of) ?? null;
  return {
    state: stateOf(position, input.as_of),
    anchor: anchorOf(position, input.as_of, turn),
  };
}

/** A position on its way through time, with the days on which interest changes its pace. */
export type Run = { position: Position; turns: readonly string[]; next_turn: number };

export function replay(input: FoldInput): Run {
  const position = openPosition(input.terms, input.schedule);
  const run = { position, turns: turningPoints(input), next_turn: 0 };
  for (const event of eventsInForce(input.events, input.as_of)) proceed(run, event);
  return advanceTo(run, input.as_of);
}

/** One more event, not earlier than those before it. */
export function proceed(run: Run, event: LoanEvent): Run {
  advanceTo(run, event.effective_date);
  applyEvent(run.position, event);
  retune(run.position, event.effective_date);
  return run;
}

/** Lets time pass to a day: the meter turns where a promotion or a period of the plan ends. */
export function advanceTo(run: Run, date: string): Run {
  for (; run.next_turn < run.turns.length; run.next_turn += 1) {
    const turn = run.turns[run.next_turn];
    if (turn === undefined || turn > date) break;
    retune(run.position, turn);
  }
  return run;
}

/** Days on which interest changes its pace although nothing happens, in order. */
function turningPoints({ terms, schedule, events }: FoldInput): string[] {
  const dates = new Set<string>();
  for (const event of events) {
    if (event.kind === 'promo') dates.add(endOfPromo(event));
    if (event.kind === 'schedule_replaced' && isFollowingPlan(terms)) {
      for (const row of event.schedule) dates.add(row.due_date);
    }
  }
  if (isFollowingPlan(terms)) for (const row of schedule) dates.add(row.due_date);
  return [...dates].toSorted();
}
