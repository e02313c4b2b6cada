import { expect, test } from 'vitest';
import { date, money, sqlTypeOf, uuid } from '../../sql/types.ts';

test('a field with a description, restriction or default is compared by its base type', () => {
  const fields = [
    date.describe('Its last day.'),
    date.nullish(),
    uuid.readonly(),
    money.describe('The amount owed.').nullable().readonly(),
    date.refine((value) => value > '2000-01-01').optional(),
  ];

  expect(fields.map(sqlTypeOf)).toEqual(['date', 'date', 'uuid', 'numeric', 'date']);
});
