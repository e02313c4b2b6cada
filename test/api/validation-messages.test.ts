import { expect, test } from 'vitest';
import { z } from 'zod';
import { validationMessage } from '../../jobs/validation-messages.ts';

const Body = z.strictObject({
  count: z.int().min(1),
  share: z.number().lt(1),
  tags: z.array(z.string()).min(1).max(2),
  values: z.record(z.string(), z.string()),
  kind: z.enum(['late', 'annual']),
  version: z.literal(1),
  is_open: z.boolean(),
  id: z.uuid(),
  code: z.string('Must be a code.'),
});

const valid = {
  count: 1,
  share: 0.5,
  tags: ['a'],
  values: {},
  kind: 'late',
  version: 1,
  is_open: true,
  id: '0198f0a0-0000-7000-8000-000000000001',
  code: 'A',
};

test.each([
  [{ count: 1.5 }, 'Must be a whole number.'],
  [{ count: 0 }, 'Must be at least 1.'],
  [{ share: 1 }, 'Must be less than 1.'],
  [{ tags: [] }, 'Must have at least 1 item.'],
  [{ tags: ['a', 'b', 'c'] }, 'Must have at most 2 items.'],
  [{ tags: 'a' }, 'Must be a list.'],
  [{ values: 'a' }, 'Must be an object.'],
  [{ kind: 'weekly' }, 'Must be one of late, annual.'],
  [{ version: 2 }, 'Must be 1.'],
  [{ is_open: 'yes' }, 'Must be true or false.'],
  [{ id: 'a' }, 'Must be a UUID.'],
  [{ a: 1 }, 'Unknown field "a".'],
  [{ a: 1, b: 2 }, 'Unknown fields "a", "b".'],
  [{ code: 7 }, 'Must be a code.'],
])('a value that its schema refuses gets our own message: %j', (change, sentence) => {
  const read = Body.safeParse({ ...valid, ...change }, { error: validationMessage });

  expect(read.error?.issues.map(({ message }) => message)).toEqual([sentence]);
});
