import { z } from 'zod';
import { BUREAUS } from '../../jobs/loans/reporting/report-credit.job.ts';
import { creditReportingRecords as table } from '../../sql/loans/credit-reporting.ts';
import { date, integer, timestamps, text, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const words = text.readonly();
const maybe = text.nullable().readonly();
const day = date.nullable().readonly();
const dollars = integer.readonly().describe('Whole dollars.');

/** The monthly data reported to the bureaus for a loan, with the field names of Metro 2. */
export const creditReporting = resource({
  name: 'CreditReportingRecord',
  path: 'credit-reporting-records',
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
    consumer_account_number: words,
    portfolio_type: words,
    account_type: words,
    date_opened: date.readonly(),
    date_closed: day,
    date_last_payment: day,
    date_first_delinquency: day,
    credit_limit: integer.nullable().readonly(),
    highest_credit: dollars,
    original_charge_off_amount: integer.nullable().readonly(),
    terms_duration: words,
    terms_frequency: words,
    scheduled_monthly_payment: dollars,
    actual_payment_amount: dollars,
    current_balance: dollars,
    amount_past_due: dollars,
    account_status: words,
    payment_rating: maybe,
    payment_history_profile: words.describe('24 months, the newest first.'),
    special_comment: maybe,
    compliance_condition_code: maybe,
    consumer_information_indicator: maybe,
    ecoa_code: words,
    interest_type_indicator: words,
    consumer: z.record(z.string(), z.string().nullable()).readonly(),
    co_consumers: z
      .array(z.record(z.string(), z.string().nullable()))
      .readonly()
      .describe('Co-borrowers, each with their own ECOA code.'),
    status: z.enum(['draft', 'queued', 'reported', 'rejected', 'suppressed']).readonly(),
    rejection_reason: maybe,
    suppression_reason: maybe,
    file_id: uuid.nullable().readonly(),
    reported_at: timestamp.nullable().readonly(),
    correction_indicator: integer.readonly(),
    credit_dispute_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  filters: ['loan_id', 'reporting_period', 'account_status', 'status', 'correction_indicator'],
});
