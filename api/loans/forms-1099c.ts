import { z } from 'zod';
import {
  EVENT_CODE_LIST,
  EVENT_CODES,
  type EventCode,
} from '../../jobs/loans/outcomes/form-1099c.ts';
import {
  add1099C,
  change1099C,
  FORM_STATUSES,
  void1099C,
  formExists,
  tinMissing,
  correctsSentForm,
} from '../../jobs/loans/reporting/tax-forms/forms-1099c.ts';
import { forms1099c as table } from '../../sql/loans/forms-1099c.ts';
import {
  date,
  flag,
  freeText,
  integer,
  money,
  positiveMoney,
  prose,
  timestamps,
  text,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { immutableConflict } from '../../jobs/loans/history/loan-records.ts';

/** Cancellation of debt, with the boxes of IRS form 1099-C. */
export const forms1099c = resource({
  name: 'Form1099C',
  path: 'forms-1099c',
  about: 'A form 1099-C, which reports canceled debt to the IRS and the borrower.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    borrower_id: uuid
      .nullish()
      .describe(
        'The debtor. Default: the borrower. If the debt was 10,000.00 or more, each co-borrower who owed it on the day of the event also gets a form with the whole amount. Required for the event code A if there are several debtors, because a bankruptcy discharges one.',
      ),
    form_number: text.readonly().describe('The number of the form.'),
    tax_year: integer
      .min(1980)
      .max(2200)
      .nullish()
      .describe('The calendar year of the event. Default: the year of `identifiable_event_date`.'),
    status: z
      .enum(FORM_STATUSES)
      .default('generated')
      .describe(
        'A new form is `generated`, or a `draft` if the taxpayer number of the debtor is missing or the debtor has died. A task then says what to do. Later changes: `draft` to `generated`, then `furnished` to the debtor and `filed` with the IRS, or `void`. The server sets `corrected`.',
      ),
    is_corrected: flag.readonly().describe('Whether it corrects an earlier form.'),
    corrects_form_id: uuid.nullable().readonly().describe('The form that it corrects.'),
    was_sent: flag
      .readonly()
      .describe('The debtor or the IRS has this form, or one that it corrects.'),
    source: z
      .enum(['manual', 'system'])
      .readonly()
      .describe('Whether staff or the system created it.'),
    creditor_name: text.readonly().describe('Your name, from the settings.'),
    creditor_tin_last_four: text
      .readonly()
      .describe('The last four digits of your taxpayer number.'),
    creditor_address: text.readonly().describe('Your address, from the settings.'),
    creditor_phone: text.nullable().readonly().describe('Your phone number, from the settings.'),
    debtor_name: text.readonly().describe('The name of the debtor.'),
    debtor_tin_last_four: text
      .nullable()
      .readonly()
      .describe("The last four digits of the debtor's taxpayer number. Null: it is missing."),
    tin_requested_on: date
      .nullish()
      .describe(
        'When you asked the debtor for a missing taxpayer number. Without the number or this date, a draft cannot be generated (409 `tin_missing`).',
      ),
    debtor_address: prose.readonly().describe('The address of the debtor.'),
    account_number: text.readonly().describe("The loan's number."),
    identifiable_event_date: date
      .nullish()
      .describe('Box 1. Required, unless principal was forgiven or charged off: then that day.'),
    amount_discharged: money
      .nullish()
      .describe('Box 2. Default: the forgiven principal, otherwise the charge-off amount.'),
    interest_included: money.nullish().describe('Box 3: the interest in box 2. Default: 0.00.'),
    debt_description: freeText.nullish().describe("Box 4. Default: the loan's number."),
    personally_liable: flag
      .default(true)
      .describe('Box 5: whether the debtor was personally liable.'),
    identifiable_event_code: z
      .enum(Object.keys(EVENT_CODES) as [EventCode, ...EventCode[]])
      .nullish()
      .describe(
        `Box 6. Required, and never derived from the reason of a charge-off: ${EVENT_CODE_LIST}.`,
      ),
    fair_market_value: money
      .nullish()
      .describe('Box 7: the value of property taken, for a foreclosure or abandonment.'),
    notes: prose.nullish().describe('Your notes. Not printed.'),
    document_id: uuid.nullable().readonly(),
    document_status: z
      .string()
      .nullable()
      .readonly()
      .describe('The state of the copy for the debtor.'),
    document_failure_reason: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the copy could not be made.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  writeOnly: {
    principal_forgiven: positiveMoney
      .nullish()
      .describe('The same as `amount_discharged`, which comes first.'),
  },
  fixed: [
    'borrower_id',
    ...(['loan_id', 'tax_year', 'identifiable_event_date', 'amount_discharged'] as const),
    ...(['interest_included', 'debt_description', 'personally_liable'] as const),
    ...(['identifiable_event_code', 'fair_market_value', 'principal_forgiven'] as const),
  ],
  filters: ['loan_id', 'borrower_id', 'tax_year', 'status', 'identifiable_event_code'],

  example: (today) => ({
    amount_discharged: '700.00',
    identifiable_event_code: 'F',
    identifiable_event_date: today,
  }),
  conflicts: {
    create: () => [formExists({ identifiable_event_code: 'G', tax_year: 2026 })],
    update: () => [immutableConflict('form', 'filed'), tinMissing(), correctsSentForm('void')],
  },
  create: add1099C,
  update: change1099C,
  remove: void1099C,
});
