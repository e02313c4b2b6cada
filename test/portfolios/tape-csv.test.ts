import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { csvLine } from '../../sql/csv.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const pool = await openPool(database.url, { size: 1 });
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const Text = z.object({ text: z.string().nullable() });
type Words = string | null;

/** The lines of these rows as the database writes them. */
async function csvOf(rows: readonly (readonly Words[])[]): Promise<string> {
  const cells = (rows[0] ?? []).map((_, at) => ({
    from: sql.fragment`row.words ->> ${at}::integer`,
    isWorded: true,
  }));
  const text = await pool.oneFirst(sql.type(Text)`
    select string_agg(${csvLine(cells)}, '' order by row.number) as text
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as row (words, number)
  `);
  return text ?? '';
}

test.each<[readonly Words[], string]>([
  [['=HYPERLINK("x")', 'a'], `"'=HYPERLINK(""x"")",a\r\n`],
  [['Smith, "Jo"', '@sum'], `"Smith, ""Jo""",'@sum\r\n`],
  [['two\nlines', 'a\rb'], `"two\nlines","a\rb"\r\n`],
  [['\r\n', '\n=1'], `"'\r\n","'\n=1"\r\n`],
  [['"', ','], `"""",","\r\n`],
  [[null, ''], ',\r\n'],
  [['', null, 'x'], ',,x\r\n'],
  [[null], '""\r\n'],
  [[''], '""\r\n'],
  [['x'], 'x\r\n'],
  [['-5.00', '+5.00'], `-5.00,'+5.00\r\n`],
  [['-5.', '-.5', '--5', '-5.00 '], `'-5.,'-.5,'--5,'-5.00 \r\n`],
  [['-5\n', '-٣'], `"'-5\n",'-٣\r\n`],
  [['\tx', ' x', ' -x'], `'\tx, x,' -x\r\n`],
  [['Ästa', '山田', '🏠', 'Ж=1'], 'Ästa,山田,🏠,Ж=1\r\n'],
  [["'=1", '\\.', '\\N', 'NULL'], `'=1,\\.,\\N,NULL\r\n`],
  [['a\u001f=1', '\u001f', '\u001fx'], 'a\u001f=1,\u001f,\u001fx\r\n'],
])('the words %j are a line of a csv', async (words, line) => {
  expect(await csvOf([words])).toBe(line);
});

test.each([
  '=1',
  '+1+1',
  '-1+1',
  '@sum',
  '＝1',
  '＋1',
  '－1',
  '＠sum',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫a',
  '−1+1',
  '	x',
  ' =1',
  '\xA0=1',
  '​＝1',
  '﻿@sum',
  '　+1+1',
  '⁠­ -1+1',
  'ㅤ=1',
  '‮-x',
  '󠀠=1',
  '=1',
  '=1',
  '\u2028-',
])('a text that a spreadsheet would evaluate stays text: %j', async (words) => {
  expect(await csvOf([['x', words, 'x']])).toBe(`x,'${words},x\r\n`);
  expect(await csvOf([[words]])).toBe(`'${words}\r\n`);
});

test.each(['Smith-Jones', 'a=b', 'O’Neil', '-12.50', '0', '-0', 'x@y.test', '5 – 7', '– 7', '*1'])(
  'a text that is not a formula is written unchanged: %s',
  async (words) => {
    expect(await csvOf([[words, words]])).toBe(`${words},${words}\r\n`);
  },
);

test('no Unicode space, control or invisible character hides a formula', async () => {
  const guarded = await pool.manyFirst(sql.type(z.object({ code: z.int() }))`
    select code from generate_series(1, 1114111) as code
    where code not between 55296 and 57343
      and ${csvLine([{ from: sql.fragment`chr(code) || '=1'`, isWorded: true }])} like '%''%=1%'
      and code <> 39
  `);
  const signs = '=+-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20';
  const expected = Array.from({ length: 0x10ffff }, (_, at) => at + 1).filter((code) => {
    const sign = String.fromCodePoint(code);
    return /^[\s\p{Z}\p{Cc}\p{DI}]$/u.test(sign) || signs.includes(sign);
  });

  expect(guarded).toEqual(expected);
}, 60_000);

test('a hostile text takes no longer than an ordinary one of its length', async () => {
  const size = 1_000_000;
  const hostile = [' ', '\u3164', '"', '\r', '=', '-1', '1', '-1.', ' ='].map((words) =>
    words.repeat(size / words.length),
  );
  for (const words of hostile) {
    const started = performance.now();
    const text = await csvOf([[words, 'x']]);
    const ms = performance.now() - started;

    expect(text.endsWith(',x\r\n')).toBe(true);
    expect(ms, JSON.stringify(words.slice(0, 3))).toBeLessThan(5_000);
  }
});

test('a CSV reader gets every row back, including an empty one', async () => {
  const nasty = fc.constantFrom(null, '', '"', ',', '\r', '\n', ' x ', '\u001f', '=1', '-1');
  const text = fc.string({ unit: 'grapheme' }).filter((words) => !words.includes('\0'));
  const value = fc.oneof(nasty, text);
  const records = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1 }),
    );
  await fc.assert(
    fc.asyncProperty(records, async (rows) => {
      const read = parse(await csvOf(rows), { record_delimiter: '\r\n', skip_empty_lines: true });

      const isSame = (written: unknown, words: Words) =>
        written === (words ?? '') || written === `'${words}`;
      expect(read).toHaveLength(rows.length);
      for (const [at, row] of rows.entries())
        for (const [column, words] of row.entries())
          expect(isSame(read[at]?.[column], words)).toBe(true);
    }),
  );
});

test('other values are written as Postgres formats them', async () => {
  const text = await pool.oneFirst(sql.type(Text)`
    select ${csvLine([
      { from: sql.fragment`true`, isWorded: false },
      { from: sql.fragment`-5.00::numeric`, isWorded: false },
      { from: sql.fragment`'=x'::text`, isWorded: true },
      { from: sql.fragment`null::date`, isWorded: false },
      { from: sql.fragment`date '2026-01-15'`, isWorded: false },
      { from: sql.fragment`3`, isWorded: false },
    ])} as text
  `);

  expect(text).toBe(`true,-5.00,'=x,,2026-01-15,3\r\n`);
});
