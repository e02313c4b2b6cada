import { expect, test } from 'vitest';
import { z } from 'zod';
import { Invalid } from '../../jobs/errors.ts';
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
  [{ kind: undefined }, 'Is required.'],
  [{ id: 'a' }, 'Must be a UUID like 0198f0a0-0000-7000-8000-000000000001.'],
  [{ a: 1 }, 'Unknown field "a".'],
  [{ counts: 1 }, 'Unknown field "counts". Did you mean "count"?'],
  [{ a: 1, b: 2 }, 'Unknown fields "a", "b".'],
  [
    Object.fromEntries('abcdefgh'.split('').map((name) => [name, 1])),
    'Unknown fields "a", "b", "c", "d", "e" and 3 more.',
  ],
  [{ ['\u202ex'.repeat(100)]: 1 }, `Unknown field "${'?x'.repeat(30)}…".`],
  [{ code: 7 }, 'Must be a code.'],
])('a value that its schema refuses gets our own message: %j', (change, sentence) => {
  const read = Body.safeParse({ ...valid, ...change });

  expect(read.error?.issues.map(({ message }) => message)).toEqual([sentence]);
});

test.each([
  [z.union([z.string(), z.int()]), true, 'Must be text or a whole number.'],
  [
    z.union([z.string(), z.object({ a: z.int() })]),
    { a: 'x' },
    'Has a problem in "a": Must be a whole number.',
  ],
  [
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('fixed') }),
      z.object({ kind: z.literal('minimum_due') }),
    ]),
    { kind: 'all' },
    'Must be one of fixed, minimum_due.',
  ],
  [z.record(z.string().max(2), z.int()), { abc: 1 }, 'Has a key that is not allowed.'],
  [z.map(z.string(), z.int()), new Map([['a', 'x']]), 'Must be a whole number.'],
  [z.set(z.int()).min(2), new Set([1]), 'Must have at least 2 items.'],
  [z.number().multipleOf(5), 3, 'Must be a multiple of 5.'],
  [z.string().startsWith('LN-'), 'x', 'Must begin with "LN-".'],
  [z.string().endsWith('.csv'), 'x', 'Must end with ".csv".'],
  [z.string().includes('@'), 'x', 'Must contain "@".'],
  [z.never(), 1, 'Must be omitted.'],
  [z.string().length(4), 'x', 'Must have exactly 4 characters.'],
])('each kind of issue has a message: %#', (schema, value, sentence) => {
  expect(schema.safeParse(value).error?.issues.map(({ message }) => message)).toEqual([sentence]);
});

const FORMATS: Record<string, () => z.ZodType> = {
  datetime: z.iso.datetime,
  date: z.iso.date,
  time: z.iso.time,
  duration: z.iso.duration,
  email: z.email,
  url: z.url,
  uuid: z.uuid,
  guid: z.guid,
  emoji: z.emoji,
  ipv4: z.ipv4,
  ipv6: z.ipv6,
  mac: z.mac,
  cidrv4: z.cidrv4,
  cidrv6: z.cidrv6,
  base64: z.base64,
  base64url: z.base64url,
  e164: z.e164,
  jwt: z.jwt,
  lowercase: () => z.string().lowercase(),
  uppercase: () => z.string().uppercase(),
};

test('each format of text has its own message', () => {
  const messages = Object.values(FORMATS).flatMap((format) =>
    ['-', 'Aa'].flatMap((value) => format().safeParse(value).error?.issues ?? []),
  );

  expect(messages.length).toBeGreaterThan(20);
  for (const { message } of messages) expect(message).toMatch(/^Must be (an? |in |base64)/);
  expect(messages.filter(({ message }) => message.includes('documented'))).toEqual([]);
});

test('every schema of a process that refuses anything uses these messages', () => {
  expect(new Invalid({}).code).toBe('validation_error');
  expect(z.config().customError).toBe(validationMessage);
  expect(z.int().safeParse('x').error?.issues[0]?.message).toBe('Must be a whole number.');
});
