import { earliest, latest } from '../../dates.ts';
import { endOfPromo } from './event-order.ts';
import { endGrace, endOfGrace } from './grace.ts';
import { retune } from './pace.ts';
import { copyOf, type Position } from './position.ts';

/** A position on its way through time: the day it has come to, which is counted. */
export type Run = { position: Position; day: string };

/** Lets time pass to a day: the meter turns where a promotion, a grace or a period of the plan ends. */
export function advanceTo(run: Run, date: string): Run {
  for (let turn = nextTurn(run); turn !== null && turn <= date; turn = nextTurn(run)) {
    endGrace(run.position, turn);
    retune(run.position, turn);
    run.day = turn;
  }
  run.day = latest(run.day, date);
  return run;
}

/** The next day on which interest changes its pace although nothing happens. */
export function nextTurn({ position, day }: Run): string | null {
  let turn = earlier(position.meter.source.pace?.until ?? null, endOfGrace(position));
  for (const promo of position.promos) {
    const end = endOfPromo(promo);
    if (end > day) turn = earlier(turn, end);
  }
  return turn;
}

const earlier = (one: string | null, other: string | null): string | null =>
  one === null || other === null ? (one ?? other) : earliest(one, other);

/** What a position comes to by a later day if nothing happens until then; it stays as it is itself. */
export function positionBy({ position, day }: Run, date: string): Position {
  const turn = nextTurn({ position, day });
  const isSteady = turn === null || turn >= date;
  return isSteady ? position : advanceTo({ position: copyOf(position), day }, date).position;
}
