import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fastParserFor, NEEDS_FULL_PARSE } from '../../api/http/fast-parse.ts';
import { routes } from '../../api/routes.ts';
import { money } from '../../sql/types.ts';

const replies = routes.flatMap(({ reply }) => (reply ? [reply] : []));

/** A schema and all of its parts, without duplicates. */
function partsOf(schema: z.ZodType, known = new Set<z.ZodType>()): Set<z.ZodType> {
  if (known.has(schema)) return known;
  known.add(schema);
  const { innerType, element, shape, options } = schema.def as {
    innerType?: z.ZodType;
    element?: z.ZodType;
    shape?: Record<string, z.ZodType>;
    options?: z.ZodType[];
  };
  const parts = [innerType, element, ...Object.values(shape ?? {}), ...(options ?? [])];
  for (const part of parts) if (part) partsOf(part, known);
  return known;
}

/** Texts in the exact form of some type, or nearly. */
const WORDS = [
  '',
  ' ',
  'Grace',
  'Zoë',
  'two\nlines',
  'bell\x07',
  'x'.repeat(200),
  'x'.repeat(201),
  '0.00',
  '-0.00',
  '00.10',
  '0',
  '1',
  '1.0',
  '1.5',
  '12.345',
  '-3.10',
  '9999999999999.99',
  '10000000000000.00',
  '0.01',
  '0.085',
  '1.5000',
  '0.123456789',
  '10',
  '1e3',
  'NaN',
  '2026-01-31',
  '2026-02-30',
  '2026-02-29',
  '1799-12-31',
  '1800-01-01',
  '9999-12-31',
  '2026-01-28T12:00:00.000Z',
  '2026-01-28 12:00:00+00',
  '2026-02-30T12:00:00.000Z',
  '2026-01-28T24:00:00.000Z',
  '2026-01-28T23:59:60.000Z',
  '9999-12-31T23:59:59.999Z',
  '01a211b9-b71c-7a44-b71d-76e66f896c40',
  '01A211B9-B71C-7A44-B71D-76E66F896C40',
  '123-45-6789',
  'SSN 123456789',
  '4242 4242 4242 4242',
  'active',
  'pending',
  'completed',
];
const OTHERS = [
  null,
  undefined,
  true,
  false,
  0,
  -0,
  1,
  1.5,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  Number.NaN,
  {},
  [],
  [''],
  [null],
  { memo: 'SSN 123-45-6789' },
  { a: 1 },
  [1],
  new Date(0),
];

const anything = fc.oneof(
  fc.constantFrom(...WORDS, ...OTHERS),
  fc.stringMatching(/^-?\d{0,15}\.?\d{0,3}$/),
  fc.stringMatching(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{3}Z)?$/),
  fc.uuid(),
  fc.string({ unit: 'binary' }),
  fc.anything(),
);

/** The fast parser may return a result only if the full schema returns the same. */
function expectSame(schema: z.ZodType, value: unknown) {
  const cut = fastParserFor(schema)(value);
  if (cut === NEEDS_FULL_PARSE) return;
  const parsed = schema.safeParse(value);
  expect(parsed.success, JSON.stringify(value)).toBe(true);
  expect(cut).toEqual(parsed.data);
}

test('every part of every answer is cut to its schema', () => {
  const parts = [...replies.reduce((known, reply) => partsOf(reply, known), new Set<z.ZodType>())];

  for (const part of parts) for (const value of [...WORDS, ...OTHERS]) expectSame(part, value);
  fc.assert(
    fc.property(fc.constantFrom(...parts), anything, (part, value) => expectSame(part, value)),
    { numRuns: 5_000 },
  );
});

test('undeclared fields are removed from an answer, and missing fields are left to the schema', () => {
  const schema = z.object({ amount: money, lines: z.array(z.object({ amount: money })) });
  const cut = fastParserFor(schema);

  expect(
    cut({ amount: '1.00', secret: 'x', lines: [{ amount: '2.00', secret: 'y' }] }),
  ).toStrictEqual({ amount: '1.00', lines: [{ amount: '2.00' }] });
  expect(cut({ amount: '1.5', lines: [] })).toStrictEqual({ amount: '1.50', lines: [] });
  expect(cut({ lines: [] })).toBe(NEEDS_FULL_PARSE);
  expect(cut({ amount: 'a lot', lines: [] })).toBe(NEEDS_FULL_PARSE);
});
