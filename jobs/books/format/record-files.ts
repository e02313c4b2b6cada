import { PRIORITIES } from '../../../sql/borrowers/tasks.ts';
import { VALUATION_TYPES } from '../../../sql/collateral/valuations.ts';
import { jsonObject } from '../../../sql/types.ts';
import { CASE_STATUSES, CASE_TYPES } from '../../cases/cases.ts';
import { LIEN_STATUSES, LIEN_TYPES } from '../../collateral/lien.ts';
import { COLLATERAL_STATUSES, valuationConfidence } from '../../collateral/item.ts';
import { COLLATERAL_TYPES } from '../../collateral/metadata.ts';
import { POSSESSIONS } from '../../collateral/possession.ts';
import { DOCUMENT_TYPES } from '../../documents/types.ts';
import {
  GRACE_DAYS_MAX,
  PROMISE_CHANNELS,
  PROMISE_METHODS,
  PROMISE_STATUSES,
} from '../../loans/workouts/promises-to-pay.ts';
import { AUTOPAY_AMOUNT_TYPES, EXTRA_TOWARD } from '../../payments/autopay/autopay-terms.ts';
import { borrowerId } from './borrower-files.ts';
import { bookFile, optional, required } from './columns.ts';
import * as kinds from './kinds.ts';
import { loanNumber } from './loan-files.ts';

const loanIfAny = optional(kinds.line(50), 'The loan that it is about, if it is about one.', {
  refers_to: 'loans',
});
const borrowerOf = (meaning: string) => optional(borrowerId, meaning, { refers_to: 'borrowers' });
const collateralId = kinds.line(100);
const collateralItem = required(collateralId, 'The item, as in `collateral.csv`.', {
  refers_to: 'collateral',
});
const bankAccount = kinds.line(100);
const metadata = kinds.json(jsonObject);

export const autopay = bookFile(
  "An authorization to draw a loan's payments from a bank account.",
  {
    loan_number: loanNumber,
    borrower_external_id: borrowerOf('Who authorized it. Default: the borrower of the loan.'),
    bank_account_id: required(bankAccount, 'The account, as in `bank_accounts.csv`.', {
      refers_to: 'bank_accounts',
    }),
    backup_bank_account_id: optional(bankAccount, 'The account for retries. Default: the same.', {
      refers_to: 'bank_accounts',
    }),
    amount_type: optional(kinds.choice(AUTOPAY_AMOUNT_TYPES), 'Default: `minimum_due`.'),
    fixed_amount: optional(kinds.positiveMoney, 'The amount of each draw, for `fixed`.'),
    extra_amount: optional(
      kinds.positiveMoney,
      'The amount above the installment, for `minimum_due_plus`.',
    ),
    extra_toward: optional(kinds.choice(EXTRA_TOWARD), 'What it pays. Default: `principal`.'),
    start_date: optional(kinds.date, 'The first due date to draw for. Default: the business date.'),
    end_date: optional(kinds.date, 'The last due date to draw for. Default: no end.'),
    frequency: optional(
      kinds.choice(['monthly', 'biweekly', 'semi_monthly', 'weekly', 'on_due_date']),
      'Default: `on_due_date`.',
    ),
    days_before_due: optional(kinds.wholeNumber(0, 30), 'Days before the due date. Default: 0.'),
    day_of_month: optional(
      kinds.wholeNumber(1, 31),
      'The day of the draw, for `monthly` and `semi_monthly`.',
    ),
    status: optional(kinds.choice(['active', 'paused']), 'Default: `active`.'),
    retry_count: optional(kinds.wholeNumber(0, 2), 'Retries of a returned draw. Default: 2.'),
    retry_interval_days: optional(kinds.wholeNumber(1, 30), 'Days to the next try. Default: 3.'),
    is_enabled: optional(kinds.flag, 'False stops the draws until you enable them. Default: true.'),
    drawn_through: optional(
      kinds.date,
      'The last due date for which you have drawn. Due dates before the business date count as drawn anyway.',
    ),
    consecutive_failures: optional(
      kinds.wholeNumber(0, 100),
      'How many draws in a row were returned. Default: 0.',
    ),
    authorized_at: optional(
      kinds.timestamp,
      'When the borrower authorized it, for the consent. Without it, no consent is recorded.',
    ),
  },
  { key: ['loan_number', 'bank_account_id'] },
);

export const collateral = bookFile(
  'Property that secures a loan.',
  {
    collateral_id: required(collateralId, 'Your id of the item. Other files name it.'),
    loan_number: loanNumber,
    collateral_type: required(kinds.choice(COLLATERAL_TYPES), 'The kind of collateral.'),
    description: optional(kinds.prose, 'What it is.'),
    estimated_value: optional(kinds.money, 'The value.'),
    status: optional(kinds.choice(COLLATERAL_STATUSES), 'Default: `active`.'),
    possession: optional(kinds.choice(POSSESSIONS), 'How you took it, for credit bureaus.'),
    possession_date: optional(kinds.date, 'When you took it.'),
    metadata: optional(metadata, 'Details as JSON, such as make, model, year and vin.'),
  },
  { key: ['collateral_id'] },
);

