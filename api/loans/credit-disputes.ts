import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import {
  addDispute,
  changeDispute,
  CORRECTABLE_FIELDS,
} from '../../jobs/loans/reporting/credit-disputes.ts';
import { BUREAUS } from '../../jobs/loans/reporting/report-credit.job.ts';
import { creditDisputes as table } from '../../sql/loans/credit-disputes.ts';
import { maskPersonalNumbers } from '../../sql/personal-numbers.ts';
import {
  date,
  flag,
  jsonObject,
  prose,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const nullableTimestamp = timestamp.nullable().readonly();

/** Metro 2 formats: whole dollars, alphanumeric codes and dates. */
const correctedValues = jsonObject
  .refine(
    (values) => Object.keys(values).every((name) => CORRECTABLE_FIELDS.includes(name)),
    `May name ${CORRECTABLE_FIELDS.join(', ')}.`,
  )
  .refine(
    (values) => Object.entries(values).every(([name, value]) => isValidCorrection(name, value)),
    {
      message: 'Contains a value that the field does not allow.',
    },
  );

function isValidCorrection(name: string, value: unknown): boolean {
  if (name.startsWith('date_')) return value === null || date.safeParse(value).success;
  if (name === 'payment_history_profile')
    return typeof value === 'string' && /^[0-6BDEGHJKLZ]{24}$/.test(value);
  if (/^(terms_|account_status|payment_rating|special_|consumer_|ecoa_)/.test(name))
    return typeof value === 'string' && /^[A-Z0-9]{1,3}$/.test(value);
  return z.int().min(0).max(2_147_483_647).safeParse(value).success;
}

export const creditDisputes = resource({
  name: 'CreditDispute',
  path: 'credit-disputes',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    dispute_number: derivedFrom(text.readonly(), 'loans.loan_number'),
    dispute_source: z
      .enum(['indirect_acdv', 'direct', 'cfpb_complaint', 'internal'])
      .default('direct'),
    bureau: z.enum(BUREAUS).nullish(),
    acdv_control_number: text.nullish(),
    received_date: date.nullish(),
    due_date: date.readonly(),
    is_extended: flag.default(false).describe('45 days instead of 30.'),
    dispute_codes: z
      .array(z.string().regex(/^\d{3}$/, 'Must be a code of three digits.'))
      .min(1)
      .max(2),
    fcra_relevant_information: z
      .string()
      .max(240, { abort: true })
      .overwrite(maskPersonalNumbers)
      .max(240)
      .nullish(),
    disputed_fields: z.array(text).max(40).default([]),
    consumer_statement: prose.nullish(),
    document_ids: z.array(uuid).max(50).default([]),
    assigned_to: uuid.nullish(),
    investigation_notes: prose.nullish(),
    findings: prose.nullish(),
    response_code: z.enum(['01', '02', '03', '04', '07']).nullish(),
    corrected_values: correctedValues.default({}),
    compliance_condition_code: z
      .enum(['XA', 'XB', 'XC', 'XD', 'XE', 'XF', 'XG', 'XH', 'XJ', 'XR'])
      .nullish(),
    status: z
      .enum([
        'received',
        'investigating',
        'responded',
        'closed',
        'frivolous',
        'withdrawn',
        'overdue',
      ])
      .default('received'),
    responded_at: nullableTimestamp,
    resolved_at: nullableTimestamp,
    resolution_letter_document_id: uuid.nullish(),
    is_frivolous: flag.readonly(),
    frivolous_notice_sent_at: timestamp.nullish(),
    ...timestamps,
  },
  fixed: ['loan_id', 'received_date', 'dispute_source'],
  filters: ['loan_id', 'status', 'dispute_source', 'bureau', 'due_date', 'assigned_to'],

  example: () => ({ dispute_codes: ['103'] }),
  create: addDispute,
  update: changeDispute,
});
