import { setTimeout as pause } from 'node:timers/promises';
import { SLOW_MS } from './answer.ts';

/** Of the slots of a worker, how many one receiver may hold at once. */
const OF_ONE_MAX = 16;
/** How many those may hold together of which this process has not seen yet whether they answer. */
const OF_STRANGERS_MAX = 32;
/** How long (milliseconds) somebody waits for a place, holding a slot; a stranger is no busy receiver. */
const PATIENCE_MS = 1_000;
const PATIENCE_WITH_STRANGERS_MS = 250;
const LOOK_MS = 25;
/** So many receivers are remembered. */
const REMEMBERED_MAX = 50_000;

/** A place among the requests of this process; it is given back with whether the answer was fast. */
export type Turn = { end(isFast: boolean): void };

/**
 * Whose turn it is among the receivers, so that one that suddenly keeps silent holds few slots: whoever
 * comes to a receiver that has kept another request waiting for too long does not wait with it, but is
 * told to wait in a line (null). A receiver is known to be slow only when its time is over; until then
 * this is what keeps its other deliveries from taking all slots.
 */
export function newTurns(now = () => performance.now(), look = () => pause(LOOK_MS)) {
  const begun = new Map<string, number[]>();
  const isFast = new Map<string, boolean>();
  let ofStrangers = 0;

  const isSilent = (receiver: string) => (begun.get(receiver)?.[0] ?? Infinity) + SLOW_MS < now();
  const hasRoom = (receiver: string) =>
    (begun.get(receiver)?.length ?? 0) < OF_ONE_MAX &&
    (isFast.get(receiver) || ofStrangers < OF_STRANGERS_MAX);

  function take(receiver: string): Turn {
    const started = now();
    const isStranger = !isFast.get(receiver);
    if (isStranger) ofStrangers += 1;
    begun.set(receiver, [...(begun.get(receiver) ?? []), started]);
    return {
      end: (answered) => {
        if (isStranger) ofStrangers -= 1;
        const left = begun.get(receiver) ?? [];
        left.splice(left.indexOf(started), 1);
        if (left.length === 0) begun.delete(receiver);
        if (isFast.size >= REMEMBERED_MAX) isFast.clear();
        isFast.set(receiver, answered);
      },
    };
  }

  return async function turnOf(receiver: string): Promise<Turn | null> {
    const until = now() + (isFast.get(receiver) ? PATIENCE_MS : PATIENCE_WITH_STRANGERS_MS);
    while (!isSilent(receiver) && now() <= until) {
      if (hasRoom(receiver)) return take(receiver);
      await look();
    }
    return null;
  };
}
