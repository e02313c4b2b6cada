import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeCsv, writeJson } from '../../jobs/portfolios/tape-text.ts';
import type { TapeRow } from '../../sql/portfolios/tapes.ts';

test('what a spreadsheet would take for a formula is a text, and quotes are doubled', async () => {
  const rows = [
    { id: '1', name: '=HYPERLINK("x")', amount: '-5.00', note: '@sum', blank: null, ok: true },
    { id: '2', name: 'Smith, "Jo"', amount: '1.00', note: 'two\nlines', blank: null, ok: false },
  ] satisfies TapeRow[];
  const columns = ['name', 'amount', 'note', 'blank', 'ok'];
  const csv = await Array.fromAsync(writeCsv([rows], { columns, include_header: false }));
  const json = await Array.fromAsync(writeJson([rows], { columns }));
  const empty = await Array.fromAsync(writeJson([], { columns }));

  expect(csv.join('')).toBe(
    `"'=HYPERLINK(""x"")",-5.00,'@sum,,true\r\n"Smith, ""Jo""",1.00,"two\nlines",,false\r\n`,
  );
  expect(JSON.parse(json.join(''))).toHaveLength(2);
  expect(JSON.parse(empty.join(''))).toEqual([]);
});

test('who reads a tape as CSV gets every row back, also one with nothing in it', async () => {
  const value = fc.oneof(fc.constantFrom(null, '', '"', ',', '\r', '\n', ' x '), fc.string());
  const records = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(value, { minLength: width, maxLength: width })));
  await fc.assert(
    fc.asyncProperty(records, async (rows) => {
      const columns = (rows[0] ?? ['']).map((_, index) => `column_${index}`);
      const named = rows.map((row, id) => ({
        id: String(id),
        ...Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])),
      }));

      const parts = await Array.fromAsync(writeCsv([named], { columns, include_header: true }));
      const read = parse(parts.join(''), { record_delimiter: '\r\n', skip_empty_lines: true });

      const guarded = (text: string, plain: string) => text === plain || text === `'${plain}`;
      expect(read[0]).toEqual(columns);
      expect(read).toHaveLength(rows.length + 1);
      for (const [at, row] of rows.entries())
        for (const [column, plain] of row.entries())
          expect(guarded(String(read[at + 1]?.[column]), plain ?? '')).toBe(true);
    }),
  );
});

test('a page of a tape is written before the next one is read', async () => {
  let read = 0;
  function* pages() {
    for (;;) {
      read += 1;
      yield [{ id: String(read), name: 'x' }];
    }
  }

  const text = writeCsv(pages(), { columns: ['name'], include_header: true });
  const parts = [await text.next(), await text.next(), await text.next()];

  expect(parts.map(({ value }) => value)).toEqual(['name\r\n', 'x\r\n', 'x\r\n']);
  expect(read).toBe(2);
});

test.each([
  ...['=1', '+1+1', '-1+1', '@sum', '＝1', '＋1', '－1', '＠sum', '﹦1', '−1+1', '\tx', '\0x'],
  ...[' =1', '\u00a0=1', '\u200b＝1', '\ufeff@sum', '\u3000+1+1', '\u2060\u00ad -1+1', '\u3164=1'],
])('a text that a spreadsheet could reckon stays a text: %j', async (name) => {
  const lines = await Array.fromAsync(
    writeCsv([[{ id: '1', name }]], { columns: ['name'], include_header: false }),
  );

  expect(lines).toEqual([`'${name}\r\n`]);
});

test.each(['Smith-Jones', 'a=b', 'O’Neil', '-12.50', '0', 'x@y.test', '5 – 7'])(
  'a text that is no formula is written as it is: %s',
  async (name) => {
    const lines = await Array.fromAsync(
      writeCsv([[{ id: '1', name }]], { columns: ['name'], include_header: false }),
    );

    expect(lines).toEqual([`${name}\r\n`]);
  },
);
