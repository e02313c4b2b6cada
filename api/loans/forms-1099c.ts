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
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    form_number: text.readonly(),
    tax_year: integer.min(1980).max(2200).nullish(),
    status: z.enum(FORM_STATUSES).default('generated'),
    is_corrected: flag.readonly(),
    corrects_form_id: uuid.nullable().readonly(),
    was_sent: flag
      .readonly()
      .describe('The debtor or the IRS has this form, or one that it corrects.'),
    source: z.enum(['manual', 'system']).readonly(),
    creditor_name: text.readonly(),
    creditor_tin_last_four: text.readonly(),
    creditor_address: text.readonly(),
    creditor_phone: text.nullable().readonly(),
    debtor_name: text.readonly(),
    debtor_tin_last_four: text.readonly(),
    debtor_address: prose.readonly(),
    account_number: text.readonly().describe("The loan's number."),
    identifiable_event_date: date.nullish(),
    amount_discharged: money.nullish(),
    interest_included: money.nullish(),
    debt_description: freeText.nullish(),
    personally_liable: flag.default(true),
    identifiable_event_code: z.enum(EVENT_CODES).nullish(),
    fair_market_value: money.nullish(),
    notes: prose.nullish(),
    document_id: uuid.nullable().readonly(),
    document_status: z.string().nullable().readonly(),
    document_failure_reason: z.string().nullable().readonly(),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  writeOnly: { principal_forgiven: positiveMoney.nullish() },
  fixed: [
    ...(['loan_id', 'tax_year', 'identifiable_event_date', 'amount_discharged'] as const),
    ...(['interest_included', 'debt_description', 'personally_liable'] as const),
    ...(['identifiable_event_code', 'fair_market_value'] as const),
  ],
  filters: ['loan_id', 'tax_year', 'status', 'identifiable_event_code'],

  example: () => ({ amount_discharged: '700.00' }),
  create: add1099C,
  update: change1099C,
  remove: void1099C,
});
