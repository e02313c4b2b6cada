import { expect, test } from 'vitest';
import { MappingRefused, readMapping } from '../../jobs/books/format/mapping/read-mapping.ts';
import { bookOf, csvOf, findingsOf, foreignLoan, loanRecord } from '../setup/books.ts';

const MAPPING = `
files:
  loans: 'export*.csv'
loans:
  dates: MM/dd/yyyy
  money: { currency: $, thousands: ',', negative: parentheses }
  rates: percent
  terms: '## months'
  columns:
    loan_number: Acct No
    borrower_external_id: Cust ID
    borrower_first_name: { from: Customer, split: ',', part: second }
    borrower_last_name: { from: Customer, split: ',' }
    borrower_state: ST
    principal_amount: Orig Amt
    current_principal_balance: Prin Bal
    outstanding_fees: Fees
    interest_rate: Rate
    term_months: Term
    payment_amount: Pmt
    origination_date: Opened
    first_payment_date: First Due
    next_due_date: Next Due
    status: Stat
    product_code: { value: 'LEGACY' }
  values:
    status: { CUR: active, PIF: paid_off, CO: charged_off }
  sign: { outstanding_fees: negative_is_owed }
  ignore: [Branch]
`;

const check = (records: readonly Record<string, string>[], mapping = MAPPING) =>
  findingsOf(bookOf({ 'export-2026.csv': csvOf(...records) }, mapping));

test('foreign headers, codes, dates, amounts, percentages and signs become those of the format', async () => {
  const { places, rows } = await check([foreignLoan()]);

  expect(places).toEqual([]);
  expect(rows.map(({ values }) => values)).toEqual([
    {
      loan_number: '0007',
      borrower_external_id: 'C-1',
      borrower_first_name: 'Ada',
      borrower_last_name: 'Lovelace',
      borrower_state: 'NY',
      principal_amount: '10000.00',
      current_principal_balance: '9260.00',
      outstanding_fees: '25.00',
      interest_rate: '0.085',
      term_months: 36,
      payment_amount: '315.68',
      origination_date: '2025-12-10',
      first_payment_date: '2026-01-10',
      next_due_date: '2026-04-10',
      status: 'active',
      product_code: 'LEGACY',
    },
  ]);
});

test('findings name the columns of the file, not those of the format', async () => {
  const { places } = await check([
    foreignLoan({ 'Prin Bal': '$9,26.00', Opened: '31/12/2025', Stat: 'XXX', Fees: '25.00' }),
    foreignLoan({ 'Acct No': '', Rate: '8,5%', Term: '3 years' }),
  ]);

  expect(places).toEqual([
    'export-2026.csv 2 Opened invalid_value',
    'export-2026.csv 2 Stat invalid_value',
    'export-2026.csv 2 Prin Bal invalid_value',
    'export-2026.csv 2 Fees invalid_value',
    'export-2026.csv 3 Acct No missing_value',
    'export-2026.csv 3 Rate invalid_value',
    'export-2026.csv 3 Term invalid_value',
  ]);
});

test('columns that the mapping neither uses nor ignores, and those that it misses, are refused', async () => {
  const { Rate: rate, ...others } = foreignLoan();

  const { findings } = await check([{ ...others, 'Int. Rate': rate ?? '', Region: 'N' }]);

  expect(findings.map(({ column, code, reason }) => [column, code, reason])).toEqual([
    [
      'Int. Rate',
      'unknown_column',
      'The mapping neither uses nor ignores the column "Int. Rate". Did you mean "interest_rate"?',
    ],
    ['Region', 'unknown_column', 'The mapping neither uses nor ignores the column "Region".'],
    [
      'Rate',
      'missing_column',
      'The mapping names the column "Rate", which the file does not have. Did you mean "Int. Rate"?',
    ],
  ]);
});

