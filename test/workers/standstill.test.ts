import { expect, test } from 'vitest';
import { detectStandstill } from '../../workers/demo/wait-for-quiet.ts';

const watched = (...waiting: number[]) => {
  const isStuck = detectStandstill(100);
  return waiting.map((count, minute) => isStuck(count, minute * 60));
};

test('jobs that create more jobs are not a standstill while some of them finish', () => {
  expect(watched(5, 9, 8, 12, 11, 15, 14, 13)).not.toContain(true);
});

test('the wait ends when nothing finishes for longer than the limit', () => {
  expect(watched(5, 4, 4, 4)).toEqual([false, false, false, true]);
  expect(watched(5, 6, 7, 8)).toEqual([false, false, true, true]);
});
