import { z } from 'zod';
import { BUREAUS } from '../../jobs/loans/reporting/report-credit.job.ts';
import { creditReportingRecords as table } from '../../sql/loans/credit-reporting.ts';
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
    reporting_period: date.readonly(),
    bureaus: z.array(z.enum(BUREAUS)).readonly(),
    consumer_account_number: readonlyText,
    portfolio_type: readonlyText,
    account_type: readonlyText,
    date_opened: date.readonly(),
    date_closed: nullableDate,
    date_last_payment: nullableDate,
    date_first_delinquency: nullableDate,
    credit_limit: integer.nullable().readonly(),
    highest_credit: wholeDollars,
    original_charge_off_amount: integer.nullable().readonly(),
    terms_duration: readonlyText,
    terms_frequency: readonlyText,
    scheduled_monthly_payment: wholeDollars,
    actual_payment_amount: wholeDollars,
    current_balance: wholeDollars,
    amount_past_due: wholeDollars,
    account_status: readonlyText,
    payment_rating: nullableText,
    payment_history_profile: readonlyText.describe('24 months, the newest first.'),
    special_comment: nullableText,
    compliance_condition_code: nullableText,
    consumer_information_indicator: nullableText,
    ecoa_code: readonlyText,
    interest_type_indicator: readonlyText,
    consumer: z.record(z.string(), z.string().nullable()).readonly(),
    co_consumers: z
      .array(z.record(z.string(), z.string().nullable()))
      .readonly()
      .describe('Co-borrowers, each with their own ECOA code.'),
    status: z.enum(['draft', 'queued', 'reported', 'rejected', 'suppressed']).readonly(),
    rejection_reason: nullableText,
    suppression_reason: nullableText,
    file_id: uuid.nullable().readonly(),
    reported_at: timestamp.nullable().readonly(),
    correction_indicator: integer.readonly(),
    credit_dispute_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['loan_id', 'reporting_period', 'account_status', 'status', 'correction_indicator'],
});