test('one file can feed borrowers, loans and figures, and each borrower counts once', async () => {
  const mapping = `
files: { loans: '*.csv', borrowers: '*.csv', co_borrowers: '*.csv', figures: '*.csv' }
borrowers:
  columns: { borrower_external_id: Cust, first_name: First, last_name: Last }
loans:
  columns: { loan_number: Loan, borrower_external_id: Cust, current_principal_balance: Bal, principal_amount: Amt,
    interest_rate: Rate, term_months: Term, origination_date: Opened, status: Stat }
  values: { status: { '*': active } }
co_borrowers:
  columns: { loan_number: Loan, borrower_external_id: Co, role: { value: co_signer } }
  when_filled: Co
figures:
  columns: { loan_number: Loan, as_of_date: { value: '2026-03-31' }, principal: Bal }
`;
  const loan = {
    Loan: '1',
    Cust: 'A',
    First: 'Ada',
    Last: 'L',
    Co: '',
    Bal: '5.00',
    Amt: '9',
    Rate: '0.1',
  };
  const rest = { Term: '12', Opened: '2026-01-01', Stat: 'whatever' };
  const csv = csvOf(
    { ...loan, ...rest },
    { ...loan, ...rest, Loan: '2', Co: 'B' },
    { ...loan, ...rest, Loan: '3', Cust: 'B', First: 'Ben', Co: 'A' },
    { ...loan, ...rest, Loan: '4', Cust: 'B', First: 'Bert' },
  );

  const { rows, places } = await findingsOf(bookOf({ 'all.csv': csv }, mapping));

  expect(places).toEqual(['all.csv 5 Cust borrower_differs']);
  expect(rows.map(({ file, line }) => `${file} ${line}`)).toEqual([
    'borrowers 2',
    'borrowers 4',
    'loans 2',
    'loans 3',
    'loans 4',
    'loans 5',
    'co_borrowers 3',
    'co_borrowers 4',
    'figures 2',
    'figures 3',
    'figures 4',
    'figures 5',
  ]);
});

const read = async (column: string, value: string, settings: string) => {
  const mapping = `
loans:
  ${settings}
  columns: { loan_number: Loan, external_id: Loan, borrower_external_id: Loan, borrower_first_name: Loan,
    borrower_last_name: Loan, borrower_state: { value: NY }, current_principal_balance: { value: '1.00' },
    principal_amount: Amount, interest_rate: Rate, term_months: { value: '12' }, origination_date: Day,
    status: { value: active }, metadata: { value: '{}' } }
`;
  const record = { Loan: '1', Day: '2026-01-31', Amount: '10', Rate: '0.1', [column]: value };
  const { findings, rows } = await findingsOf(bookOf({ 'x.csv': csvOf(record) }, mapping));
  const { origination_date, principal_amount, interest_rate } = (rows[0]?.values ?? {}) as Record<
    string,
    unknown
  >;
  const reasons = findings.map(({ reason }) => reason);
  return (
    reasons[0] ?? { Day: origination_date, Amount: principal_amount, Rate: interest_rate }[column]
  );
};

test.each([
  ['2026-01-31', '', '2026-01-31'],
  ['2026-01-31 13:45:00', '', '2026-01-31'],
  ['2026-01-31T00:00:00.000Z', '', '2026-01-31'],
  ['1/2/2026', 'dates: MM/dd/yyyy', '2026-01-02'],
  ['1/2/2026', 'dates: dd/MM/yyyy', '2026-02-01'],
  ['01.02.2026', 'dates: dd.MM.yyyy', '2026-02-01'],
  ['20260131', 'dates: yyyyMMdd', '2026-01-31'],
  ['Jan-2026', 'dates: MMM-yyyy', '2026-01-01'],
  ['Jan-2026', 'dates: { format: MMM-yyyy, day: last }', '2026-01-31'],
  ['31-JAN-26', 'dates: { format: dd-MMM-yy, two_digit_years_from: 1970 }', '2026-01-31'],
  ['January 5, 2026', "dates: 'MMMM d, yyyy'", '2026-01-05'],
  ['1/31/2026 9:15 AM', "dates: ['MM/dd/yyyy h:mm a', MM/dd/yyyy]", '2026-01-31'],
  [
    '1/2/2026',
    '',
    'Is not a date like 2026-01-31. Correct it, or state its form in the mapping, such as `dates: MM/dd/yyyy`.',
  ],
  [
    '13/01/2026',
    'dates: MM/dd/yyyy',
    'Is not a date written as MM/dd/yyyy. Correct it, or add its form to `dates` in the mapping.',
  ],
  ['02/30/2026', 'dates: MM/dd/yyyy', 'Is not a day of the calendar.'],
  ['2026-02-30', '', 'Is not a day of the calendar.'],
])('the date %s with "%s" is %s', async (value, settings, expected) => {
  expect(await read('Day', value, settings)).toBe(expected);
});

