import { expect, test } from 'vitest';
import { detectStandstill } from '../../workers/demo/wait-for-quiet.ts';

const watched = (...waiting: number[]) => {
  const isStuck = detectStandstill(100);
  return waiting.map((count, minute) => isStuck(count, minute * 60));
};

test('work that makes more work is no standstill, as long as some of it gets done', () => {
  expect(watched(5, 9, 8, 12, 11, 15, 14, 13)).not.toContain(true);
});

test('where nothing is done for longer than the limit, the wait is over', () => {
  expect(watched(5, 4, 4, 4)).toEqual([false, false, false, true]);
  expect(watched(5, 6, 7, 8)).toEqual([false, false, true, true]);
});
