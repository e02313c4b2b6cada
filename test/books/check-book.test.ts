import { expect, test } from 'vitest';
import { bookOf, borrowerRecord, csvOf, findingsOf, loanRecord } from '../setup/books.ts';
import { tapeLine, tapeText } from '../setup/boarding-tapes.ts';

const TODAY = '2026-03-31';

/** A valid book, with some files replaced. */
const bookWith = (files: Readonly<Record<string, string>>) =>
  bookOf({ 'borrowers.csv': csvOf(borrowerRecord()), 'loans.csv': csvOf(loanRecord()), ...files });

test('a book without mistakes passes on its rows, file by file', async () => {
  const { places, rows } = await findingsOf(bookWith({}));

  expect(places).toEqual([]);
  expect(rows.map(({ file, line }) => `${file} ${line}`)).toEqual(['borrowers 2', 'loans 2']);
});

const SSN = '219-09-9999';

test.each<[string, Record<string, string>, string]>([
  [
    'a loan number twice',
    { 'loans.csv': csvOf(loanRecord(), loanRecord()) },
    'loans.csv 3 loan_number duplicate_key',
  ],
  [
    'a borrower twice',
    { 'borrowers.csv': csvOf(borrowerRecord(), borrowerRecord()) },
    'borrowers.csv 3 borrower_external_id duplicate_key',
  ],
  [
    'two borrowers with one number',
    {
      'borrowers.csv': csvOf(
        borrowerRecord({ ssn: SSN }),
        borrowerRecord({ borrower_external_id: 'B-2', first_name: 'Eve', ssn: '219099999' }),
      ),
    },
    'borrowers.csv 3 ssn duplicate_borrower',
  ],
  [
    'two borrowers with one name and birthday',
    {
      'borrowers.csv': csvOf(
        borrowerRecord({ date_of_birth: '1990-01-02' }),
        borrowerRecord({
          borrower_external_id: 'B-2',
          last_name: 'LOVELACE ',
          date_of_birth: '1990-01-02',
        }),
      ),
    },
    'borrowers.csv 3 last_name duplicate_borrower',
  ],
  [
    'a loan of an unknown borrower',
    { 'loans.csv': csvOf(loanRecord({ borrower_external_id: 'B-9' })) },
    'loans.csv 2 borrower_external_id unknown_reference',
  ],
  [
    'an address of an unknown borrower',
    {
      'addresses.csv': csvOf({
        borrower_external_id: 'B-9',
        street_line_1: '1 Main St',
        city: 'Troy',
        postal_code: '12180',
      }),
    },
    'addresses.csv 2 borrower_external_id unknown_reference',
  ],
  [
    'a figure of an unknown loan',
    { 'figures.csv': csvOf({ loan_number: 'L-9', as_of_date: TODAY }) },
    'figures.csv 2 loan_number unknown_reference',
  ],
  [
    'figures of one day twice',
    {
      'figures.csv': csvOf(
        { loan_number: 'L-1', as_of_date: TODAY },
        { loan_number: 'L-1', as_of_date: '2026-02-28' },
        { loan_number: 'L-1', as_of_date: TODAY },
      ),
    },
    'figures.csv 4 loan_number duplicate_key',
  ],
  [
    'a co-borrower who is the borrower',
    {
      'co_borrowers.csv': csvOf({
        loan_number: 'L-1',
        borrower_external_id: 'B-1',
        role: 'co_signer',
      }),
    },
    'co_borrowers.csv 2 borrower_external_id contradiction',
  ],
  [
    'a reversal of an unknown transaction',
    {
      'history.csv': csvOf(
        { loan_number: 'L-1', transaction_id: '1', date: TODAY, type: 'payment', amount: '1.00' },
        {
          loan_number: 'L-1',
          transaction_id: '2',
          date: TODAY,
          type: 'payment_reversal',
          reverses: '9',
        },
      ),
    },
    'history.csv 3 reverses unknown_reversal',
  ],
  [
    'a payment without an amount',
    {
      'history.csv': csvOf({
        loan_number: 'L-1',
        transaction_id: '1',
        date: TODAY,
        type: 'payment',
      }),
    },
    'history.csv 2 amount missing_value',
  ],
  [
    'a transaction before the loan',
    {
      'history.csv': csvOf({
        loan_number: 'L-1',
        transaction_id: '1',
        date: '2025-12-09',
        type: 'fee',
        amount: '5.00',
      }),
    },
    'history.csv 2 date contradiction',
  ],
  [
    'a history that begins late without opening balances',
    {
      'loans.csv': csvOf(loanRecord({ history_from: '2026-01-15' })),
      'history.csv': 'loan_number,transaction_id,date,type,amount',
    },
    'loans.csv 2 history_opening_principal missing_value',
  ],
  [
    'a replayed history without its file',
    { 'loans.csv': csvOf(loanRecord({ history_from: '2025-12-10' })) },
    'loans.csv 2 history_from contradiction',
  ],
  [
    'an account of another borrower',
    {
      'borrowers.csv': csvOf(
        borrowerRecord(),
        borrowerRecord({ borrower_external_id: 'B-2', first_name: 'Eve' }),
      ),
      'bank_accounts.csv': csvOf({
        bank_account_id: 'A-1',
        borrower_external_id: 'B-2',
        routing_number: '021000021',
        account_number: '1234567890',
        account_type: 'checking',
      }),
      'autopay.csv': csvOf({ loan_number: 'L-1', bank_account_id: 'A-1' }),
    },
    'autopay.csv 2 bank_account_id account_of_another_borrower',
  ],
  [
    'autopay of a person who does not owe the loan',
    {
      'borrowers.csv': csvOf(
        borrowerRecord(),
        borrowerRecord({ borrower_external_id: 'B-2', first_name: 'Eve' }),
      ),
      'bank_accounts.csv': csvOf({
        bank_account_id: 'A-1',
        borrower_external_id: 'B-2',
        routing_number: '021000021',
        account_number: '1234567890',
        account_type: 'checking',
      }),
      'autopay.csv': csvOf({
        loan_number: 'L-1',
        bank_account_id: 'A-1',
        borrower_external_id: 'B-2',
      }),
    },
    'autopay.csv 2 borrower_external_id contradiction',
  ],
  [
    'a file of loans with only a header line',
    { 'loans.csv': csvOf(loanRecord()).split('\n')[0] ?? '' },
    'loans.csv 1 - no_loans',
  ],
  [
    'a bank account without a routing number',
    {
      'bank_accounts.csv': csvOf({
        bank_account_id: 'A-1',
        borrower_external_id: 'B-1',
        account_number: '1234567890',
        account_type: 'checking',
      }),
    },
    'bank_accounts.csv 2 routing_number missing_value',
  ],
  [
    'a wrong identity number',
    {
      'identities.csv': csvOf({
        borrower_external_id: 'B-1',
        identity_type: 'ssn',
        identifier: '000-12-3456',
      }),
    },
    'identities.csv 2 identifier invalid_value',
  ],
  [
    'a bankruptcy without facts',
    {
      'cases.csv': csvOf({
        case_id: 'C-1',
        borrower_external_id: 'B-1',
        case_type: 'bankruptcy',
        subject: 'Chapter 13',
      }),
    },
    'cases.csv 2 facts missing_value',
  ],
  [
    'a document without its file',
    {
      'documents.csv': csvOf({
        file: 'L-1/contract.pdf',
        loan_number: 'L-1',
        document_type: 'other',
      }),
    },
    'documents.csv 2 file missing_document',
  ],
  [
    'a file that no line names',
    { 'documents/L-1/contract.pdf': 'PDF' },
    'documents/L-1/contract.pdf 1 - unlisted_document',
  ],
  [
    'a paid-off loan with a balance',
    { 'loans.csv': csvOf(loanRecord({ status: 'paid_off' })) },
    'loans.csv 2 current_principal_balance contradiction',
  ],
  [
    'an active loan without a balance',
    { 'loans.csv': csvOf(loanRecord({ current_principal_balance: '0' })) },
    'loans.csv 2 current_principal_balance contradiction',
  ],
  [
    'a charge-off of an active loan',
    { 'loans.csv': csvOf(loanRecord({ charge_off_date: '2026-03-01' })) },
    'loans.csv 2 charge_off_date contradiction',
  ],
  [
    'a next due date before the paid one',
    { 'loans.csv': csvOf(loanRecord({ next_due_date: '2026-03-10' })) },
    'loans.csv 2 next_due_date contradiction',
  ],
  [
    'more 60-day than 30-day delinquencies',
    { 'loans.csv': csvOf(loanRecord({ times_delinquent_60: '1' })) },
    'loans.csv 2 times_delinquent_60 contradiction',
  ],
  [
    'names of borrowers in two files',
    { 'loans.csv': csvOf(loanRecord({ borrower_first_name: 'Ada' })) },
    'loans.csv 2 borrower_first_name contradiction',
  ],
])('%s is found', async (_, files, place) => {
  const { places, findings } = await findingsOf(bookWith(files));

  expect(places).toEqual([place]);
  expect(findings[0]?.reason).toMatch(/^[A-Z].*\.$/);
});