test.each([
  ['1234.5', '', '1234.50'],
  ['$1,234.50', "money: { currency: $, thousands: ',' }", '1234.50'],
  ['USD 1,234', "money: { currency: USD, thousands: ',' }", '1234.00'],
  ['1.234,50 €', "money: { currency: €, thousands: '.', decimal: ',' }", '1234.50'],
  ['1 234,50', "money: { thousands: ' ', decimal: ',' }", '1234.50'],
  ['12.5000', '', '12.50'],
  ['12.345', 'money: { round: half_up }', '12.35'],
  ['12.345', 'money: { round: half_even }', '12.34'],
  ['12.349', 'money: { round: down }', '12.34'],
  ['-5.00', 'sign: { principal_amount: negative_is_owed }', '5.00'],
  ['-5.00', 'sign: { principal_amount: absolute }', '5.00'],
  ['5.00-', 'money: { negative: trailing_minus }\n  sign: { principal_amount: absolute }', '5.00'],
  ['5.00 CR', 'money: { negative: credit }\n  sign: { principal_amount: absolute }', '5.00'],
  [
    '($5.00)',
    'money: { currency: $, negative: parentheses }\n  sign: { principal_amount: absolute }',
    '5.00',
  ],
  ['12.345', '', expect.stringContaining('money: {round: half_up}')],
  ['$5', '', expect.stringContaining('currency')],
  ['1,234', '', expect.stringContaining('Has a comma.')],
  ['1,23', '', expect.stringContaining('money: {decimal: ","}')],
  ['1.234,50', '', expect.stringContaining('money: {thousands: ".", decimal: ","}')],
  ['1,23', "money: { thousands: ',' }", expect.stringContaining('money: {decimal: ","}')],
  [
    'five',
    "money: { currency: €, thousands: '.', decimal: ',' }",
    'Must be an amount like €1.234,50.',
  ],
  ['(5)', '', expect.stringContaining('parentheses')],
  ['1.2E+05', '', expect.stringContaining('exponent')],
  ['five', '', expect.stringContaining('Must be an amount')],
  ['-5', '', expect.stringContaining('not negative')],
])('the amount %s with "%s" is %s', async (value, settings, expected) => {
  expect(await read('Amount', value, settings)).toEqual(expected);
});

test.each([
  ['0.085', '', '0.085'],
  ['.085', 'rates: fraction', '0.085'],
  ['8.5', 'rates: percent', '0.085'],
  [' 13.99 % ', 'rates: percent', '0.1399'],
  ['850', 'rates: basis_points', '0.085'],
  ['8.5%', '', expect.stringContaining('rates: percent')],
  ['8.5', '', expect.stringContaining('Must be a fraction')],
])('the rate %s with "%s" is %s', async (value, settings, expected) => {
  expect(await read('Rate', value, settings)).toEqual(expected);
});

test.each([
  ['unknwon: 1', 1, '"unknwon" is not known here.'],
  ['loan:\n  columns: {}', 1, 'Did you mean "loans"?'],
  ['loans:\n  column:\n    a: b', 2, 'Did you mean "columns"?'],
  ['loans:\n  columns:\n    status: s\n    intrest_rate: r', 4, 'Did you mean "interest_rate"?'],
  ['loans:\n  values:\n    status:\n      Cur: activ', 4, 'Did you mean "active"?'],
  ['loans:\n  dates: MM/yy', 2, 'two_digit_years_from'],
  ['loans:\n  dates: yyyy', 2, 'must have a year'],
  ['loans:\n  dates: [MM/dd/yyyy, dd/MM/yyyy]', 2, 'two meanings'],
  ['loans:\n  rates: percents', 2, 'rates'],
  ['loans:\n  columns:\n    status: { form: s }', 3, 'Did you mean "from"?'],
  ['loans:\n  terms: months', 2, '##'],
  ['loans:\n  ignore: [a\n', 3, ''],
  ['loans: &a\n  ignore: [a]\nborrowers: *a', 1, 'Anchors and aliases'],
  ['files: { loan: x.csv }', 1, ''],
  ['loans:\n  rates: percent\n  rates: fraction', 3, 'unique'],
])('a mistake in a mapping is reported with its line: %j', (text, line, reason) => {
  const problems = (() => {
    try {
      readMapping(text);
      return [];
    } catch (error) {
      if (error instanceof MappingRefused) return error.problems;
      throw error;
    }
  })();

  expect(problems[0]).toEqual({ line, reason: expect.stringContaining(reason) as string });
});

test('codes stay as they are written, also those that YAML takes for numbers or booleans', () => {
  const mapping = readMapping(
    'loans:\n  values:\n    status: { NO: active, 007: paid_off, yes: pending }',
  );

  expect(mapping.loans?.values).toEqual({
    status: { NO: 'active', '007': 'paid_off', yes: 'pending' },
  });
});

test('a column that a mapping only subtracts or compares keeps its own meaning', async () => {
  const { current_principal_balance: _, ...withoutBalance } = loanRecord({
    outstanding_fees: '25.00',
  });
  const book = bookOf(
    {
      'loans.csv': csvOf({
        ...withoutBalance,
        borrower_first_name: 'Ada',
        borrower_last_name: 'Moreno',
        borrower_state: 'IL',
        total: '9285.00',
      }),
    },
    `
loans:
  columns:
    current_principal_balance: { from: total, minus: outstanding_fees }
    source_status: { value: Open, when: { status: active } }
`,
  );

  const { rows, findings } = await findingsOf(book);

  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(rows[0]?.values).toMatchObject({
    current_principal_balance: '9260.00',
    outstanding_fees: '25.00',
    status: 'active',
    source_status: 'Open',
  });
});
