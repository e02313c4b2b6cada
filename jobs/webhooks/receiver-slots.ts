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
 * A slot for one request. Call `start` when the request starts and `release` when it ends: true for a fast
 * answer, false for a slow one, null for none. `release` returns whether deliveries throttled while the
 * receiver was unknown can now be released.
 */
export type ReceiverSlot = { start(): void; release(isFast: boolean | null): boolean };

type OpenRequest = { startedAt: number };

/**
 * Distributes slots among receivers, so that one that suddenly stops answering occupies few of them. If a
 * request to the same receiver has been open for too long, the next delivery gets null instead of a slot
 * and goes to the throttled queue. A receiver counts as slow only after its timeout; until then this limit
 * protects the other receivers.
 */
export function createReceiverSlots(
  now = () => performance.now(),
  pauseBriefly = () => pause(CHECK_INTERVAL_MS),
) {
  const openRequests = new Map<string, Set<OpenRequest>>();
  const isFast = new Map<string, boolean>();
  const waiting = createWaitingDeliveries(pauseBriefly);
  /** Unknown receivers with deliveries in the throttled queue. */
  const throttled = new Set<string>();
  const unknown = { slots: 0, changedAt: now() };

  const isSilent = (receiver: string) =>
    [...(openRequests.get(receiver) ?? [])].some(
      ({ startedAt }) => startedAt + SLOW_RECEIVER_MS < now(),
    );
  const hasRoom = (receiver: string) =>
    (openRequests.get(receiver)?.size ?? 0) < SLOTS_PER_RECEIVER_MAX &&
    (isFast.get(receiver) || unknown.slots < SLOTS_FOR_UNKNOWN_MAX);
  const isWorthWaiting = (receiver: string) =>
    isFast.get(receiver) || now() <= unknown.changedAt + UNKNOWN_RECEIVER_WAIT_MS;

  function countUnknown(change: 1 | -1) {
    unknown.slots += change;
    unknown.changedAt = now();
  }

  function rememberSpeed(receiver: string, answeredFast: boolean) {
    if (isFast.size >= KNOWN_RECEIVERS_MAX) isFast.clear();
    isFast.set(receiver, answeredFast);
  }

  function occupySlot(receiver: string): ReceiverSlot {
    const requests = openRequests.get(receiver) ?? new Set();
    const request = { startedAt: Infinity };
    openRequests.set(receiver, requests.add(request));
    const isUnknown = !isFast.get(receiver);
    if (isUnknown) countUnknown(1);
    return {
      start: () => void (request.startedAt = now()),
      release: (answeredFast) => {
        if (isUnknown) countUnknown(-1);
        requests.delete(request);
        if (requests.size === 0) openRequests.delete(receiver);
        if (answeredFast !== null) rememberSpeed(receiver, answeredFast);
        waiting.wakeNext(receiver, isUnknown);
        return answeredFast !== null && throttled.delete(receiver) && answeredFast;
      },
    };
  }

  /** Waits for a fast receiver while it answers, and only briefly for unknown receivers. */
  async function take(receiver: string): Promise<ReceiverSlot | null> {
    while (!isSilent(receiver)) {
      if (hasRoom(receiver)) return occupySlot(receiver);
      if (!isWorthWaiting(receiver)) {
        throttled.add(receiver);
        return null;
      }
      await waiting.wait(receiver);
    }
    return null;
  }

  /** Whether the receiver is known to be fast and has no overdue request. */
  const isAnswering = (receiver: string) => isFast.get(receiver) === true && !isSilent(receiver);
  return { take, isAnswering };
}

/** The deliveries that wait for a slot, in order. */
function createWaitingDeliveries(pauseBriefly: () => Promise<void>) {
  const waiting = new Set<{ receiver: string; wake: () => void }>();
  return {
    /**
     * Waits until a slot is free, but at most CHECK_INTERVAL_MS, because nothing signals that a receiver has become
     * silent.
     */
    async wait(receiver: string) {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      const delivery = { receiver, wake };
      waiting.add(delivery);
      void pauseBriefly().then(wake);
      await promise;
      waiting.delete(delivery);
    },
    /**
     * A free slot wakes one delivery: the first for this receiver, or the first of all if the slot belonged to an
     * unknown receiver.
     */
    wakeNext(receiver: string, wasUnknown: boolean) {
      const all = [...waiting];
      const own = all.find((delivery) => delivery.receiver === receiver);
      const next = own ?? (wasUnknown ? all[0] : undefined);
      if (!next) return;
      waiting.delete(next);
      next.wake();
    },
  };
}
