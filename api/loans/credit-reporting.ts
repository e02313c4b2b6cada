import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { BUREAUS } from '../../jobs/loans/reporting/bureaus.ts';
import { creditReportingRecords as table } from '../../sql/loans/reporting/credit-reporting.ts';
import { date, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const readonlyText = text.readonly();
const nullableText = text.nullable().readonly();
const nullableDate = date.nullable().readonly();
const wholeDollars = integer.readonly().describe('Whole dollars.');

/** The monthly data reported to the bureaus for a loan, with the field names of Metro 2. */
export const creditReporting = resource({
  name: 'CreditReportingRecord',
  path: 'credit-reporting-records',
  about:
    'What is reported to the credit bureaus about a loan for a month, with the field names of Metro 2.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: [],
  sort: { field: 'reporting_period', descending: true },

  fields: {
    id: uuid.readonly(),
    loan_id: uuid.readonly(),
    reporting_period: date.readonly().describe('The last day of the month.'),
    bureaus: z.array(z.enum(BUREAUS)).readonly().describe('The bureaus that receive it.'),
    consumer_account_number: readonlyText.describe("Field 7: the loan's number."),
    portfolio_type: readonlyText.describe('Field 8.'),
    account_type: readonlyText.describe('Field 9.'),
    date_opened: date.readonly().describe('Field 10.'),
    date_closed: nullableDate.describe('Field 26: when the account was closed.'),
    date_of_account_information: date
      .readonly()
      .describe(
        'Field 24: when the account was paid or transferred; otherwise the end of the month.',
      ),
    date_last_payment: nullableDate.describe('Field 27.'),
    date_first_delinquency: nullableDate.describe(
      'Field 25: the due date of the first installment that became 30 days past due and led to the status. For a paid-as-agreed loan in bankruptcy, the date of the petition.',
    ),
    credit_limit: integer
      .nullable()
      .readonly()
      .describe('Field 11, in whole dollars, for a line of credit.'),
    highest_credit: integer
      .readonly()
      .describe(
        'Field 12, in whole dollars: the amount lent. For a line, the highest balance used.',
      ),
    original_charge_off_amount: integer
      .nullable()
      .readonly()
      .describe('Field 23, in whole dollars, for a charge-off.'),
    terms_duration: readonlyText.describe('Field 13: the term in months, or a code.'),
    terms_frequency: readonlyText.describe('Field 14: how often payments are due.'),
    scheduled_monthly_payment: wholeDollars,
    actual_payment_amount: wholeDollars,
    current_balance: wholeDollars,
    amount_past_due: wholeDollars,
    account_status: readonlyText.describe(
      'Field 17A: 11 current, 71 to 84 past due, 97 charged off, 96 repossessed, 95 surrendered, 94 foreclosed, 89 deed in lieu. Paid: 13; after a charge-off 64, a repossession 63, a surrender 61, a foreclosure 65.',
    ),
    payment_rating: nullableText.describe('Field 17B: the rating before the account was closed.'),
    payment_history_profile: readonlyText.describe('24 months, the newest first.'),
    special_comment: nullableText.describe(
      'Field 19: AU settled, AW disaster, CP forbearance, O or AT transferred.',
    ),
    compliance_condition_code: nullableText.describe(
      'Field 20: whether the consumer disputes the account.',
    ),
    consumer_information_indicator: derivedFrom(
      nullableText.describe('Field 38: the chapter of a bankruptcy.'),
      'cases.facts',
    ),
    ecoa_code: derivedFrom(
      readonlyText.describe('Field 37: how the consumer is associated with the account.'),
      'cases.facts',
    ),
    interest_type_indicator: readonlyText.describe('F: a fixed rate.'),
    consumer: z
      .record(z.string(), z.string().nullable())
      .readonly()
      .describe(
        'The person and the address, as reported. The file adds the social security number; answers never contain it.',
      ),
    co_consumers: z
      .array(z.record(z.string(), z.string().nullable()))
      .readonly()
      .describe('Co-borrowers, each with their own ECOA code.'),
    status: z
      .enum(['draft', 'queued', 'reported', 'rejected', 'suppressed'])
      .readonly()
      .describe(
        '`queued` for the next file, `draft` while reporting is off, `reported` in a file, or `suppressed` with a reason.',
      ),
    rejection_reason: nullableText.describe('Why a bureau rejected it.'),
    suppression_reason: derivedFrom(nullableText, 'cases.facts').describe(
      'Why it is not reported.',
    ),
    file_id: uuid.nullable().readonly().describe('The file that contains it.'),
    reported_at: timestamp.nullable().readonly().describe('When it was put into a file.'),
    identification_number: nullableText.describe(
      'Field 5: the identification number under which it was sent. Null until it is in a file.',
    ),
    correction_indicator: integer
      .readonly()
      .describe('1 if it corrects an earlier record, otherwise 0.'),
    credit_dispute_id: uuid
      .nullable()
      .readonly()
      .describe('The dispute that led to the correction.'),
    ...timestamps,
  },
  filters: ['loan_id', 'reporting_period', 'account_status', 'status', 'correction_indicator'],
});
