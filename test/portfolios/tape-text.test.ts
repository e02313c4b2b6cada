import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { bytesOfTape } from '../../jobs/portfolios/tape-file.ts';
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

test('a sheet has numbers, days and texts, and a text is never a formula', async () => {
  const columns = [
    ...(['loan_number', 'borrower_name', 'principal_balance', 'interest_rate'] as const),
    ...(['maturity_date', 'days_past_due', 'is_frozen', 'charge_off_date'] as const),
  ];
  const row = {
    ...{ loan_number: '=1+1', borrower_name: 'A & <B>\u0001 _x0041_\r' },
    ...{ principal_balance: '-12.30', interest_rate: '0.085', maturity_date: '2026-02-01' },
    ...{ days_past_due: 3, is_frozen: true, charge_off_date: null },
  };
  async function* pages() {
    yield [row];
  }
  const order = {
    format: 'xlsx',
    columns,
    include_header: true,
    as_of_date: '2026-01-15',
  } as const;
  const made = async () => Buffer.concat(await Array.fromAsync(bytesOfTape(pages(), order)));
  const bytes = await made();
  const files = unzipSync(bytes);
  const sheet = Buffer.from(files['xl/worksheets/sheet1.xml'] ?? []).toString();
  const [head = '', cells = ''] = sheet.match(/<row .*?<\/row>/g) ?? [];

  expect(Object.keys(files)).toContain('[Content_Types].xml');
  expect(head.match(/(?<=preserve">)[^<]+/g)).toEqual(columns);
  expect(cells.match(/<c.*?(?:<\/c>|\/>)/g)).toEqual([
    '<c t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>',
    '<c t="inlineStr"><is><t xml:space="preserve">A &amp; &lt;B&gt; _x005F_x0041__x000D_</t></is></c>',
    '<c s="1"><v>-12.30</v></c>',
    '<c s="2"><v>0.085</v></c>',
    // 1 February 2026 is day 46054 of a spreadsheet.
    '<c s="3"><v>46054</v></c>',
    '<c s="0"><v>3</v></c>',
    '<c t="b"><v>1</v></c>',
    '<c/>',
  ]);
  expect((await made()).equals(bytes)).toBe(true);
});

test('a text that is longer than a cell takes is cut between letters, and counted', async () => {
  const columns = ['loan_number', 'borrower_name'] as const;
  const layout = {
    format: 'xlsx',
    columns,
    include_header: false,
    as_of_date: '2026-01-15',
  } as const;
  const fits = 'a'.repeat(32_767);
  const long = `${'b'.repeat(32_765)}\u{1f3e0}\u{1f3e0}`;
  async function* pages() {
    yield [{ loan_number: fits, borrower_name: long }];
  }
  let cut = 0;
  const onCut = () => void (cut += 1);

  const bytes = await Array.fromAsync(bytesOfTape(pages(), { ...layout, onCut }));

  const sheet = unzipSync(Buffer.concat(bytes))['xl/worksheets/sheet1.xml'] ?? new Uint8Array();
  const texts = Buffer.from(sheet)
    .toString()
    .match(/(?<=preserve">)[^<]+/g);
  expect(texts).toEqual([fits, `${'b'.repeat(32_765)}…`]);
  expect(cut).toBe(1);
});
