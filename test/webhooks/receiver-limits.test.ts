import { expect, test } from 'vitest';
import { SLOW_RECEIVER_MS } from '../../jobs/webhooks/response-record.ts';
import { createReceiverSlots, type ReceiverSlot } from '../../jobs/webhooks/receiver-slots.ts';

/** A clock for turns that advances only when a turn waits or the test moves it. */
function newClock() {
  let now = 0;
  const turnOf = createReceiverSlots(
    () => now,
    async () => void (now += 25),
  );
  return { turnOf, pass: (ms: number) => void (now += ms), passed: () => now };
}

async function takeAll(
  turnOf: (receiver: string) => Promise<ReceiverSlot | null>,
  receivers: string[],
) {
  const turns: ReceiverSlot[] = [];
  for (const receiver of receivers) {
    const turn = await turnOf(receiver);
    if (turn) turns.push(turn);
  }
  return turns;
}
const times = (count: number, receiver: string) => Array.from({ length: count }, () => receiver);

test('a receiver that became silent gets no further requests from this process', async () => {
  const { turnOf, pass } = newClock();
  const turn = await turnOf('silent');
  turn?.asked();

  pass(SLOW_RECEIVER_MS + 1);
  const second = await turnOf('silent');
  turn?.end(true);
  const third = await turnOf('silent');

  expect(second).toBeNull();
  expect(third).not.toBeNull();
});

test('one receiver holds at most sixteen places, and further deliveries wait until it is silent', async () => {
  const { turnOf, passed } = newClock();
  (await turnOf('busy'))?.end(true);
  const turns = await takeAll(turnOf, times(16, 'busy'));
  for (const turn of turns) turn.asked();

  const last = await turnOf('busy');

  expect(turns).toHaveLength(16);
  expect(last).toBeNull();
  expect(passed()).toBe(SLOW_RECEIVER_MS + 25);
});

test('a delivery that waits for a busy receiver gets a place when one is free', async () => {
  let now = 0;
  const turns: ReceiverSlot[] = [];
  const turnOf = createReceiverSlots(
    () => now,
    async () => {
      now += 25;
      if (now === 100) turns[0]?.end(true);
    },
  );
  turns.push(...(await takeAll(turnOf, times(16, 'busy'))));

  const last = await turnOf('busy');

  expect(last).not.toBeNull();
  expect(now).toBe(100);
});

test('deliveries that wait for a busy receiver get a free place in order', async () => {
  const turnOf = createReceiverSlots(
    () => 0,
    () => new Promise(() => {}),
  );
  (await turnOf('busy'))?.end(true);
  const turns = await takeAll(turnOf, times(16, 'busy'));
  const come: string[] = [];
  const waiting = ['first', 'second', 'third'].map(async (name) => {
    await turnOf('busy');
    come.push(name);
  });

  for (const turn of turns.slice(0, 2)) turn.end(true);
  await Promise.all(waiting.slice(0, 2));
  const before = [...come];
  turns[2]?.end(true);
  await Promise.all(waiting);

  expect(before).toEqual(['first', 'second']);
  expect(come).toEqual(['first', 'second', 'third']);
});

test('unknown receivers share 24 places, and known receivers have their own', async () => {
  const { turnOf, pass, passed } = newClock();
  const known = await turnOf('known');
  known?.end(true);

  const strangers = await takeAll(
    turnOf,
    Array.from({ length: 50 }, (_, index) => `stranger ${index % 40}`),
  );
  const waited = passed();
  const own = await takeAll(turnOf, times(16, 'known'));
  for (const turn of strangers) turn.end(false);
  pass(1);
  const later = await takeAll(turnOf, ['new']);

  expect(strangers).toHaveLength(24);
  // Only the first delivery without a place waited for a moment.
  expect(waited).toBeLessThanOrEqual(300);
  expect(own).toHaveLength(16);
  expect(later).toHaveLength(1);
});

test('a new receiver that answers quickly has its waiting deliveries released once', async () => {
  const { turnOf, pass } = newClock();
  const turns = await takeAll(turnOf, times(16, 'new'));
  for (const turn of turns) turn.asked();
  pass(300);

  const last = await turnOf('new');
  const told = turns.slice(0, 3).map((turn) => turn.end(true));

  expect(last).toBeNull();
  expect(told).toEqual([true, false, false]);
});

test('a receiver that was not contacted after all is still unknown', async () => {
  const { turnOf } = newClock();
  (await turnOf('unasked'))?.end(null);
  (await turnOf('answering'))?.end(true);
  await takeAll(
    turnOf,
    Array.from({ length: 24 }, (_, index) => `stranger ${index}`),
  );

  const [unasked, answering] = [await turnOf('unasked'), await turnOf('answering')];

  expect(unasked).toBeNull();
  expect(answering).not.toBeNull();
});
