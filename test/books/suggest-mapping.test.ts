import { expect, test } from 'vitest';
import { suggestMapping } from '../../jobs/books/format/mapping/suggest-mapping.ts';
import { bookOf, csvOf, findingsOf, foreignLoan, treeOf } from '../setup/books.ts';

test('a mapping is suggested from the names and values of a foreign file, and works as it is', async () => {
  const records = [
    foreignLoan(),
    foreignLoan({
      'Acct No': '0008',
      Opened: '12/31/2025',
      Stat: 'Paid in full',
      'Prin Bal': '$0.00',
    }),
    foreignLoan({ 'Acct No': '0009', Stat: 'Current', Fees: '0.00' }),
  ].map(({ Customer: _, ...record }) => ({ ...record, 'First Name': 'Ada', 'Last Name': 'L' }));
  const files = { 'export.csv': csvOf(...records) };
  const [file] = treeOf(files).files;
  if (!file) throw new Error('There is no file.');

  const { yaml, found, required } = await suggestMapping(file);
  const mapping = yaml
    .replace(/CUR: ''.*/, 'CUR: active')
    .replace(/^( {2}columns:)$/m, '  sign: { outstanding_fees: absolute }\n$1');
  const { places, rows } = await findingsOf(bookOf(files, mapping));

  expect([found, required]).toEqual([11, 11]);
  expect(yaml).toContain("dates: 'MM/dd/yyyy'");
  expect(yaml).toContain('rates: percent');
  expect(yaml).toContain('terms: "## months"');
  expect(yaml).toContain('- Branch');
  expect(places).toEqual([]);
  expect(rows.map(({ values }) => values)).toMatchObject([
    { loan_number: '0007', status: 'active', interest_rate: '0.085', next_due_date: '2026-04-10' },
    { loan_number: '0008', status: 'paid_off', origination_date: '2025-12-31' },
    { loan_number: '0009', status: 'active' },
  ]);
});

test('a suggestion knows names that are abbreviated', async () => {
  const abbreviated = {
    'Acct #': '1',
    'Cust No': '2',
    'Nxt Due': '',
    'Next Pmt Due': '2026-04-10',
  };
  const [file] = treeOf({
    'x.csv': csvOf({ ...abbreviated, '1st Pmt Due': '2026-01-10', 'Monthly P&I': '100.00' }),
  }).files;
  if (!file) throw new Error('There is no file.');

  const { yaml } = await suggestMapping(file);

  expect(yaml).toContain('loan_number: "Acct #"');
  expect(yaml).toContain('borrower_external_id: "Cust No"');
  expect(yaml).toContain('next_due_date: "Next Pmt Due"');
  expect(yaml).toContain('first_payment_date: "1st Pmt Due"');
  expect(yaml).toContain('payment_amount: "Monthly P&I"');
});

test('a suggestion knows the short words of loan systems', async () => {
  const short = { 'Cur Prin Bal': '9260.00', 'Int Rt': '0.085', 'Orig Trm': '36', 'Prod Cd': 'A' };
  const [file] = treeOf({ 'x.csv': csvOf({ ...short, 'Orig Dt': '2026-01-10' }) }).files;
  if (!file) throw new Error('There is no file.');

  const { yaml } = await suggestMapping(file);

  expect(yaml).toContain('current_principal_balance: "Cur Prin Bal"');
  expect(yaml).toContain('interest_rate: "Int Rt"');
  expect(yaml).toContain('term_months: "Orig Trm"');
  expect(yaml).toContain('product_code: "Prod Cd"');
  expect(yaml).toContain('origination_date: "Orig Dt"');
});

test('a suggestion asks for the form of dates whose day and month cannot be told apart', async () => {
  const [file] = treeOf({
    'x.csv': csvOf({ 'Loan ID': '1', 'Origination Date': '03/04/2026' }),
  }).files;
  if (!file) throw new Error('There is no file.');

  const { yaml } = await suggestMapping(file);

  expect(yaml).toContain(
    "# dates: day and month cannot be told apart. Use one of: 'MM/dd/yyyy', 'dd/MM/yyyy'",
  );
  expect(yaml).toContain('# interest_rate: required, and not found');
});

test('one wrong date does not hide the form of the others', async () => {
  const dates = [...Array.from({ length: 19 }, (_, at) => `02/${at + 10}/2029`), '13/40/2029'];
  const text = ['Loan ID,Note Date,First', ...dates.map((date, at) => `${at},${date},Ada`)];
  const [file] = treeOf({ 'old.csv': text.join('\n') }, 'file').files;
  if (!file) throw new Error('The tree has no file.');

  const { yaml } = await suggestMapping(file);

  expect(yaml).toContain("dates: 'MM/dd/yyyy' # one date is written otherwise");
  expect(yaml).toContain('borrower_first_name: First');
});
