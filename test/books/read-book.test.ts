import { expect, test } from 'vitest';
import { bookOf, linesOf, placesOf } from '../setup/books.ts';
import { tapeLine, tapeText, TAPE_HEADER } from '../setup/boarding-tapes.ts';

const tape = tapeText(
  tapeLine({ borrower_first_name: 'Zoë' }),
  '',
  tapeLine({ loan_number: 'T-2', borrower_external_id: 'B-2', purpose: '"a\nb"' }),
  tapeLine({ loan_number: 'T-3', borrower_external_id: 'B-3' }),
);

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const separated = (sign: string) =>
  tape.replaceAll('"Lovelace, Countess"', 'Lovelace').replaceAll(',', sign);

test.each([
  ['UTF-8', Buffer.from(tape), []],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${tape}`), []],
  ['UTF-16 with a byte order mark', utf16(`\ufeff${tape}`), []],
  ['UTF-16 high bytes first', utf16(`\ufeff${tape}`).swap16(), []],
  ['UTF-16 without a mark', utf16(tape), ['1 - encoding_guessed']],
  ['Windows-1252', Buffer.from(tape, 'latin1'), ['1 - encoding_guessed']],
  ['semicolons', Buffer.from(separated(';')), []],
  ['tabs', Buffer.from(separated('\t')), []],
  ['vertical bars', Buffer.from(separated('|')), []],
  ['Windows line ends', Buffer.from(tape.replaceAll('\n', '\r\n')), []],
  ['old Mac line ends', Buffer.from(tape.replaceAll('\n', '\r')), []],
])('a file in %s is read, with the numbers of its lines', async (_, bytes, expected) => {
  const lines = await linesOf(bookOf({ 'export.csv': bytes }), 'loans');

  const rows = lines.filter(({ row }) => row !== null);
  const names = rows.map(({ line, row }) => [line, row?.loan_number, row?.borrower_first_name]);
  expect(names).toEqual([
    [2, 'T-1', 'Zoë'],
    [6, 'T-3', 'Ada'],
  ]);
  // Line 4 has a line break in a field of one line.
  expect(placesOf(lines)).toEqual([...expected, '4 purpose invalid_value']);
});

test('damaged UTF-8 is not taken for another encoding', async () => {
  const bytes = Buffer.concat([
    Buffer.from(tapeText(tapeLine({ borrower_first_name: 'Zoë' }), '')),
    Buffer.from(tapeLine({ loan_number: 'T-2', borrower_first_name: 'Zoë' }), 'latin1'),
  ]);

  const lines = await linesOf(bookOf({ 'export.csv': bytes }), 'loans');

  expect(placesOf(lines)).toEqual(['3 borrower_first_name invalid_value']);
});

test('a title, blank lines and totals around the records are skipped and reported', async () => {
  const csv = [
    'Loans of the First Bank, as of 31 March 2026',
    '',
    TAPE_HEADER,
    tapeLine(),
    ',,,,,,,,,,,,,,,,,,',
    'Total,,,,,10000.00,9756.53,,,,,,,,,,,,',
    'Records: 1',
  ].join('\n');

  const lines = await linesOf(bookOf({ 'export.csv': csv }), 'loans');

  expect(lines.map(({ row }) => row?.loan_number)).toEqual([undefined, 'T-1', undefined]);
  expect(placesOf(lines)).toEqual(['1 - lines_skipped', '6 - totals_line', '7 - totals_line']);
});

test('a file that needs one column may have only this one, and no other file may', async () => {
  const book = bookOf({
    'loans.csv': 'loan_number\nT-1',
    'investors.csv': 'Our investors\nname\nFirst Bank\n"Moreno, Kim & Co"',
    'portfolios.csv': 'Name\nPrime',
  });

  const investors = await linesOf(book, 'investors');
  const others = [await linesOf(book, 'loans'), await linesOf(book, 'portfolios')];

  expect(investors.flatMap(({ row }) => row?.name ?? [])).toEqual([
    'First Bank',
    'Moreno, Kim & Co',
  ]);
  expect(placesOf(investors)).toEqual(['1 - lines_skipped']);
  expect(others.map(placesOf)).toEqual([
    ['1 - unreadable_file'],
    ['1 Name unknown_column', '1 name missing_column'],
  ]);
});

test('a line with totals in the middle is a line with mistakes', async () => {
  const csv = tapeText('Total,,,,,10000.00,9756.53,,,,,,,,,,,,', tapeLine());

  const lines = await linesOf(bookOf({ 'export.csv': csv }), 'loans');

  expect(lines[0]?.row).toBeNull();
  expect(placesOf(lines)).toContain('2 borrower_external_id missing_value');
});

test('every mistake of a line is reported with its column, and others are read', async () => {
  const csv = tapeText(
    tapeLine({ principal_amount: '1e4', borrower_state: 'Ontario', term_months: '' }),
    tapeLine({ loan_number: 'T-2', origination_date: '2026-02-30', interest_rate: '8.5' }),
    'T-6,too,few',
    tapeLine({ loan_number: 'T-7' }),
    `${tapeLine({ loan_number: 'T-8' })},,`,
    `${tapeLine({ loan_number: 'T-9' })},more`,
  );

  const lines = await linesOf(bookOf({ 'export.csv': csv }), 'loans');

  expect(placesOf(lines)).toEqual([
    '2 borrower_state invalid_value',
    '2 principal_amount invalid_value',
    '2 term_months missing_value',
    '3 interest_rate rate_looks_like_percent',
    '3 origination_date invalid_value',
    '4 - field_count',
    '7 - field_count',
  ]);
  expect(lines.flatMap(({ row }) => row?.loan_number ?? [])).toEqual(['T-7', 'T-8']);
});

test.each([
  ['unreadable_file', ''],
  ['missing_column', 'loan_number,status\nT-1,active'],
  ['duplicate_column', `${TAPE_HEADER},purpose\n${tapeLine()},`],
  ['unreadable_file', `${TAPE_HEADER}\n"open`],
  ['unreadable_file', `${TAPE_HEADER}\n"a"b`],
  ['unreadable_file', `${TAPE_HEADER}\na"b"`],
  ['unreadable_file', `${TAPE_HEADER}\n${','.repeat(1_000)}`],
  ['missing_column', TAPE_HEADER.replaceAll(',', ';').replace(';', '\t')],
  ['unreadable_file', `${TAPE_HEADER}\n"${'a'.repeat(200_000)}`],
  ['unreadable_file', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 75, 4, 0])],
  ['unreadable_file', Buffer.from(`${TAPE_HEADER.replaceAll(',', '\0,')}\n${tapeLine()}`)],
])('a file that cannot be read is refused as a whole: %s', async (code, content) => {
  const lines = await linesOf(bookOf({ 'export.csv': content }), 'loans');

  expect(lines.every(({ row }) => row === null)).toBe(true);
  expect(lines.flatMap(({ findings }) => findings).map((finding) => finding.code)).toContain(code);
});

