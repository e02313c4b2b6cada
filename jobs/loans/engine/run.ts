import { earliest, latest } from '../../dates.ts';
import { endGrace, graceEndDate } from './interest/grace.ts';
import { updateAccrualPace } from './interest/accrual-pace.ts';
import { copyPosition, endsOfRateLimits, type Position } from './position.ts';

/** A position during a replay, and the day through which it is counted. */
export type ReplayRun = { position: Position; day: string };

/**
 * Advances to a day. The pace of interest changes where a promotion, a legal cap, a grace period or a
 * scheduled period ends.
 */
export function advanceTo(run: ReplayRun, date: string): ReplayRun {
  for (
    let change = nextAccrualChange(run);
    change !== null && change <= date;
    change = nextAccrualChange(run)
  ) {
    endGrace(run.position, change);
    updateAccrualPace(run.position, change);
    run.day = change;
  }
  run.day = latest(run.day, date);
  return run;
}

/** The next day on which the pace of interest changes without an event. */
export function nextAccrualChange({ position, day }: ReplayRun): string | null {
  let change = earlierDate(position.meter.source.pace?.until ?? null, graceEndDate(position));
  for (const end of endsOfRateLimits(position)) if (end > day) change = earlierDate(change, end);
  return change;
}

const earlierDate = (one: string | null, other: string | null): string | null =>
  one === null || other === null ? (one ?? other) : earliest(one, other);

/** The position on a later day if nothing happens before. Does not change the given position. */
export function positionOn({ position, day }: ReplayRun, date: string): Position {
  const change = nextAccrualChange({ position, day });
  const isSteady = change === null || change >= date;
  return isSteady ? position : advanceTo({ position: copyPosition(position), day }, date).position;
}
