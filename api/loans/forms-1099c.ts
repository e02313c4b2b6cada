import { z } from 'zod';
import { EVENT_CODES } from '../../jobs/loans/outcomes/form-1099c.ts';
import {
  add1099C,
  change1099C,
  FORM_STATUSES,
  void1099C,
} from '../../jobs/loans/reporting/forms-1099c.ts';
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
    form_number: text.readonly().describe('The number of the form.'),
    tax_year: integer
      .min(1980)
      .max(2200)
      .nullish()
      .describe('The calendar year. Default: the current one.'),
    status: z
      .enum(FORM_STATUSES)
      .default('generated')
      .describe(
        'A new form is `generated`. Later changes: `draft` to `generated`, then `furnished` to the debtor and `filed` with the IRS, or `void`. The server sets `corrected`.',
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
    debtor_name: text.readonly().describe('The name of the borrower.'),
    debtor_tin_last_four: text
      .readonly()
      .describe("The last four digits of the borrower's taxpayer number."),
    debtor_address: prose.readonly().describe('The address of the borrower.'),
    account_number: text.readonly().describe("The loan's number."),
    identifiable_event_date: date
      .nullish()
      .describe(
        'Box 1. Default: when the principal was forgiven or charged off, otherwise the business date.',
      ),
    amount_discharged: money
      .nullish()
      .describe('Box 2. Default: the forgiven principal, otherwise the charge-off amount.'),
    interest_included: money.nullish().describe('Box 3: the interest in box 2. Default: 0.00.'),
    debt_description: freeText.nullish().describe("Box 4. Default: the loan's number."),
    personally_liable: flag
      .default(true)
      .describe('Box 5: whether the debtor was personally liable.'),
    identifiable_event_code: z
      .enum(EVENT_CODES)
      .nullish()
      .describe(
        'Box 6: A bankruptcy, B other judicial relief, C statute of limitations, D foreclosure election, E probate, F by agreement, G decision to stop collection, H other. Default: follows from the forgiveness or the charge-off reason.',
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
    ...(['loan_id', 'tax_year', 'identifiable_event_date', 'amount_discharged'] as const),
    ...(['interest_included', 'debt_description', 'personally_liable'] as const),
    ...(['identifiable_event_code', 'fair_market_value', 'principal_forgiven'] as const),
  ],
  filters: ['loan_id', 'tax_year', 'status', 'identifiable_event_code'],

  example: () => ({ amount_discharged: '700.00' }),
  create: add1099C,
  update: change1099C,
  remove: void1099C,
});
