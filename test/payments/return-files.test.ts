import { expect, test } from 'vitest';
import { readBankFile } from '../../jobs/payments/nacha/bank-file.ts';
import {
  sliceColumns,
  buildBankFile,
  buildReturnFile,
  readSentEntries,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** Two payments sent to the bank, with their lines in the file. */
async function twoSent() {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoanWithAccount(tenant);
  const pay = async (amount: string) => {
    const path = `/loans/${loan.id}/payments`;
    const paid = await tenant.officer.post(path, { amount, payment_instrument_id: loan.account });
    return paid.body.id as string;
  };
  const ids = [await pay('100.00'), await pay('200.00')];
  const { id, filename } = (await admin.post('/nacha-files')).body;
  const [first = '', second = ''] = await readSentEntries(stage, tenant, filename);
  const take = (file: string) => admin.post('/nacha-returns', { file });
  const statuses = () =>
    Promise.all(ids.map(async (id) => (await admin.get(`/payments/${id}`)).body.status));
  return { tenant, admin, loan, id, first, second, take, statuses };
}

type Entry = { trace_number: string };

const changed = (lines: string[], index: number, from: number, text: string) =>
  lines.map((line, each) =>
    each === index ? line.slice(0, from - 1) + text + line.slice(from - 1 + text.length) : line,
  );

test('an inconsistent file is refused completely, with the line and the field', async () => {
  const { first, second, take, statuses } = await twoSent();
  const whole = buildReturnFile([first, 'R01'], [second, 'R01']).trimEnd().split('\n');
  const tampered: [lines: string[], problem: RegExp][] = [
    [whole.slice(0, 4), /^Line 4 is the last record, but the file control is missing\.$/],
    [whole.toSpliced(4, 1), /^Line 5 begins a batch before the control of the last one\.$/],
    [whole.toSpliced(8, 1), /^Line 9 ends the file before the control of its last batch\.$/],
    [whole.toSpliced(1, 1), /^Line 2 belongs to no batch\.$/],
    [whole.toSpliced(2, 2), /^Line 3 does not add up: its entry and addenda count is 2, and .* 0/],
    [changed(whole, 2, 30, '0000010001'), /^Line 5 does not add up: its total of debits is 10000/],
    [changed(whole, 2, 4, '09100001'), /^Line 5 does not add up: its entry hash/],
    [changed(whole, 2, 3, '1'), /^Line 5 does not add up: its total of debits/],
    [
      changed(whole, 4, 88, '0000002'),
      /^Line 5 closes another batch: its batch number is "0000002"/,
    ],
    [changed(whole, 4, 2, '220'), /^Line 5 closes another batch: its service class/],
    [changed(whole, 4, 5, '      '), /^Line 5 has no entry and addenda count in columns 5 to 10/],
    [changed(whole, 9, 2, '000003'), /^Line 10 does not add up: its batch count is 3/],
    [changed(whole, 9, 8, '000002'), /^Line 10 does not add up: its block count is 2/],
    [changed(whole, 9, 14, '00000003'), /^Line 10 does not add up: its entry and addenda count/],
    [changed(whole, 9, 32, '000000000001'), /^Line 10 does not add up: its total of debits is 1,/],
    [changed(whole, 7, 4, 'X01'), /^Line 8 has no return code/],
    [changed(whole, 7, 7, '               '), /^Line 8 has no original trace number/],
    [[...whole, ...whole], /^Line 11 comes after the file control/],
    [whole.slice(1), /^Line 1 is not a file header/],
    [changed(whole, 2, 1, '4'), /^Line 3 begins with "4"/],
    [whole.map((line, index) => (index === 2 ? `${line}X` : line)), /^Line 3 has 95 characters/],
    [['9'.repeat(94)], /^Line 1 is not a file header/],
    [whole.toSpliced(9, 1), /the file control is missing/],
  ];
  for (const [lines, problem] of tampered) {
    const { status, body } = await take(lines.join('\n'));
    expect([status, body.errors?.file]).toEqual([422, expect.stringMatching(problem)]);
  }
  expect(await statuses()).toEqual(['completed', 'completed']);
});

test('different banks’ dialects are read as the same file', async () => {
  const { first, second, take, statuses } = await twoSent();
  const stranger = `${first.slice(0, 79)}091000019999999`;
  const lines = buildReturnFile([first, 'r01'], [second, 'R01'], [stranger, 'R02'])
    .trimEnd()
    .split('\n');
  const dialects: Record<string, string> = {
    'without line breaks': lines.join(''),
    'without line breaks and filler': lines.slice(0, 14).join('').trimEnd(),
    'CRLF and a last line without an end': lines.join('\r\n'),
    'old line ends': `${lines.join('\r')}\r`,
    'trimmed lines, without filler': lines
      .slice(0, 14)
      .map((line) => line.trimEnd())
      .join('\n'),
    'blank lines at the end': `${lines.join('\n')}\n\n  \n`,
    'a byte order mark and Ctrl-Z': `\u{FEFF}${lines.join('\r\n')}\r\n\u001A`,
    'blocks of ten records': `${lines.join('')}\n`,
    'letters outside ASCII': lines.join('\n').replace('GRACE HOPPER', 'GRÅCE HØPPER'),
  };
  const expected = readBankFile(lines.join('\n'));
  for (const [name, file] of Object.entries(dialects)) {
    const read = readBankFile(file);
    expect(read.length, name).toBe(3);
    if (name !== 'letters outside ASCII') expect(read, name).toEqual(expected);
  }

  const taken = await take(dialects['without line breaks'] ?? '');

  expect(taken.body.entries).toMatchObject([
    { status: 'returned', code: 'R01' },
    { status: 'returned', code: 'R01' },
    { status: 'unknown', code: 'R02' },
  ]);
  expect(await statuses()).toEqual(['returned', 'returned']);
});

test('a file without returns, or with entries of another kind, is accepted', async () => {
  const { first, take, statuses } = await twoSent();

  const none = await take(
    buildBankFile()
      .map((line) => `${line.trimEnd()}\r\n`)
      .join(''),
  );
  const forward = await take(buildBankFile([first]).join('\n'));

  expect(none).toMatchObject({ status: 200, body: { entries: [] } });
  expect(forward).toMatchObject({
    status: 200,
    body: {
      entries: [{ status: 'no_return', code: null, trace_number: sliceColumns(first, 80, 94) }],
    },
  });
  expect(await statuses()).toEqual(['completed', 'completed']);
});

test('a return that its loan refuses becomes a task, and the rest of the file is booked', async () => {
  const { tenant, admin, loan, id, first, second, take, statuses } = await twoSent();
  // The loan cannot reverse this payment, because its effective date is after the return.
  await stage.owner.query(
    "update payments set payment_date = '2026-02-01' where amount = 100 and loan_id = $1",
    [loan.id],
  );

  const file = buildReturnFile([first, 'R01'], [second, 'R01']);
  const taken = await take(file);
  await take(file);

  expect(taken.body.entries).toMatchObject([{ status: 'refused' }, { status: 'returned' }]);
  expect(await statuses()).toEqual(['completed', 'returned']);
  expect((await tenant.officer.get('/tasks?source=system')).body).toMatchObject([
    { loan_id: loan.id, title: 'Return R01 could not be booked: book it manually' },
  ]);
  const entries = await admin.get(`/nacha-files/${id}/entries`);
  expect(
    entries.body.find(({ trace_number }: Entry) => trace_number === sliceColumns(first, 80, 94)),
  ).toMatchObject({ return_code: null });
});

test('a file with too many lines is refused before it is parsed', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');

  const reply = await admin.post('/nacha-returns', { file: '\n'.repeat(30_001) });

  expect(reply).toMatchObject({ status: 422, body: { errors: { file: /more than 30000 lines/ } } });
});
