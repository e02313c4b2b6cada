import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTape } from '../../../jobs/loans/boarding/boarding-tape.ts';
import { readCsv } from '../../../jobs/files/read-csv.ts';
import { TAPE_HEADER, tapeLine, parseTape, tapeText } from '../../setup/boarding-tapes.ts';

test('fields of CSV keep quotes, commas and line breaks', async () => {
  const record = fc.array(fc.string(), { minLength: 2, maxLength: 6 });
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(record),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (records, end) => {
        const csv = records.map((fields) => fields.map(quote).join(',') + end).join('');
        const read = await Array.fromAsync(readCsv([Buffer.from(csv)]));
        expect(read.map(({ fields }) => fields)).toEqual(records);
      },
    ),
  );
});

test('every invalid line is reported with its column and the reason', async () => {
  const csv = tapeText(
    tapeLine(),
    tapeLine({ loan_number: 'T-2', principal_amount: '1e4', borrower_state: 'Ontario' }),
    tapeLine({ loan_number: 'T-3', origination_date: '2026-02-30' }),
    tapeLine({ loan_number: 'T-4', current_principal_balance: '10000.01' }),
    tapeLine({ loan_number: 'T-1' }),
    tapeLine({ loan_number: 'T-5', borrower_first_name: 'Grace' }),
    'T-6,too,few',
    tapeLine({ loan_number: 'T-7', first_payment_date: '9999-12-31' }),
  );

  const { rows, refusals } = await parseTape(csv);

  expect(rows.map(({ loan_number }) => loan_number)).toEqual(['T-1', 'T-1', 'T-5']);
  expect(refusals.map(({ line: at, column }) => [at, column])).toEqual([
    [3, 'borrower_state'],
    [3, 'principal_amount'],
    [4, 'origination_date'],
    [5, 'current_principal_balance'],
    [6, 'loan_number'],
    [7, 'borrower_external_id'],
    [8, null],
    [9, 'first_payment_date'],
  ]);
});

test.each([
  ['columns are missing', ''],
  ['contains no loans', TAPE_HEADER],
  ['never closed', `${TAPE_HEADER}\n"open`],
  ['follows a closing quotation mark', `${TAPE_HEADER}\n"a"b`],
  ['contains a quotation mark', `${TAPE_HEADER}\na"b"`],
  ['more than 100000 characters', `${TAPE_HEADER}\n"${'a'.repeat(200_000)}`],
  ['more than 1000 fields', `${TAPE_HEADER}\n${','.repeat(1_000)}`],
  ['column purpose appears twice', `${TAPE_HEADER},purpose\n${tapeLine()},`],
  ['not text', TAPE_HEADER.replaceAll(',', '\0')],
  ['columns are missing', TAPE_HEADER.replaceAll(',', ';').replace(';', '\t')],
])('a file that is not a tape is refused as a whole: %s', async (reason, csv) => {
  const { rows, refusals } = await parseTape(csv);

  expect(rows).toEqual([]);
  expect(refusals[0]?.reason).toContain(reason);
});

test.each(['\n', '\r\n', '\r'])('line numbers count line ends correctly: %j', async (end) => {
  const lines = [
    TAPE_HEADER,
    '',
    tapeLine({ source_status: `"one${end}two"` }),
    tapeLine({ loan_number: 'T-2', borrower_state: '??' }),
    `${tapeLine({ loan_number: 'T-3' })},`,
  ];
  const broken = [...lines, `${tapeLine({ loan_number: 'T-4', purpose: `"a${end}b"` })},"`];

  const { refusals } = await parseTape(lines.join(end));
  const whole = await parseTape(broken.join(end));

  expect(refusals).toEqual([
    { line: 3, column: 'source_status', reason: 'Must not contain control characters.' },
    { line: 5, column: 'borrower_state', reason: 'Must be a state code like NY.' },
    { line: 6, column: null, reason: 'Has 20 fields, not 19.' },
  ]);
  expect(whole.refusals).toEqual([
    { line: 8, column: null, reason: 'An opening quotation mark is never closed.' },
  ]);
});

/** The text in UTF-16, big- or little-endian, with its byte order mark. */
function utf16(text: string, { isBigEndian = false } = {}) {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
}

const zoe = tapeText(tapeLine({ borrower_first_name: 'Zoë' }));

test.each([
  ['UTF-8', Buffer.from(zoe)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${zoe}`)],
  ['UTF-16', utf16(zoe)],
  ['UTF-16, high bytes first', utf16(zoe, { isBigEndian: true })],
  ['semicolons', Buffer.from(zoe.replaceAll('"', '').replace(', C', ' C').replaceAll(',', ';'))],
  ['tabs', Buffer.from(zoe.replaceAll('"', '').replace(', C', ' C').replaceAll(',', '\t'))],
])('a tape in %s is read, in pieces of any size', async (_, bytes) => {
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));

  const tapes = [await parseTape(bytes), await readTape(pieces)];

  for (const { rows, refusals } of tapes) {
    expect(refusals).toEqual([]);
    expect(rows).toMatchObject([{ line: 2, loan_number: 'T-1', borrower_first_name: 'Zoë' }]);
  }
});

test('a byte that is not UTF-8 is reported with its line and column', async () => {
  const csv = tapeText(
    tapeLine(),
    tapeLine({ loan_number: 'T-2', borrower_external_id: 'B-2', borrower_first_name: 'Zoë' }),
    tapeLine({ loan_number: 'T-3', purpose: 'a\0b' }),
  );

  const { rows, refusals } = await parseTape(Buffer.from(csv, 'latin1'));

  expect(rows).toHaveLength(1);
  expect(refusals).toEqual([
    {
      line: 3,
      column: 'borrower_first_name',
      reason: 'Contains a character that is not valid UTF-8. Save the tape as UTF-8.',
    },
    { line: 4, column: 'purpose', reason: 'Must not contain control characters.' },
  ]);
});

test('unknown columns are ignored, and named', async () => {
  const { rows, refusals, unknown } = await parseTape(
    `${TAPE_HEADER},grade,toString\n${tapeLine()},A,x`,
  );

  expect(refusals).toEqual([]);
  expect(rows).toHaveLength(1);
  expect(unknown).toEqual(['grade', 'toString']);
});

test('an endless tape is read only up to the maximum number of loans per transaction', async () => {
  let given = 0;
  function* endless() {
    yield Buffer.from(`${TAPE_HEADER}\n`);
    for (;;) {
      given += 1;
      yield Buffer.from('x\n'.repeat(1_000));
    }
  }

  const { rows, refusals } = await readTape(endless());

  expect(rows).toEqual([]);
  expect(refusals).toEqual([
    {
      line: 100_002,
      column: null,
      reason: 'A tape can contain at most 100000 loans. Split it into several tapes.',
    },
  ]);
  expect(given).toBeLessThan(300);
});