test('one borrower with two names on the lines of a short book is found', async () => {
  const csv = tapeText(
    tapeLine(),
    tapeLine({ loan_number: 'T-2' }),
    tapeLine({ loan_number: 'T-3', borrower_first_name: 'Eve' }),
  );

  const { places, rows } = await findingsOf(bookOf({ 'tape.csv': csv }));

  expect(places).toEqual(['tape.csv 4 borrower_external_id borrower_differs']);
  expect(rows.map(({ line }) => line)).toEqual([2, 3]);
});

test('a record of a loan whose line has a mistake is not reported as well', async () => {
  const { places } = await findingsOf(
    bookWith({
      'loans.csv': csvOf(loanRecord({ term_months: '0' })),
      'figures.csv': csvOf({ loan_number: 'L-1', as_of_date: TODAY }),
    }),
  );

  expect(places).toEqual(['loans.csv 2 term_months invalid_value']);
});

test('borrowers whom the tenant has already are known', async () => {
  const asked: (readonly string[])[] = [];
  const book = bookWith({
    'loans.csv': csvOf(
      loanRecord({ borrower_external_id: 'B-7' }),
      loanRecord({ loan_number: 'L-2', borrower_external_id: 'B-8' }),
      loanRecord({ loan_number: 'L-3', borrower_external_id: 'B-8' }),
    ),
  });

  const { places } = await findingsOf(book, {
    findKnown: (_, keys) => {
      asked.push(keys);
      return Promise.resolve(new Set(['B-7']));
    },
  });

  expect(asked).toEqual([['B-7', 'B-8']]);
  expect(places).toEqual([
    'loans.csv 3 borrower_external_id unknown_reference',
    'loans.csv 4 borrower_external_id unknown_reference',
  ]);
});

