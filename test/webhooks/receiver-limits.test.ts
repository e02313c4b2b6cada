import { expect, test } from 'vitest';
import { SLOW_RECEIVER_MS } from '../../jobs/webhooks/response-record.ts';
import { createReceiverSlots, type ReceiverSlot } from '../../jobs/webhooks/receiver-slots.ts';

/** A clock that advances only when a delivery waits for a slot or the test moves it. */
function newClock() {
  let now = 0;
  const { take } = createReceiverSlots(
    () => now,
    async () => void (now += 25),
  );
  return { take, pass: (ms: number) => void (now += ms), passed: () => now };
}

async function takeAll(
  take: (receiver: string) => Promise<ReceiverSlot | null>,
  receivers: string[],
) {
  const slots: ReceiverSlot[] = [];
  for (const receiver of receivers) {
    const slot = await take(receiver);
    if (slot) slots.push(slot);
  }
  return slots;
}
const times = (count: number, receiver: string) => Array.from({ length: count }, () => receiver);

test('a receiver that became silent gets no further requests from this process', async () => {
  const { take, pass } = newClock();
  const slot = await take('silent');
  slot?.start();

  pass(SLOW_RECEIVER_MS + 1);
  const second = await take('silent');
  slot?.release(true);
  const third = await take('silent');

  expect(second).toBeNull();
  expect(third).not.toBeNull();
});

test('one receiver holds at most sixteen slots, and further deliveries wait until it is silent', async () => {
  const { take, passed } = newClock();
  (await take('busy'))?.release(true);
  const slots = await takeAll(take, times(16, 'busy'));
  for (const slot of slots) slot.start();

  const last = await take('busy');

  expect(slots).toHaveLength(16);
  expect(last).toBeNull();
  expect(passed()).toBe(SLOW_RECEIVER_MS + 25);
});

test('a delivery that waits for a busy receiver gets a slot when one is free', async () => {
  let now = 0;
  const slots: ReceiverSlot[] = [];
  const { take } = createReceiverSlots(
    () => now,
    async () => {
      now += 25;
      if (now === 100) slots[0]?.release(true);
    },
  );
  slots.push(...(await takeAll(take, times(16, 'busy'))));

  const last = await take('busy');

  expect(last).not.toBeNull();
  expect(now).toBe(100);
});

test('deliveries that wait for a busy receiver get a free slot in order', async () => {
  const { take } = createReceiverSlots(
    () => 0,
    () => new Promise(() => {}),
  );
  (await take('busy'))?.release(true);
  const slots = await takeAll(take, times(16, 'busy'));
  const done: string[] = [];
  const waiting = ['first', 'second', 'third'].map(async (name) => {
    await take('busy');
    done.push(name);
  });

  for (const slot of slots.slice(0, 2)) slot.release(true);
  await Promise.all(waiting.slice(0, 2));
  const before = [...done];
  slots[2]?.release(true);
  await Promise.all(waiting);

  expect(before).toEqual(['first', 'second']);
  expect(done).toEqual(['first', 'second', 'third']);
});

test('unknown receivers share 24 slots, and known receivers have their own', async () => {
  const { take, pass, passed } = newClock();
  const known = await take('known');
  known?.release(true);

  const unknown = await takeAll(
    take,
    Array.from({ length: 50 }, (_, index) => `unknown ${index % 40}`),
  );
  const waited = passed();
  const own = await takeAll(take, times(16, 'known'));
  for (const slot of unknown) slot.release(false);
  pass(1);
  const later = await takeAll(take, ['new']);

  expect(unknown).toHaveLength(24);
  // Only the first delivery without a slot waited for a moment.
  expect(waited).toBeLessThanOrEqual(300);
  expect(own).toHaveLength(16);
  expect(later).toHaveLength(1);
});

test('a new receiver that answers quickly has its waiting deliveries released once', async () => {
  const { take, pass } = newClock();
  const slots = await takeAll(take, times(16, 'new'));
  for (const slot of slots) slot.start();
  pass(300);

  const last = await take('new');
  const released = slots.slice(0, 3).map((slot) => slot.release(true));

  expect(last).toBeNull();
  expect(released).toEqual([true, false, false]);
});

test('a receiver that was not contacted after all is still unknown', async () => {
  const { take } = newClock();
  (await take('unasked'))?.release(null);
  (await take('answering'))?.release(true);
  await takeAll(
    take,
    Array.from({ length: 24 }, (_, index) => `unknown ${index}`),
  );

  const [unasked, answering] = [await take('unasked'), await take('answering')];

  expect(unasked).toBeNull();
  expect(answering).not.toBeNull();
});
