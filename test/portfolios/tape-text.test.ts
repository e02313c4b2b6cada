import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { streamTapeFile } from '../../jobs/portfolios/tape-file.ts';
import { writeCsv, writeJson } from '../../jobs/portfolios/tape-text.ts';

test('a page of a tape is written before the next page is read', async () => {
  let read = 0;
  function* pages() {
    for (;;) {
      read += 1;
      yield 'x\r\n';
    }
  }

  const text = writeCsv(pages(), { columns: ['name'], include_header: true });
  const parts = [await text.next(), await text.next(), await text.next()];

  expect(parts.map(({ value }) => value)).toEqual(['name\r\n', 'x\r\n', 'x\r\n']);
  expect(read).toBe(2);
});

test('pages of objects form one array, and no pages form an empty one', async () => {
  const json = async (...pages: string[]) => (await Array.fromAsync(writeJson(pages))).join('');

  expect(await json('{"a":1},\n{"a":2}', '{"a":3}')).toBe('[\n{"a":1},\n{"a":2},\n{"a":3}\n]\n');
  expect(await json()).toBe('[]\n');
});

test('a sheet has numbers, dates and texts, and a text is never a formula', async () => {
  const columns = [
    ...(['loan_number', 'borrower_name', 'principal_balance', 'interest_rate'] as const),
    ...(['maturity_date', 'days_past_due', 'is_frozen', 'charge_off_date'] as const),
  ];
  const row = {
    loan_number: '=1+1',
    borrower_name: 'A & <B> _x0041_\r',
    principal_balance: '-12.30',
    interest_rate: '0.085',
    maturity_date: '2026-02-01',
    days_past_due: 3,
    is_frozen: true,
    charge_off_date: null,
  };
  async function* pages() {
    yield JSON.stringify(row);
  }
  const order = {
    format: 'xlsx',
    columns,
    include_header: true,
    as_of_date: '2026-01-15',
  } as const;
  const made = async () => Buffer.concat(await Array.fromAsync(streamTapeFile(pages(), order)));
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
    // A spreadsheet counts February 1, 2026 as day 46054.
    '<c s="3"><v>46054</v></c>',
    '<c s="0"><v>3</v></c>',
    '<c t="b"><v>1</v></c>',
    '<c/>',
  ]);
  expect((await made()).equals(bytes)).toBe(true);
});

test('a text that is too long for a cell is cut between characters, and counted', async () => {
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
    yield JSON.stringify({ loan_number: fits, borrower_name: long });
  }
  let cut = 0;
  const onCut = () => void (cut += 1);

  const bytes = await Array.fromAsync(streamTapeFile(pages(), { ...layout, onCut }));

  const sheet = unzipSync(Buffer.concat(bytes))['xl/worksheets/sheet1.xml'] ?? new Uint8Array();
  const texts = Buffer.from(sheet)
    .toString()
    .match(/(?<=preserve">)[^<]+/g);
  expect(texts).toEqual([fits, `${'b'.repeat(32_765)}…`]);
  expect(cut).toBe(1);
});
