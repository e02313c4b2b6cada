import { expect, test } from 'vitest';
import { clockOf, SCHEDULE, unknownTasks } from '../../workers/queue/schedule.ts';
import { numbered } from './stage.ts';

const listed = SCHEDULE.map(({ task }) => numbered(task, async () => {}));

test('every line of the schedule is one that the queue can read, and says why it exists', () => {
  const clock = clockOf(SCHEDULE, listed);

  expect(clock.map(({ identifier }) => identifier)).toEqual(SCHEDULE.map(({ task }) => task));
  expect(SCHEDULE.every(({ reason }) => reason.length > 20)).toBe(true);
});

test('a pool keeps the clock of its own jobs only, with the attempts that they declare', () => {
  const [first] = listed;

  const clock = clockOf(SCHEDULE, first ? [first] : []);

  expect(clock).toHaveLength(1);
  expect(clock[0]?.options.maxAttempts).toBe(3);
});

test('a line whose job is not listed is found', () => {
  expect(unknownTasks(SCHEDULE, listed)).toEqual([]);
  expect(unknownTasks(SCHEDULE, listed.slice(1))).toEqual([SCHEDULE[0]?.task]);
});
