import { z } from 'zod';
import { CO_BORROWER_ROLES } from '../../../sql/loans/co-borrowers.ts';
import { emailAddress, externalId, jsonObject } from '../../../sql/types.ts';
import { JURISDICTIONS } from '../../loans/products/program-types.ts';
import { CHARGE_OFF_REASONS } from '../../loans/servicing-actions/charge-off.ts';
import { loanLabel } from '../../loans/servicing-actions/label.ts';
import { borrowerId, language, socialSecurityNumber } from './borrower-files.ts';
import { bookFile, optional, required } from './columns.ts';
import * as kinds from './kinds.ts';

export const LOAN_STATUSES = ['active', 'paid_off', 'charged_off', 'approved', 'pending'] as const;

export const loanNumber = required(kinds.line(50), 'The loan, as in `loans.csv`.', {
  refers_to: 'loans',
});

const times = (days: number) =>
  optional(
    kinds.wholeNumber(0, 600),
    `How often the loan became ${days} days past due. Default: 0.`,
  );
const daysRange = kinds.textOf(
  z.string().regex(/^\d{1,5}(-\d{1,5}|\+)?$/, 'Must be days such as 31-120, 121+ or 0.'),
);
const code = (pattern: RegExp, message: string) => kinds.textOf(z.string().regex(pattern, message));

/** The borrower of a loan in the short form of a book, which has no `borrowers.csv`. */
const shortBorrower = {
  borrower_first_name: optional(kinds.line(100), 'Required without `borrowers.csv`.', {
    required_without: 'borrowers',
  }),
  borrower_last_name: optional(kinds.line(100), 'Required without `borrowers.csv`.', {
    required_without: 'borrowers',
  }),
  borrower_state: optional(
    kinds.choice(JURISDICTIONS, 'Must be a state code like NY.'),
    'Two letters. Required without `borrowers.csv`.',
    { required_without: 'borrowers' },
  ),
  borrower_street: optional(kinds.line(), 'Street and number. Default: marked as unknown.'),
  borrower_city: optional(kinds.line(), 'The city. Default: marked as unknown.'),
  borrower_postal_code: optional(kinds.line(20), 'The ZIP code. Default: marked as unknown.'),
  borrower_email: optional(kinds.textOf(emailAddress), 'The email address.'),
  borrower_date_of_birth: optional(kinds.date, 'Needed for credit reporting.'),
  borrower_ssn: optional(
    socialSecurityNumber,
    'The social security number or ITIN. Stored encrypted.',
    { is_personal_number: true },
  ),
  borrower_language: optional(language, 'The language of messages. Default: `en`.'),
} as const;

const terms = {
  program_code: optional(
    kinds.line(50),
    "Default: the program of the product, or the tenant's oldest.",
    {
      refers_to: 'programs',
    },
  ),
  product_code: optional(
    kinds.line(50),
    "The product, whose rules the loan copies. Default: the product of the import, or the tenant's oldest.",
    { refers_to: 'products' },
  ),
  principal_amount: required(
    kinds.positiveMoney,
    'The original amount, or the credit limit of a line of credit.',
  ),
  interest_rate: required(kinds.rate, 'Annual rate as a fraction: 8.5 percent is `0.085`.'),
  term_months: required(kinds.wholeNumber(1, 600), 'The original term in months.'),
  payment_amount: optional(
    kinds.positiveMoney,
    'The installment as agreed. It must repay the balance, otherwise `has_balloon` is needed. Default: calculated from the terms.',
  ),
  has_balloon: optional(
    kinds.flag,
    'Whether the last payment is larger by agreement. Default: false.',
  ),
  payment_day: optional(
    kinds.wholeNumber(1, 31),
    'The day of the month on which installments are due. Default: that of `first_payment_date`.',
  ),
  origination_date: required(kinds.date, 'When the loan was made.'),
  first_payment_date: optional(
    kinds.date,
    'The first due date as agreed. Default: one period after `origination_date`.',
  ),
} as const;

