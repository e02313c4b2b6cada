import * as events from '../../sql/webhooks/events.ts';
import type { Work } from '../work.ts';

/** Every event there is, with the fields of its data; a question mark marks what may be missing. */
export const EVENT_FIELDS = {
  'loan.created':
    'loan_id loan_number borrower_id program_id product_id principal_amount status external_id',
  'loan.status_changed':
    'loan_id loan_number old_status new_status trigger reason? changed_at changed_by',
  'loan.disbursed':
    'loan_id loan_number disbursement_id amount fee_deducted net_amount disbursement_date ' +
    'principal_balance first_payment_date',
  'payment.received':
    'payment_id loan_id amount payment_date effective_date principal_applied ' +
    'interest_applied fees_applied remaining_balance',
  'payment.reversed': 'payment_id loan_id amount reason return_code? reversed_at',
  'payment.failed':
    'payment_id loan_id amount failure_reason return_code? will_retry next_retry_date?',
  'delinquency.changed': 'loan_id old_bucket new_bucket days_past_due past_due_amount',
  'fee.assessed': 'fee_id loan_id fee_type amount assessed_date',
  'modification.completed':
    'modification_id loan_id modification_type effective_date old_terms new_terms',
  'compliance.failed': 'loan_id failed_checks enforcement',
  'document.generated': 'document_id loan_id document_type filename',
} as const;

export type EventType = keyof typeof EVENT_FIELDS;
export const EVENT_TYPES = Object.keys(EVENT_FIELDS) as [EventType, ...EventType[]];

type Data = Record<string, unknown> & { loan_id?: string | null };

/**
 * Tells subscribers what happened, if and only if the work commits. The envelope is serialised
 * once, here, and these bytes are what is signed and sent on every attempt. Answers the event's id.
 */
export async function emit(work: Work, event_type: EventType, data: Data): Promise<string> {
  const [id = ''] = await emitAll(work, event_type, [data]);
  return id;
}

/** The same for many that happened at once, with one statement. */
export function emitAll({ tx }: Work, event_type: EventType, all: readonly Data[]) {
  const told = all.map((data) => ({
    event_type,
    loan_id: data.loan_id ?? null,
    data: JSON.stringify(data),
  }));
  return events.write(tx, told);
}
