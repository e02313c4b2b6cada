import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../sql/new-id.ts';
import { uuid } from '../sql/types.ts';

const many = () => Array.from({ length: 10_000 }, () => newId());

afterEach(() => {
  vi.useRealTimers();
});

test('ids sort in the order of their creation, even with more per millisecond than the counter holds', () => {
  vi.useFakeTimers({ now: Date.now() + 1_000, toFake: ['Date'] });
  const ids = many();

  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !uuid.safeParse(id).success)).toEqual([]);
});

test('ids made after the clock was set back sort after earlier ones', () => {
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ['Date'] });
  const before = many();
  vi.setSystemTime(Date.now() - 30_000);
  const after = many();

  expect([...before, ...after]).toEqual([...before, ...after].toSorted());
});

test('an id starts with its time of creation', () => {
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });

  expect(parseInt(newId().replace('-', '').slice(0, 12), 16)).toBe(Date.now());
});
