import { setTimeout as pause } from 'node:timers/promises';
import { SLOW_RECEIVER_MS } from './response-record.ts';

/** Maximum slots of a process for one receiver. */
const SLOTS_PER_RECEIVER_MAX = 16;
/** Maximum slots for all receivers together whose speed this process does not know yet. */
const SLOTS_FOR_UNKNOWN_MAX = 24;
/**
 * If no slot of unknown receivers has changed for this time (milliseconds), deliveries to unknown receivers
 * no longer wait for one, because waiting occupies a worker slot.
 */
const UNKNOWN_RECEIVER_WAIT_MS = 250;
const CHECK_INTERVAL_MS = 25;
/** Maximum receivers remembered. */
const KNOWN_RECEIVERS_MAX = 50_000;

/**
 * A slot for one request. Call `asked` when the request starts and `end` when it ends: true for a fast
 * answer, false for a slow one, null for none. `end` returns whether deliveries throttled while the
 * receiver was unknown can now be released.
 */
export type ReceiverSlot = { asked(): void; end(isFast: boolean | null): boolean };

type RunningRequest = { at: number };

/** A delivery that waits for a slot. */
type WaitingDelivery = { receiver: string; come: () => void };

/**
 * Distributes slots among receivers, so that one that suddenly stops answering occupies few of them. If a
 * request to the same receiver has been open for too long, the next delivery gets null instead of a slot
 * and goes to the throttled queue. A receiver counts as slow only after its timeout; until then this limit
 * protects the other receivers.
 */
export function createReceiverSlots(
  now = () => performance.now(),
  look = () => pause(CHECK_INTERVAL_MS),
) {
  const places = new Map<string, Set<RunningRequest>>();
  const isFast = new Map<string, boolean>();
  const waiting = new Set<WaitingDelivery>();
  /** Unknown receivers with deliveries in the throttled queue. */
  const inLine = new Set<string>();
  let ofStrangers = 0;
  let strangersMovedAt = now();

  const isSilent = (receiver: string) =>
    [...(places.get(receiver) ?? [])].some(({ at }) => at + SLOW_RECEIVER_MS < now());
  const hasRoom = (receiver: string) =>
    (places.get(receiver)?.size ?? 0) < SLOTS_PER_RECEIVER_MAX &&
    (isFast.get(receiver) || ofStrangers < SLOTS_FOR_UNKNOWN_MAX);

  const moveStrangers = (by: 1 | -1) => {
    ofStrangers += by;
    strangersMovedAt = now();
  };
  const isWorthWaiting = (receiver: string) =>
    isFast.get(receiver) || now() <= strangersMovedAt + UNKNOWN_RECEIVER_WAIT_MS;

  /**
   * A free slot wakes one waiting delivery: the first for this receiver, or the first of all if the slot
   * belonged to an unknown receiver.
   */
  function tell(receiver: string, isStranger: boolean) {
    const all = [...waiting];
    const next = all.find((one) => one.receiver === receiver) ?? (isStranger ? all[0] : undefined);
    if (!next) return;
    waiting.delete(next);
    next.come();
  }

  /**
   * Waits until a slot is free, but at most CHECK_INTERVAL_MS, because nothing signals that a receiver has become
   * silent.
   */
  async function wait(receiver: string) {
    const { promise, resolve: come } = Promise.withResolvers<void>();
    const asking: WaitingDelivery = { receiver, come };
    waiting.add(asking);
    void look().then(come);
    await promise;
    waiting.delete(asking);
  }

  function remember(receiver: string, answered: boolean) {
    if (isFast.size >= KNOWN_RECEIVERS_MAX) isFast.clear();
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

  /** Waits for a fast receiver while it answers, and only briefly for unknown receivers. */
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

  /** Whether the receiver is known to be fast and has no overdue request. */
  const answers = (receiver: string) => isFast.get(receiver) === true && !isSilent(receiver);
  return Object.assign(turnOf, { answers });
}
