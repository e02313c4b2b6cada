import { z } from 'zod';
import { date, money, timestamp, uuid } from '../../sql/types.ts';
import { derivedFrom, sourcesOfField, type FactName } from '../facts.ts';

const loanId = uuid.describe('The loan, as in `GET /loans/{id}`.');
const loanNumber = z.string().describe('The number that borrowers see.');
const paymentId = uuid.describe('The payment, as in `GET /payments/{id}`.');
const bucket = z
  .string()
  .describe('`current`, `dpd_1_29`, `dpd_30_59`, and so on in steps of 30 days to `dpd_180_plus`.');

/**
 * All events with the schema of their data. The description of a schema says when the event is sent. The
 * documentation and the OpenAPI document show both. The compiler checks the data of each `emit` call.
 */
export const EVENTS = {
  'loan.created': z
    .object({
      loan_id: loanId,
      loan_number: loanNumber,
      borrower_id: uuid.describe('The borrower, as in `GET /borrowers/{id}`.'),
      program_id: uuid.describe('The program, as in `GET /programs/{id}`.'),
      product_id: uuid.describe('The product, as in `GET /products/{id}`.'),
      principal_amount: money.describe('The amount of the loan, not its balance.'),
      status: z
        .string()
        .describe('`pending` for a new loan. A boarded loan can have another status.'),
      external_id: z.string().nullable().describe('Your own key for the loan, if you gave one.'),
    })
    .describe('Sent when a loan is created, or boarded from another servicer.'),
  'loan.status_changed': z
    .object({
      loan_id: loanId,
      loan_number: loanNumber,
      old_status: derivedFrom(z.string().describe('The status before.'), 'loans.status'),
      new_status: derivedFrom(z.string().describe('The status now.'), 'loans.status'),
      trigger: z
        .string()
        .describe(
          'What changed the loan, such as `approve`, `disburse`, `pay-off`, `payment` or `reopened`.',
        ),
      reason: z.string().optional().describe('The reason that the user gave.'),
      changed_at: timestamp.describe('When the change was recorded.'),
      changed_by: uuid.nullable().describe('The user. Null if the system changed the status.'),
    })
    .describe(
      'Sent when the status of a loan changes: when it is approved, denied, canceled, disbursed, paid ' +
        'off, charged off, settled or transferred, and when a closed loan is owed again.',
    ),
  'loan.partly_charged_off': z
    .object({
      loan_id: loanId,
      loan_number: loanNumber,
      amount: derivedFrom(
        money.describe('The charged-off principal.'),
        'loans.principal_balance',
        'loans.charge_off_amount',
      ),
      charge_off_date: date.describe('The effective date of the charge-off.'),
      reason: z.string().describe('Why it was charged off, such as `delinquency`.'),
      principal_balance: money.describe('The principal that remains on the books.'),
      charge_off_balance: money.describe('The charged-off amount that is still owed.'),
    })
    .describe(
      'Sent when part of the principal is charged off. The loan stays active, so its status does not change.',
    ),
  'loan.disbursed': z
    .object({
      loan_id: loanId,
      loan_number: loanNumber,
      disbursement_id: uuid.describe('The disbursement, as in `GET /disbursements/{id}`.'),
      amount: money.describe('The disbursed amount, before deducted fees.'),
      fee_deducted: money.describe('The fees that were kept back.'),
      net_amount: money.describe('What the borrower receives.'),
      disbursement_date: date.describe('The day from which the amount bears interest.'),
      principal_balance: derivedFrom(
        money.describe('The principal after the disbursement.'),
        'loans.principal_balance',
      ),
      first_payment_date: date
        .nullable()
        .describe('The next due date after the disbursement. Null if there is none.'),
    })
    .describe(
      'Sent for the first disbursement of a loan and for each later disbursement or draw. The first one ' +
        'also causes `loan.status_changed`.',
    ),
  'payment.received': z
    .object({
      payment_id: paymentId,
      loan_id: loanId,
      amount: money.describe('The whole payment.'),
      payment_date: date.describe('The business date on which it was recorded or ordered.'),
      effective_date: date.describe('The date from which it counts for interest.'),
      principal_applied: money.describe('The part that repaid principal.'),
      interest_applied: money.describe('The part that paid interest.'),
      fees_applied: money.describe('The part that paid fees.'),
      remaining_balance: money.describe('The total debt after the payment.'),
    })
    .describe(
      'Sent when a payment is applied to a loan. A scheduled payment or an autopay draw is applied at the ' +
        'close of its day. A bank can still return a payment that was drawn from an account.',
    ),
  'payment.reversed': z
    .object({
      payment_id: paymentId,
      loan_id: loanId,
      amount: money.describe('The whole payment.'),
      reason: z.string().describe('`nsf`, `return`, `chargeback`, or the reason that staff gave.'),
      return_code: z.string().optional().describe("The bank's return code, such as `R01`."),
      reversed_at: timestamp.describe('When the reversal was recorded.'),
    })
    .describe(
      'Sent when a payment is taken back, by staff or because the bank returned it. The loan is then as if ' +
        'the payment had never been made.',
    ),
  'payment.failed': z
    .object({
      payment_id: paymentId,
      loan_id: loanId,
      amount: money.describe('The amount that did not arrive.'),
      failure_reason: z.string().describe('The reason in words.'),
      return_code: z
        .string()
        .nullable()
        .optional()
        .describe("The bank's return code. Missing if the bank was not asked."),
      will_retry: z.boolean().describe('Whether autopay draws the amount again.'),
      next_retry_date: date.optional().describe('The day of the next attempt, if there is one.'),
    })
    .describe(
      'Sent when the bank returned a payment, after `payment.reversed`, and when a scheduled payment or an ' +
        'autopay draw could not be made because its account cannot be used.',
    ),
  'suspense.applied': z
    .object({
      suspense_application_id: uuid.describe(
        'The application, as in `GET /suspense-applications/{id}`.',
      ),
      loan_id: loanId,
      amount: money.describe('The amount that left suspense.'),
      effective_date: date.describe('The date from which it counts for interest.'),
      suspense_balance: derivedFrom(
        money.describe('The amount that is still in suspense.'),
        'loans.suspense_balance',
      ),
      remaining_balance: derivedFrom(
        money.describe('The total debt afterwards.'),
        'payments.remaining_balance',
      ),
    })
    .describe(
      'Sent when money in suspense is applied to a loan, by staff or by close of business (setting ' +
        '`suspense.pays_bills`).',
    ),
  'delinquency.changed': z
    .object({
      loan_id: loanId,
      old_bucket: derivedFrom(bucket, 'loans.delinquency_bucket', 'loans.days_past_due'),
      new_bucket: derivedFrom(bucket, 'loans.delinquency_bucket', 'loans.days_past_due'),
      days_past_due: z.int().describe('The days past due now.'),
      past_due_amount: money.describe('The past-due amount now.'),
    })
    .describe(
      'Sent when a loan moves to another delinquency bucket: at close of business, with the figures of the ' +
        'next morning, or when a payment, a reversal or a relief changes what is past due.',
    ),
  'fee.assessed': z
    .object({
      fee_id: uuid.describe('The fee, as in `GET /fees/{id}`.'),
      loan_id: loanId,
      fee_type: z.string().describe('Such as `late`, `returned_payment` or `origination`.'),
      amount: money.describe('The amount of the fee.'),
      assessed_date: date.describe('The business date on which it was assessed.'),
    })
    .describe(
      'Sent for every fee, whether staff, a rule of the product or close of business assesses it. Includes ' +
        'fees that are deducted from a disbursement or added to the principal.',
    ),
  'modification.completed': z
    .object({
      modification_id: uuid.describe('The modification, as in `GET /modifications/{id}`.'),
      loan_id: loanId,
      modification_type: z.string().describe('Such as `rate_change` or `term_extension`.'),
      effective_date: date.describe('The day from which the new terms apply.'),
      old_terms: z.record(z.string(), z.unknown()).describe('The terms before.'),
      new_terms: z.record(z.string(), z.unknown()).describe('The same terms now.'),
    })
    .describe('Sent when an approved modification is applied to a loan.'),
  'compliance.failed': z
    .object({
      loan_id: loanId,
      failed_checks: z
        .array(
          z.object({
            code: z.string().describe('The name of the check.'),
            message: z.string().describe('The problem.'),
          }),
        )
        .describe('The checks that failed or warned.'),
      enforcement: z
        .enum(['hard', 'soft'])
        .describe('`hard` if the loan cannot be approved while the checks fail.'),
    })
    .describe(
      'Sent when compliance checks of a loan find a failure or a warning. The check ofac_screening is never included.',
    ),
  'document.generated': z
    .object({
      document_id: uuid.describe('The document, as in `GET /documents/{id}`.'),
      loan_id: uuid.nullable().describe('The loan. Null for a document about no single loan.'),
      document_type: z.string().describe('Such as `monthly_statement` or `correspondence`.'),
      filename: z.string().describe('The name of the PDF.'),
    })
    .describe(
      'Sent when the platform has printed a document and stored its PDF. Uploaded documents cause no event.',
    ),
  'mail_batch.ready': z
    .object({
      mail_batch_id: uuid.describe('The batch, as in `GET /mail-batches/{id}`.'),
      number: z.int().describe('Counts the batches of the tenant.'),
      business_date: date.describe('The business date of the batch.'),
      letter_count: z.int().describe('Letters in the batch.'),
      page_count: z.int().describe('Pages in the batch.'),
      held_count: z.int().describe('Letters that were left out and are still waiting.'),
    })
    .describe('Sent when all files of a batch of letters are ready for the print shop.'),
} as const;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];
/** The data of `webhook.test`, which `POST /webhooks/{id}/test` sends. It cannot be subscribed to. */
export const TestEventData = z
  .object({
    subscription_id: uuid.describe('The subscription that is tested.'),
    message: z.string().describe('Says that nothing has happened.'),
  })
  .describe('Sent when a user tests a subscription. It is tried once.');

/** The body of a delivery. */
export const envelopeOf = <Data extends z.ZodType>(event_type: string, data: Data) =>
  z.object({
    event_id: uuid.describe('Identifies the event. The same in every attempt and replay.'),
    event_type: z.literal(event_type).describe('The type of the event.'),
    timestamp: timestamp.describe('When the event was recorded, in UTC.'),
    tenant_id: uuid.describe('The tenant.'),
    data,
  });

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
