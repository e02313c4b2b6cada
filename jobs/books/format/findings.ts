import { z } from 'zod';

export type Severity = 'error' | 'warning';

/**
 * What a check can find, with its default severity. A request can make each warning an error, or accept it. Errors
 * cannot be accepted: such a record cannot be stored.
 */
export const FINDING_CODES = {
  unreadable_file: {
    severity: 'error',
    about: 'The file is damaged, not text, or not of a kind that a book has.',
  },
  unknown_file: { severity: 'error', about: 'The file is not part of a book or of the mapping.' },
  missing_file: { severity: 'error', about: 'The book lacks a file that it needs.' },
  encoding_guessed: {
    severity: 'warning',
    about: 'The file is not UTF-8. It was read in another encoding, so check names with accents.',
  },
  lines_skipped: { severity: 'warning', about: 'Lines before the header line were skipped.' },
  totals_line: { severity: 'warning', about: 'A line with totals at the end was skipped.' },
  no_loans: { severity: 'error', about: 'The book has no loans.' },
  unknown_column: { severity: 'error', about: 'The column is not part of the book format.' },
  missing_column: { severity: 'error', about: 'A required column is missing.' },
  duplicate_column: { severity: 'error', about: 'Two columns have the same name.' },
  field_count: { severity: 'error', about: 'The line has more or fewer fields than the header.' },
  missing_value: { severity: 'error', about: 'A required field is empty.' },
  invalid_value: { severity: 'error', about: 'A field does not hold what its column needs.' },
  date_format_unknown: {
    severity: 'error',
    about: 'The dates of a column are written in a form that the mapping does not state.',
  },
  contradiction: { severity: 'error', about: 'Fields of one record contradict each other.' },
  too_many_rows: { severity: 'error', about: 'A loan has more rows than can be compared.' },
  duplicate_key: { severity: 'error', about: 'Two records have the same id.' },
  borrower_differs: {
    severity: 'error',
    about: 'Two lines describe the borrower with one id differently.',
  },
  unknown_reference: {
    severity: 'error',
    about: 'A record names another one that does not exist.',
  },
  unknown_reversal: {
    severity: 'error',
    about: 'A transaction undoes one that the history does not have.',
  },
  loan_exists: { severity: 'error', about: 'A loan with this number exists here already.' },
  borrower_archived: { severity: 'error', about: 'The borrower with this id is archived here.' },
  borrower_name_differs: {
    severity: 'error',
    about: 'The borrower with this id has another name here.',
  },
  refused: {
    severity: 'error',
    about: 'A rule of this platform, of the product or of the tenant does not allow the value.',
  },
  history_differs: {
    severity: 'error',
    about:
      'A replayed history leaves another balance than the line of the loan states. A warning if differences are accepted (`accept_difference`).',
  },
  missing_document: { severity: 'error', about: 'The book lacks the file of a document.' },
  unlisted_document: {
    severity: 'warning',
    about: 'A file in the folder of documents is not in their list. It is not imported.',
  },
  duplicate_borrower: {
    severity: 'warning',
    about: 'Two borrowers have the same social security number, or the same name and birthday.',
  },
  rate_looks_like_percent: {
    severity: 'warning',
    about: 'The rate is above 50 percent a year. It is probably not a fraction.',
  },
  rate_looks_like_fraction: {
    severity: 'warning',
    about: 'The rate is below 0.1 percent a year. It was probably divided by 100 twice.',
  },
  payment_below_interest: {
    severity: 'warning',
    about: 'The installment does not cover the interest of its period.',
  },
  does_not_amortize: {
    severity: 'warning',
    about: 'The installments leave more than two of them for the final payment.',
  },
  payment_off_terms: {
    severity: 'warning',
    about:
      'The installment is more than 5 percent away from the one that follows from amount, rate and term, and also from the one for the balance and the remaining term.',
  },
  maturity_long_past: {
    severity: 'warning',
    about: 'The last installment of an active loan was due more than six months ago.',
  },
  balance_above_amount: {
    severity: 'warning',
    about: 'More principal is owed than was lent, as after a capitalization.',
  },
  first_delinquency_missing: {
    severity: 'warning',
    about:
      'A loan that is charged off, or 30 days past due, has no date of first delinquency. It is not reported to credit bureaus until you give it.',
  },
  account_of_another_borrower: {
    severity: 'warning',
    about:
      'Autopay, a payment plan or a scheduled payment names an account of another person than the one who pays, or of a person who does not owe the loan. The draw is left out.',
  },
  account_not_usable: {
    severity: 'warning',
    about:
      'Autopay, a payment plan or a scheduled payment names an account that cannot be drawn on. The draw is left out.',
  },
  payment_in_past: {
    severity: 'warning',
    about:
      'A payment was scheduled for a day before the business date, so the exporting system has drawn it. It is left out.',
  },
  setting_differs: {
    severity: 'warning',
    about:
      'A setting on which figures depend is another one here than where the book was exported. Set it before you confirm.',
  },
  suspense_left_out: {
    severity: 'warning',
    about: 'Money in suspense is boarded with a replayed history only. It is left out.',
  },
  unknown_officer: {
    severity: 'warning',
    about: 'No active user with this address may service loans. The loan gets no officer.',
  },
  loan_not_owed: {
    severity: 'warning',
    about: 'The co-borrower of a loan that is paid off is left out.',
  },
  paid_through_missing: {
    severity: 'warning',
    about:
      'An active loan has no paid-through date, next due date or unpaid interest. It is boarded as paid through the business date.',
  },
  charge_off_date_missing: {
    severity: 'warning',
    about: 'A loan that is charged off has no charge-off date. The business date becomes its date.',
  },
  interest_counted_otherwise: {
    severity: 'warning',
    about:
      'The stated interest of most loans follows another day count than that of their product, or includes the day itself.',
  },
  due_date_off_schedule: {
    severity: 'warning',
    about: 'A due date is not one of the due dates that follow from the terms.',
  },
} as const satisfies Record<string, { severity: Severity; about: string }>;