test('a warning becomes an error, or is accepted, as the request says', async () => {
  const book = bookWith({ 'documents/scan.pdf': 'PDF' });

  const asError = await findingsOf(book, { switches: { unlisted_document: 'error' } });
  const accepted = await findingsOf(book, { switches: { unlisted_document: 'accepted' } });

  expect(asError.findings.map(({ severity }) => severity)).toEqual(['error']);
  expect(accepted.findings).toEqual([]);
});

test('no finding shows a personal number', async () => {
  const numbers = ['666-12-3456', '666123456', '98-76-54321'];
  const { findings } = await findingsOf(
    bookWith({
      'borrowers.csv': csvOf(
        ...numbers.map((ssn, at) => borrowerRecord({ borrower_external_id: `B-${at + 1}`, ssn })),
      ),
      'loans.csv': csvOf(
        loanRecord({
          status: '666-12-3456',
          interest_rate: '666123456',
          paid_through_date: '98-76-54321',
        }),
      ),
      'bank_accounts.csv': csvOf({
        bank_account_id: 'A-1',
        borrower_external_id: 'B-1',
        account_number: '666123456X',
        routing_number: '666123456',
        account_type: 'checking',
      }),
    }),
  );

  expect(findings.length).toBeGreaterThan(6);
  expect(JSON.stringify(findings)).not.toMatch(/666.?12.?3456|98.?76.?54321/);
});