const balances = {
  status: required(
    kinds.choice(LOAN_STATUSES),
    '`active`, `paid_off` or `charged_off`. `approved` and `pending` loans continue here.',
  ),
  current_principal_balance: required(
    kinds.money,
    'The principal owed now. 0.00 for a loan that is paid off.',
  ),
  has_capitalization: optional(
    kinds.flag,
    'Interest or fees were added to the principal, so that the balance may be above `principal_amount`. Default: false.',
  ),
  accrued_interest: optional(
    kinds.money,
    'Unpaid interest now. Default: calculated from `paid_through_date`.',
  ),
  outstanding_fees: optional(kinds.money, 'Unpaid fees now. Default: 0.00.'),
  suspense_balance: optional(kinds.money, 'Money received but not applied. Default: 0.00.'),
  paid_through_date: optional(
    kinds.date,
    'The last due date that is paid in full. It decides how late the loan is. Default: the business date, so that nothing is late.',
  ),
  next_due_date: optional(
    kinds.date,
    'The first due date that is not paid in full. Give it instead of `paid_through_date`, if the old system has only this date.',
  ),
  last_payment_date: optional(kinds.date, 'When the borrower last paid.'),
  history_from: optional(
    kinds.date,
    'The first day from which `history.csv` has all transactions of the loan. It is then replayed from this day. Empty: the history is only displayed.',
  ),
  history_opening_principal: optional(
    kinds.money,
    'The principal on `history_from`, before its transactions. Required if that is after the origination. `interest_rate` and `payment_amount` are then those of that day.',
  ),
  history_opening_interest: optional(kinds.money, 'Unpaid interest on that day. Default: 0.00.'),
  history_opening_fees: optional(kinds.money, 'Unpaid fees on that day. Default: 0.00.'),
  history_opening_paid_through_date: optional(
    kinds.date,
    'All installments due on or before this day were paid on that day. Default: that day.',
  ),
} as const;

const losses = {
  charge_off_date: optional(kinds.date, 'Default: the business date, if charged off.'),
  charge_off_amount: optional(
    kinds.money,
    'The charged-off amount that is still owed. Default: the principal balance.',
  ),
  charge_off_reason: optional(kinds.choice(CHARGE_OFF_REASONS), 'Default: `delinquency`.'),
  recovered_amount: optional(
    kinds.money,
    'Recovered after the charge-off. Kept with the loan for information. Default: 0.00.',
  ),
} as const;

/** What the previous servicer counted and reported to the credit bureaus. */
const reported = {
  first_delinquency_date: optional(
    kinds.date,
    'The date of first delinquency that was reported. Without it, a charged-off loan, or one that is 30 days past due, is not reported to credit bureaus, and a task asks for it.',
  ),
  payment_history_profile: optional(
    code(/^[0-6BDEGHJKLZ]{24}$/, 'Must be the 24 marks of Metro 2, the newest month first.'),
    'The 24 marks of Metro 2, the newest month first.',
  ),
  times_delinquent_30: times(30),
  times_delinquent_60: times(60),
  times_delinquent_90: times(90),
  credit_last_reported_date: optional(
    kinds.date,
    'The date of account information last reported. Kept for information.',
  ),
  credit_account_status: optional(
    code(/^(05|1[13]|6[1-5]|7[18]|8[0-489]|9[3-7]|D[AF])$/, 'Must be a Metro 2 account status.'),
    'The Metro 2 account status last reported, such as 11. Kept for information.',
  ),
  credit_payment_rating: optional(
    code(/^[0-6GL]$/, 'Must be a Metro 2 payment rating.'),
    'The Metro 2 payment rating last reported. Kept for information.',
  ),
  credit_special_comment: optional(
    code(/^[A-Z]{1,2}$/, 'Must be a Metro 2 special comment.'),
    'The Metro 2 special comment last reported. Kept for information.',
  ),
  credit_compliance_condition: optional(
    code(/^X[A-JR]$/, 'Must be a Metro 2 compliance condition code.'),
    'The Metro 2 compliance condition code last reported. Kept for information.',
  ),
  credit_consumer_information: optional(
    code(/^[0-9]?[A-Z]$/, 'Must be a Metro 2 consumer information indicator.'),
    'The Metro 2 consumer information indicator last reported. Kept for information.',
  ),
} as const;

