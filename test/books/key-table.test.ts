import { expect, test } from 'vitest';
import { createKeyTable } from '../../jobs/books/format/checks/key-table.ts';

test('a table finds the numbers of each of 100,000 similar keys, and of no other', () => {
  const table = createKeyTable('line', 'borrower');
  const keyOf = (index: number) => `LOAN-${String(index).padStart(6, '0')}`;
  const indexes = Array.from({ length: 100_000 }, (_, index) => index);
  const wrong = (found: unknown[]) => found.filter((one) => one !== undefined).slice(0, 5);

  expect(wrong(indexes.map((index) => table.find(keyOf(index))))).toEqual([]);
  for (const index of indexes) table.add(keyOf(index), { line: index, borrower: index * 7 });

  const different = indexes.filter((index) => {
    const found = table.find(keyOf(index));
    return found?.line !== index || found.borrower !== index * 7;
  });
  expect(different).toEqual([]);
  expect(wrong(indexes.map((index) => table.find(`loan-${index}`)))).toEqual([]);
  expect(wrong(['', 'LOAN-', 'LOAN-100000'].map((key) => table.find(key)))).toEqual([]);
});
