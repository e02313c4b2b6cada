import type { ScheduleRow } from './amortize.ts';
import { anchorOf } from './anchor.ts';
import type { Anchor } from './anchor.ts';
import { applyEvent } from './apply.ts';
import { endOfPromo, eventsInForce } from './events.ts';
import type { LoanEvent } from './events.ts';
import { isFollowingPlan, openPosition, retune } from './position.ts';
import type { Position } from './position.ts';
import { stateOf } from './state.ts';
import type { LoanState } from './state.ts';
import type { Terms } from './terms.ts';

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
  return stateOf(replay(input), input.as_of);
}

/** The state together with the anchor that the loan's row keeps. */
export function foldWithAnchor(input: FoldInput): { state: LoanState; anchor: Anchor } {
  const position = replay(input);
  const turns = turningPoints(input).filter((date) => date > input.as_of);
  return {
    state: stateOf(position, input.as_of),
    anchor: anchorOf(position, input.as_of, turns[0] ?? null),
  };
}

/** Applies the events up to a day; between them the meter turns where a promotion or period ends. */
export function replay(input: FoldInput): Position {
  const position = openPosition(input.terms, input.schedule);
  const events = eventsInForce(input.events, input.as_of);
  const turns = turningPoints(input);
  let next = 0;
  for (const event of events) {
    next = turnUntil(position, turns, next, event.effective_date);
    applyEvent(position, event);
    retune(position, event.effective_date);
  }
  turnUntil(position, turns, next, input.as_of);
  return position;
}

function turnUntil(
  position: Position,
  turns: readonly string[],
  from: number,
  date: string,
): number {
  let index = from;
  for (; index < turns.length; index += 1) {
    const turn = turns[index];
    if (turn === undefined || turn > date) break;
    retune(position, turn);
  }
  return index;
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