export const liens = bookFile('A right in an item of collateral.', {
  collateral_id: collateralItem,
  lien_type: required(kinds.choice(LIEN_TYPES), 'The kind of lien.'),
  filing_number: optional(kinds.line(), 'The number of the filing.'),
  filing_date: optional(kinds.date, 'When it was filed.'),
  expiration_date: optional(kinds.date, 'When it lapses. Default for a UCC-1: after five years.'),
  filing_jurisdiction: optional(kinds.line(), 'Where it was filed.'),
  lien_position: optional(kinds.wholeNumber(1, 100), 'The rank. Default: 1.'),
  status: optional(kinds.choice(LIEN_STATUSES), 'Default: `active`.'),
});

export const insurance = bookFile('The insurance of an item of collateral.', {
  collateral_id: collateralItem,
  insured_until: required(kinds.date, 'The last day of the insurance.'),
  insurer: optional(kinds.line(), 'The insurance company.'),
  policy_number: optional(kinds.line(100), 'The number of the policy.'),
});

export const valuations = bookFile('A value of an item of collateral on a day.', {
  collateral_id: collateralItem,
  valuation_type: required(kinds.choice(VALUATION_TYPES), 'How it was found.'),
  valuation_date: required(kinds.date, 'The day of the valuation.'),
  effective_date: optional(kinds.date, 'The first day on which it counts. Default: that day.'),
  appraised_value: required(kinds.money, 'The value.'),
  appraiser_name: optional(kinds.line(), 'Who made the valuation.'),
  confidence: optional(kinds.textOf(valuationConfidence), 'How certain it is, from `0` to `1`.'),
  notes: optional(kinds.prose, 'Your notes.'),
});

export const promises = bookFile("A borrower's promise to pay.", {
  loan_number: loanNumber,
  promised_on: optional(kinds.date, 'When it was given. Default: the business date.'),
  promised_amount: required(kinds.positiveMoney, 'The total that was promised.'),
  promised_date: required(kinds.date, 'The day by which it will be paid.'),
  payment_method: optional(kinds.choice(PROMISE_METHODS), 'How the borrower intends to pay.'),
  channel: optional(kinds.choice(PROMISE_CHANNELS), 'How the promise was given. Default: `phone`.'),
  contact_note: optional(kinds.prose, 'Notes about the conversation.'),
  grace_days: optional(
    kinds.wholeNumber(0, GRACE_DAYS_MAX),
    'Days after `promised_date`. Default: 2.',
  ),
  status: optional(kinds.choice(PROMISE_STATUSES), 'Default: `pending`.'),
});

export const notes = bookFile('A note of your staff about a borrower or a loan.', {
  borrower_external_id: borrowerOf('The borrower. Default: the borrower of the loan.'),
  loan_number: loanIfAny,
  written_at: optional(kinds.timestamp, 'When it was written. Default: the import.'),
  author: optional(kinds.line(), 'Who wrote it.'),
  subject: optional(kinds.words, 'A heading.'),
  body: required(kinds.prose, 'The text.'),
  category: optional(
    kinds.choice(['general', 'call', 'collections', 'legal', 'servicing', 'complaint']),
    'Default: `general`.',
  ),
  visibility: optional(kinds.choice(['internal', 'borrower']), 'Default: `internal`.'),
  is_pinned: optional(kinds.flag, 'Whether it is shown first. Default: false.'),
});

export const cases = bookFile(
  'An open case, such as a dispute, a bankruptcy or active duty.',
  {
    case_id: required(kinds.line(100), 'Your id of the case.'),
    borrower_external_id: required(borrowerId, 'The borrower, as in `borrowers.csv`.', {
      refers_to: 'borrowers',
    }),
    loan_number: loanIfAny,
    case_type: required(kinds.choice(CASE_TYPES), 'The kind of case.'),
    status: optional(kinds.choice(CASE_STATUSES), 'Default: `open`.'),
    priority: optional(kinds.choice(PRIORITIES), 'Default: `normal`.'),
    subject: required(kinds.words, 'A heading.'),
    description: optional(kinds.prose, 'What the case is about. Default: the subject.'),
    facts: optional(
      metadata,
      'The dated facts of a case with legal effect as JSON, as in the guide about cases. Loans and borrowers are named by `loan_number` and `borrower_external_id`.',
    ),
    opened_at: optional(kinds.timestamp, 'When it was opened. Default: the import.'),
    resolution: optional(kinds.prose, 'Required for a case that is `resolved` or `closed`.'),
    is_visible_to_borrower: optional(kinds.flag, 'Whether the portal shows it. Default: false.'),
  },
  { key: ['case_id'] },
);

export const documents = bookFile(
  'A document, whose file is in the folder `documents` of the book.',
  {
    file: required(kinds.line(500), 'The path below `documents/`, such as `L-1001/contract.pdf`.'),
    loan_number: loanIfAny,
    borrower_external_id: borrowerOf('The borrower. Default: the borrower of the loan.'),
    document_type: required(kinds.choice(DOCUMENT_TYPES), 'What it is.'),
    filename: optional(kinds.line(), 'The name that people see. Default: that of the file.'),
    dated: optional(kinds.date, 'When the document was made.'),
    is_visible_to_borrower: optional(kinds.flag, 'Whether the portal shows it. Default: false.'),
    sha256: optional(kinds.sha256, 'The SHA-256 hash of the file, to check that it is complete.'),
    metadata: optional(metadata, 'Your own data about the document, as JSON.'),
  },
  { key: ['file'] },
);
