import { expect, test } from 'vitest';
import { nextRun, SCHEDULE } from '../../jobs/operations/schedule.ts';
import { clockOf, unknownTasks } from '../../workers/queue/schedule.ts';
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

test('the next run of a line is the first minute after now that it names', () => {
  const now = new Date('2026-12-31T23:17:30Z');
  const next = (at: string) => nextRun({ at }, now)?.toISOString() ?? null;

  expect(next('* * * * *')).toBe('2026-12-31T23:18:00.000Z');
  expect(next('17 * * * *')).toBe('2027-01-01T00:17:00.000Z');
  expect(next('5 4 1 3 *')).toBe('2027-03-01T04:05:00.000Z');
  expect(next('0 0 31 2 *')).toBe(null);
});