export const loans = bookFile(
  'A loan with its terms and its balances.',
  {
    loan_number: required(kinds.line(50), 'The number of the loan. Must be new.'),
    external_id: optional(kinds.textOf(externalId), 'The id of the loan in another system.'),
    borrower_external_id: required(
      borrowerId,
      'The primary borrower. A borrower that the tenant already has is used and not changed.',
      { refers_to: 'borrowers' },
    ),
    ...shortBorrower,
    ...terms,
    ...balances,
    ...losses,
    ...reported,
    portfolio_code: optional(kinds.line(), 'The name of an active static portfolio.'),
    investor_code: optional(
      kinds.line(),
      'The external id, or the name, of the investor who owns the whole loan.',
    ),
    officer_email: optional(
      kinds.textOf(emailAddress),
      'The email address of the user who is responsible for the loan.',
    ),
    labels: optional(kinds.list(loanLabel, 50), 'Your labels, separated by `|`.'),
    purpose: optional(kinds.words, "The borrower's purpose, for your information."),
    source_status: optional(kinds.line(), 'The status in the old system, for your information.'),
    paid_total: optional(kinds.money, 'Paid so far in total, to reconcile.'),
    paid_principal: optional(kinds.money, 'Principal paid so far, to reconcile.'),
    paid_interest: optional(kinds.money, 'Interest paid so far, to reconcile.'),
    paid_late_fees: optional(kinds.money, 'Late fees paid so far, to reconcile.'),
    days_past_due_range: optional(
      daysRange,
      'How late the loan is in the old system, such as `31-120`, `121+` or `0`. Used to reconcile, not to board.',
    ),
    metadata: optional(kinds.json(jsonObject), 'Your own data about the loan, as JSON.'),
  },
  { key: ['loan_number'] },
);

export const co_borrowers = bookFile(
  'A person who owes a loan together with its borrower.',
  {
    loan_number: loanNumber,
    borrower_external_id: required(borrowerId, 'The person, as in `borrowers.csv`.', {
      refers_to: 'borrowers',
    }),
    role: required(
      kinds.choice(CO_BORROWER_ROLES),
      '`co_borrower` received the money too. The others only answer for the debt.',
    ),
    liable_from: optional(kinds.date, 'The first day of liability. Default: the origination.'),
  },
  { key: ['loan_number', 'borrower_external_id'] },
);

export const figures = bookFile(
  'What the old system said about a loan at the end of a day. Used to reconcile, not to board.',
  {
    loan_number: loanNumber,
    as_of_date: required(kinds.date, 'The day.'),
    principal: optional(kinds.money, 'The principal owed.'),
    interest: optional(kinds.money, 'Unpaid interest.'),
    fees: optional(kinds.money, 'Unpaid fees.'),
    days_past_due: optional(kinds.wholeNumber(0, 36_500), 'Days past due.'),
    days_past_due_range: optional(
      daysRange,
      'The days past due as a range, such as `31-120`, `121+` or `0`.',
    ),
    next_due_date: optional(kinds.date, 'The first due date that is not paid in full.'),
    next_payment_amount: optional(kinds.money, 'The amount of the next bill.'),
    payoff_amount: optional(kinds.money, 'The amount that repays the loan on this day.'),
    installment: optional(kinds.money, 'The installment. Compared while something is owed.'),
    charged_off: optional(kinds.money, 'What is still owed after the charge-off.'),
    paid_principal: optional(kinds.money, 'The principal paid since the loan was made.'),
    paid_interest: optional(kinds.money, 'The interest paid since then.'),
    paid_fees: optional(kinds.money, 'The fees paid since then.'),
    paid_total: optional(kinds.money, 'All payments since then, with recoveries.'),
    last_payment_date: optional(kinds.date, 'The date of the last payment.'),
    status: optional(kinds.choice(LOAN_STATUSES), 'The status.'),
  },
  { key: ['loan_number', 'as_of_date'] },
);
