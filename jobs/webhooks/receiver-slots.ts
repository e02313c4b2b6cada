import { setTimeout as pause } from 'node:timers/promises';
import { SLOW_RECEIVER_MS } from './response-record.ts';

/** Of the slots of a worker, how many one receiver may hold at once. */
const OF_ONE_MAX = 16;
/** How many those may hold together of which this process has not seen yet whether they answer. */
const OF_STRANGERS_MAX = 24;
/**
 * While no stranger has answered for so long (milliseconds) nobody waits for a place among them, since that
 * would hold a slot.
 */
const PATIENCE_WITH_STRANGERS_MS = 250;
const LOOK_MS = 25;
/** So many receivers are remembered. */
const REMEMBERED_MAX = 50_000;

/**
 * A place among the requests of this process. It says when the receiver is asked, and gives the place back
 * with whether the answer was fast, null where none came; answers whether others were told to wait in a line
 * for that.
 */
export type ReceiverSlot = { asked(): void; end(isFast: boolean | null): boolean };

type Asking = { at: number };

/** Who waits for a place at a receiver, and was not told yet that one is free. */
type Waiting = { receiver: string; come: () => void };

/**
 * Whose turn it is among the receivers, so that one that suddenly keeps silent holds few slots: whoever
 * comes to a receiver that has kept another request waiting for too long does not wait with it, but is
 * told to wait in a line (null). A receiver is known to be slow only when its time is over; until then
 * this is what keeps its other deliveries from taking all slots.
 */
export function createReceiverSlots(now = () => performance.now(), look = () => pause(LOOK_MS)) {
  const places = new Map<string, Set<Asking>>();
  const isFast = new Map<string, boolean>();
  const waiting = new Set<Waiting>();
  /** Strangers for whom something was put into a line, since they had not answered yet. */
  const inLine = new Set<string>();
  let ofStrangers = 0;
  let strangersMovedAt = now();

  const isSilent = (receiver: string) =>
    [...(places.get(receiver) ?? [])].some(({ at }) => at + SLOW_RECEIVER_MS < now());
  const hasRoom = (receiver: string) =>
    (places.get(receiver)?.size ?? 0) < OF_ONE_MAX &&
    (isFast.get(receiver) || ofStrangers < OF_STRANGERS_MAX);

  const moveStrangers = (by: 1 | -1) => {
    ofStrangers += by;
    strangersMovedAt = now();
  };
  const isWorthWaiting = (receiver: string) =>
    isFast.get(receiver) || now() <= strangersMovedAt + PATIENCE_WITH_STRANGERS_MS;

  /** One place is one who waits: the first at this receiver, or of all where it was a stranger's. */
  function tell(receiver: string, isStranger: boolean) {
    const all = [...waiting];
    const next = all.find((one) => one.receiver === receiver) ?? (isStranger ? all[0] : undefined);
    if (!next) return;
    waiting.delete(next);
    next.come();
  }

  /** Until somebody tells of a free place, and no longer than a look: receivers fall silent untold. */
  async function wait(receiver: string) {
    const { promise, resolve: come } = Promise.withResolvers<void>();
    const asking: Waiting = { receiver, come };
    waiting.add(asking);
    void look().then(come);
    await promise;
    waiting.delete(asking);
  }

  function remember(receiver: string, answered: boolean) {
    if (isFast.size >= REMEMBERED_MAX) isFast.clear();
    isFast.set(receiver, answered);
  }

  function take(receiver: string): ReceiverSlot {
    const own = places.get(receiver) ?? new Set();
    const asking = { at: Infinity };
    places.set(receiver, own.add(asking));
    const isStranger = !isFast.get(receiver);
    if (isStranger) moveStrangers(1);
    return {
      asked: () => void (asking.at = now()),
      end: (answered) => {
        if (isStranger) moveStrangers(-1);
        own.delete(asking);
        if (own.size === 0) places.delete(receiver);
        if (answered !== null) remember(receiver, answered);
        tell(receiver, isStranger);
        return answered !== null && inLine.delete(receiver) && answered;
      },
    };
  }

  /** Waits for a receiver that answers as long as it does, and for strangers only a moment. */
  async function turnOf(receiver: string): Promise<ReceiverSlot | null> {
    while (!isSilent(receiver)) {
      if (hasRoom(receiver)) return take(receiver);
      if (!isWorthWaiting(receiver)) {
        inLine.add(receiver);
        return null;
      }
      await wait(receiver);
    }
    return null;
  }

  /** Whether it is known to answer, and keeps nobody waiting at the moment. */
  const answers = (receiver: string) => isFast.get(receiver) === true && !isSilent(receiver);
  return Object.assign(turnOf, { answers });
}
