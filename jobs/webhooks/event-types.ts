import { z } from 'zod';
import { date, money, timestamp, uuid } from '../../sql/types.ts';

/** What a subscriber may hear of. The data of each event is checked where it is emitted. */
export const EVENTS = {
  'loan.created': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    borrower_id: uuid,
    program_id: uuid,
    product_id: uuid,
    principal_amount: money,
    status: z.string(),
    external_id: z.string().nullable(),
  }),
  'loan.status_changed': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    old_status: z.string(),
    new_status: z.string(),
    trigger: z.string().describe('The action, or what else moved the loan.'),
    reason: z.string().optional(),
    changed_at: timestamp,
    changed_by: uuid.nullable(),
  }),
  'loan.partly_charged_off': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    amount: money.describe('The principal that left the books.'),
    charge_off_date: date,
    reason: z.string(),
    principal_balance: money.describe('What is still on the books.'),
    charge_off_balance: money.describe('All that left them and is still owed.'),
  }),
  'loan.disbursed': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    disbursement_id: uuid,
    amount: money,
    fee_deducted: money,
    net_amount: money,
    disbursement_date: date,
    principal_balance: money,
    first_payment_date: date.nullable(),
  }),
  'payment.received': z.object({
    payment_id: uuid,
    loan_id: uuid,
    amount: money,
    payment_date: date,
    effective_date: date,
    principal_applied: money,
    interest_applied: money,
    fees_applied: money,
    remaining_balance: money,
  }),
  'payment.reversed': z.object({
    payment_id: uuid,
    loan_id: uuid,
    amount: money,
    reason: z.string(),
    return_code: z.string().optional(),
    reversed_at: timestamp,
  }),
  'payment.failed': z.object({
    payment_id: uuid,
    loan_id: uuid,
    amount: money,
    failure_reason: z.string(),
    return_code: z.string().nullable().optional(),
    will_retry: z.boolean(),
    next_retry_date: date.optional(),
  }),
  'suspense.applied': z.object({
    suspense_application_id: uuid,
    loan_id: uuid,
    amount: money,
    effective_date: date,
    suspense_balance: money.describe('What still waits.'),
    remaining_balance: money,
  }),
  'delinquency.changed': z.object({
    loan_id: uuid,
    old_bucket: z.string(),
    new_bucket: z.string(),
    days_past_due: z.int(),
    past_due_amount: money,
  }),
  'fee.assessed': z.object({
    fee_id: uuid,
    loan_id: uuid,
    fee_type: z.string(),
    amount: money,
    assessed_date: date,
  }),
  'modification.completed': z.object({
    modification_id: uuid,
    loan_id: uuid,
    modification_type: z.string(),
    effective_date: date,
    old_terms: z.record(z.string(), z.unknown()),
    new_terms: z.record(z.string(), z.unknown()),
  }),
  'compliance.failed': z.object({
    loan_id: uuid,
    failed_checks: z.array(z.object({ code: z.string(), message: z.string() })),
    enforcement: z.enum(['hard', 'soft']),
  }),
  'document.generated': z.object({
    document_id: uuid,
    loan_id: uuid.nullable(),
    document_type: z.string(),
    filename: z.string(),
  }),
  'mail_batch.ready': z.object({
    mail_batch_id: uuid,
    number: z.int(),
    business_date: date,
    letter_count: z.int(),
    page_count: z.int(),
    held_count: z.int().describe('Letters that were left out, and wait.'),
  }),
} as const;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** The data of an event of the type, as it is sent. */
export type EventData<Type extends EventType> = z.output<(typeof EVENTS)[Type]>;