test('foreign columns are refused with the nearest column of the format', async () => {
  const csv = tapeText(tapeLine())
    .replace('interest_rate', 'Interest Rate')
    .replace('loan_number', 'loan_nr')
    .replace('purpose', 'colour');

  const [header, ...others] = await linesOf(bookOf({ 'export.csv': csv }), 'loans');

  expect(others).toEqual([]);
  expect(header?.findings.map(({ column, reason }) => [column, reason])).toEqual([
    ['loan_nr', 'The book format has no column "loan_nr". Did you mean "loan_number"?'],
    [
      'Interest Rate',
      'The book format has no column "Interest Rate". Did you mean "interest_rate"?',
    ],
    ['colour', 'The book format has no column "colour".'],
    ['loan_number', 'The required column loan_number is missing.'],
    [
      'interest_rate',
      'The required column interest_rate is missing. Did you mean "Interest Rate"?',
    ],
  ]);
});

test('files of a book are found by their names, and others are refused', () => {
  const book = bookOf({
    'loans.csv': tape,
    'Borrowers.CSV': '',
    'borower.csv': '',
    'logo.png': '',
    'documents/T-1/contract.pdf': '',
    'loans.xlsx': '',
  });

  expect(book.sources.map(({ path, feeds }) => [path, feeds])).toEqual([
    ['loans.csv', ['loans']],
    ['Borrowers.CSV', ['borrowers']],
  ]);
  expect([...book.documents.keys()]).toEqual(['T-1/contract.pdf']);
  expect(book.findings.map(({ file, code }) => [file, code])).toEqual([
    ['borower.csv', 'unknown_file'],
    ['logo.png', 'unknown_file'],
    ['loans.xlsx', 'unreadable_file'],
  ]);
  expect(book.findings[0]?.reason).toContain('Did you mean "borrowers.csv"?');
});

test('a book without loans is refused', () => {
  const book = bookOf({ 'borrowers.csv': '', 'emails.csv': '' });

  expect(book.findings.map(({ code }) => code)).toEqual(['missing_file']);
});

test('a file without a header line is one finding, which repeats nothing of the file', async () => {
  const [, ...records] = tapeText(
    tapeLine({ loan_number: '123-45-6789', borrower_first_name: 'Rosalind' }),
    tapeLine({ loan_number: 'T-2' }),
  ).split('\n');

  const lines = await linesOf(bookOf({ 'export.csv': records.join('\n') }), 'loans');

  expect(placesOf(lines)).toEqual(['1 - unreadable_file']);
  expect(JSON.stringify(lines)).toContain('Has no header line');
  for (const planted of ['123-45-6789', 'Rosalind', 'Lovelace', 'T-2'])
    expect(JSON.stringify(lines)).not.toContain(planted);
});

test('an unknown column whose name contains a number of a person is named without its digits', async () => {
  const text = tape.replace(TAPE_HEADER, `${TAPE_HEADER},SSN 123-45-6789`);

  const lines = await linesOf(bookOf({ 'export.csv': text }), 'loans');

  expect(placesOf(lines)).toContain('1 SSN ***-**-**** unknown_column');
  expect(JSON.stringify(lines)).not.toMatch(/123|6789/);
});