/** Warnings about what could not be stored while the loans were boarded. No check can foresee them. */
export const BOARDING_CODES = {
  document_not_stored: 'A document was refused, or the command has no document store.',
  ledger_differs: 'The loans differ from `ledger.csv` on an account. The loans count.',
  second_autopay: 'The loan has an autopay plan already. The second one is left out.',
  same_borrower: 'The co-borrower is the borrower of the loan. The line is left out.',
} as const;

export type FindingCode = keyof typeof FINDING_CODES;

export type WarningCode = {
  [Code in FindingCode]: (typeof FINDING_CODES)[Code]['severity'] extends 'warning' ? Code : never;
}[FindingCode];

export const WARNING_CODES = (Object.keys(FINDING_CODES) as FindingCode[]).filter(
  (code): code is WarningCode => FINDING_CODES[code].severity === 'warning',
);

/** One mistake or doubt, by file, line and column. The reason never shows a personal number. */
export type Finding = {
  file: string;
  /** 1 for the first line of the file; also for a finding about the whole file. */
  line: number;
  /** The name of the column in the file. Null: the whole line or file. */
  column: string | null;
  code: FindingCode;
  severity: Severity;
  reason: string;
};

/** How to treat warnings: `error` refuses the book, `accepted` leaves them out. */
export const WarningSwitches = z.partialRecord(
  z.enum(WARNING_CODES),
  z.enum(['error', 'warning', 'accepted']),
);
export type WarningSwitches = z.output<typeof WarningSwitches>;

/** The finding as the switches ask for it, or null if it is accepted. */
export function applySwitches(finding: Finding, switches: WarningSwitches): Finding | null {
  if (finding.severity === 'error') return finding;
  const severity = switches[finding.code as WarningCode] ?? 'warning';
  return severity === 'accepted' ? null : { ...finding, severity };
}
