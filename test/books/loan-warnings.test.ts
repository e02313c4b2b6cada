import { expect, test } from 'vitest';
import { completeTerms } from '../../jobs/loans/arithmetic/terms.ts';
import { warnAboutLoan } from '../../jobs/books/format/checks/loan-warnings.ts';
import { paidThroughDate } from '../../jobs/loans/boarding/paid-through.ts';
import type { BookRow } from '../../jobs/books/format/book-files.ts';
import { bookOf, borrowerRecord, csvOf, linesOf, loanRecord } from '../setup/books.ts';

const TODAY = '2026-03-31';

const bookWith = (loans: string) =>
  bookOf({ 'borrowers.csv': csvOf(borrowerRecord()), 'loans.csv': loans });

const terms = (row: BookRow<'loans'>) =>
  completeTerms({ interest_rate: row.interest_rate, term_months: row.term_months });

async function warningsOf(wish: Readonly<Record<string, string>>) {
  const [line] = await linesOf(bookWith(csvOf(loanRecord(wish))), 'loans');
  if (!line?.row) throw new Error(`The row is wrong: ${line?.findings[0]?.reason}`);
  return warnAboutLoan(line.row, { terms: terms(line.row), today: TODAY });
}

test.each<[string, Record<string, string>, string]>([
  ['interest_rate', { interest_rate: '0.85', payment_amount: '900.00' }, 'rate_looks_like_percent'],
  ['interest_rate', { interest_rate: '0.00085' }, 'rate_looks_like_fraction'],
  ['payment_amount', { payment_amount: '50.00' }, 'payment_below_interest'],
  ['payment_amount', { payment_amount: '280.00' }, 'does_not_amortize'],
  // 25 percent as 0.25 percent, a biweekly installment, and escrow in the installment.
  ['payment_amount', { interest_rate: '0.0025', payment_amount: '397.60' }, 'payment_off_terms'],
  ['payment_amount', { payment_amount: '631.36' }, 'payment_off_terms'],
  ['payment_amount', { payment_amount: '415.68' }, 'payment_off_terms'],
  [
    'payment_amount',
    {
      payment_amount: '415.68',
      history_from: '2026-01-10',
      history_opening_principal: '9800.00',
    },
    'payment_off_terms',
  ],
  [
    'term_months',
    {
      origination_date: '2019-01-10',
      first_payment_date: '2019-02-10',
      term_months: '24',
      payment_amount: '9999.00',
    },
    'maturity_long_past',
  ],
  [
    'current_principal_balance',
    { current_principal_balance: '10000.01', payment_amount: '350.00' },
    'balance_above_amount',
  ],
  ['first_delinquency_date', { paid_through_date: '2026-01-10' }, 'first_delinquency_missing'],
  [
    'first_delinquency_date',
    { status: 'charged_off', paid_through_date: '', charge_off_date: '2026-03-01' },
    'first_delinquency_missing',
  ],
  ['paid_through_date', { paid_through_date: '' }, 'paid_through_missing'],
  [
    'charge_off_date',
    { status: 'charged_off', paid_through_date: '', first_delinquency_date: '2026-01-10' },
    'charge_off_date_missing',
  ],
  [
    'next_due_date',
    { paid_through_date: '', next_due_date: '2026-04-12' },
    'due_date_off_schedule',
  ],
])('a doubtful %s is warned about: %o', async (column, wish, code) => {
  const warnings = await warningsOf(wish);

  expect(warnings.map((issue) => [issue.column, issue.code])).toEqual([[column, code]]);
});

test.each<Record<string, string>>([
  {},
  { payment_amount: '50.00', has_balloon: 'true' },
  { payment_amount: '', status: 'active' },
  { has_capitalization: 'true', current_principal_balance: '10000.01', payment_amount: '350.00' },
  { paid_through_date: '2026-01-10', first_delinquency_date: '2026-02-10' },
  { status: 'paid_off', current_principal_balance: '0.00', payment_amount: '1.00' },
  { paid_through_date: '', next_due_date: '2026-04-10' },
  { paid_through_date: '', accrued_interest: '0.00' },
  // Prepaid, so that the agreed installment repays the rest early.
  { current_principal_balance: '3000.00' },
  // Changed by a modification, to the installment for what is left.
  { current_principal_balance: '4630.00', payment_amount: '158.00' },
  { payment_amount: '325.00' },
  // The terms are those of the first day of the history, and the balance is that of today.
  { history_from: '2025-12-10', current_principal_balance: '8000.00', paid_through_date: '' },
])('a loan without doubts has no warning: %o', async (wish) => {
  expect(await warningsOf(wish)).toEqual([]);
});

test('the date until which a loan is paid follows from its next due date', async () => {
  const wishes = ['2026-04-10', '2026-04-12', '2026-01-10'].map((next_due_date, at) =>
    loanRecord({ loan_number: `L-${at}`, paid_through_date: '', next_due_date }),
  );
  const lines = await linesOf(bookWith(csvOf(...wishes)), 'loans');

  const dates = lines.map(({ row }) => row && paidThroughDate(row, terms(row)));
  expect(dates).toEqual(['2026-03-10', '2026-04-10', '2025-12-10']);
});
