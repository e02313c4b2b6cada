import { expect, test } from 'vitest';
import { createRowStore } from '../../jobs/books/imports/checks/row-store.ts';

test('rows come out by loan and in order, also if the last one filled its part', () => {
  const store = createRowStore<string>();
  const long = 'x'.repeat(40_000);
  store.add('L-1', 'first');
  store.add('L-2', long);
  store.add('L-1', long);

  const loans = [...store.takeLoans()];

  expect(loans.toSorted((one, other) => other.length - one.length)).toEqual([
    ['first', long],
    [long],
  ]);
});
