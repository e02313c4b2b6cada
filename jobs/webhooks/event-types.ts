import { z } from 'zod';
import { date, money, timestamp, uuid } from '../../sql/types.ts';
import { derivedFrom, sourcesOfField, type FactName } from '../facts.ts';

/** All events with the schema of their data. The compiler checks the data of each `emit` call. */
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
    old_status: derivedFrom(z.string(), 'loans.status'),
    new_status: derivedFrom(z.string(), 'loans.status'),
    trigger: z.string().describe('The action or other event that changed the loan.'),
    reason: z.string().optional(),
    changed_at: timestamp,
    changed_by: uuid.nullable(),
  }),
  'loan.partly_charged_off': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    amount: derivedFrom(
      money.describe('The charged-off principal.'),
      'loans.principal_balance',
      'loans.charge_off_amount',
    ),
    charge_off_date: date,
    reason: z.string(),
    principal_balance: money.describe('The principal that remains on the books.'),
    charge_off_balance: money.describe('The charged-off amount that is still owed.'),
  }),
  'loan.disbursed': z.object({
    loan_id: uuid,
    loan_number: z.string(),
    disbursement_id: uuid,
    amount: money,
    fee_deducted: money,
    net_amount: money,
    disbursement_date: date,
    principal_balance: derivedFrom(money, 'loans.principal_balance'),
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
    suspense_balance: derivedFrom(
      money.describe('The amount that is still in suspense.'),
      'loans.suspense_balance',
    ),
    remaining_balance: derivedFrom(money, 'payments.remaining_balance'),
  }),
  'delinquency.changed': z.object({
    loan_id: uuid,
    old_bucket: derivedFrom(z.string(), 'loans.delinquency_bucket', 'loans.days_past_due'),
    new_bucket: derivedFrom(z.string(), 'loans.delinquency_bucket', 'loans.days_past_due'),
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
    held_count: z.int().describe('Letters that were left out and are still waiting.'),
  }),
} as const;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** The data of an event of this type. */
export type EventData<Type extends EventType> = z.output<(typeof EVENTS)[Type]>;

/**
 * The resource whose fields an event contains under their own names. `anything`: the event contains terms,
 * texts or messages that can repeat any field.
 */
const ABOUT: Record<EventType, readonly string[] | 'anything'> = {
  'loan.created': ['loans'],
  'loan.status_changed': ['loans'],
  'loan.partly_charged_off': ['loans'],
  'loan.disbursed': ['disbursements'],
  'payment.received': ['payments'],
  'payment.reversed': ['payments'],
  'payment.failed': ['payments'],
  'suspense.applied': ['suspense-applications'],
  'delinquency.changed': ['loans'],
  'fee.assessed': ['fees'],
  'modification.completed': 'anything',
  'compliance.failed': 'anything',
  'document.generated': ['documents'],
  'mail_batch.ready': ['mail-batches'],
};

/** The facts that a subscriber to these events receives. `*` means all events. */
export function factsOfEvents(names: readonly string[]): 'anything' | FactName[] {
  const types = EVENT_TYPES.filter((type) => names.includes('*') || names.includes(type));
  if (types.some((type) => ABOUT[type] === 'anything')) return 'anything';
  return types.flatMap((type) =>
    Object.entries(EVENTS[type].shape).flatMap(([name, field]) => [
      ...[ABOUT[type]].flat().map((resource): FactName => `${resource}.${name}`),
      ...sourcesOfField(field),
    ]),
  );
}
