import { z } from 'zod';
import { refusalsOfAction } from '../../jobs/loans/history/statuses.ts';
import { auditChange } from '../../jobs/audit.ts';
import { COMPONENTS } from '../../jobs/loans/arithmetic/terms.ts';
import { PAYMENT_TYPES } from '../../jobs/loans/engine/events.ts';
import { changePayment, removePayment } from '../../jobs/payments/change.ts';
import { PaymentPreview, previewPayment } from '../../jobs/payments/preview.ts';
import {
  NewPayment,
  PAYMENT_METHODS,
  PAYMENT_SOURCES,
  receivePayment,
} from '../../jobs/payments/receive.ts';
import {
  reimburse,
  Reimbursement,
  exceedsRefundable,
  fundsHeld,
} from '../../jobs/payments/reimburse.ts';
import {
  PaymentReturn,
  returnPayment,
  reverseOrReturnPayment,
} from '../../jobs/payments/return.ts';
import { PaymentReversal, notReversible } from '../../jobs/payments/reverse.ts';
import { loans } from '../../sql/loans/loans.ts';
import { payments as table } from '../../sql/payments/payments.ts';
import {
  date,
  externalId,
  money,
  positiveMoney,
  prose,
  signedMoney,
  timestamps,
  text,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { action, findOrThrow, resource } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { refusalDetails } from '../../jobs/loans/products/refusals.ts';

export const PAYMENT_STATUSES = [
  'scheduled',
  'pending',
  'completed',
  'settled',
  'failed',
  'returned',
  'reversed',
  'canceled',
  'disputed',
] as const;

export const allocation = z.object({
  component: z
    .string()
    .describe('The part of the debt, such as principal, interest, fee or suspense.'),
  installment_number: z.int().nullable().describe('The installment that was paid.'),
  fee_id: uuid.nullable().describe('The fee that was paid.'),
  amount: signedMoney.describe('The amount. Negative if it was taken back.'),
  rule: z.string().describe('The rule that led to it, such as "standard: interest".'),
  balance_before: signedMoney.describe('The balance of the part before.'),
  balance_after: signedMoney.describe('The balance of the part after.'),
});

export const payments = resource({
  name: 'Payment',
  path: 'payments',
  about:
    'Money received for a loan, with the parts of the debt that it paid. Refunds appear as payments of the type `reimbursement`.',
  area: 'payments',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],
  conflicts: { create: () => refusalsOfAction('payments') },

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    borrower_id: uuid.readonly().describe('The person who paid.'),
    receipt_number: text.readonly().describe('The number of the receipt.'),
    amount: positiveMoney.describe('The amount received, or to be drawn from the account.'),
    payment_date: date
      .nullish()
      .describe(
        'When the money arrives. A future date, up to a year ahead, schedules the payment. Default: the business date.',
      ),
    effective_date: date
      .nullish()
      .describe(
        'The day for which the payment counts, on or before `payment_date`. Default: `payment_date`. An earlier day recalculates the loan from then on.',
      ),
    payment_method: z
      .enum(PAYMENT_METHODS)
      .nullish()
      .describe(
        'How the money is paid. Must be `ach` with an instrument, and is then the default. On a later day, `ach` requires an instrument. Otherwise it is for your records, by default `external`.',
      ),
    payment_type: z
      .enum([...PAYMENT_TYPES, 'reimbursement'])
      .default('regular')
      .describe(
        'How the payment is applied. `regular`: in the order of the product. `extra_principal`: to interest so far and principal, without paying an installment. `payoff`: to everything, with money in suspense and the prepayment penalty, which closes the loan. `fee_only`: to fees. `settlement`: principal first. `recovery`: to a charged-off debt; after a charge-off every payment is one. `down_payment`: like `regular`. For `reimbursement` use its own endpoint.',
      ),
    payment_instrument_id: uuid
      .nullish()
      .describe(
        'The bank account to draw from, which belongs to a person liable for the loan. The next Nacha file contains the debit. Without it, the money has already arrived.',
      ),
    external_id: externalId.nullish(),
    reference_number: text.nullish().describe('Your reference, such as a check number.'),
    notes: prose.nullish().describe('Your notes.'),
    hold_until: NewPayment.shape.hold_until,
    waive_returned_fee: NewPayment.shape.waive_returned_fee,
    status: z
      .enum(PAYMENT_STATUSES)
      .readonly()
      .describe(
        '`scheduled` for a later day, `completed` when applied, `settled` when the bank can no longer return it, `failed` if it could not be drawn, `returned` by the bank, `reversed` or `canceled` by you.',
      ),
    source: z.enum(PAYMENT_SOURCES).readonly().describe('How the payment was ordered.'),
    consent_id: uuid
      .nullable()
      .readonly()
      .describe("The borrower's authorization of the draw, for payments made in the portal."),
    autopay_plan_id: uuid.nullable().readonly().describe('The autopay plan that ordered it.'),
    principal_applied: signedMoney.readonly().describe('Negative for money that was paid back.'),
    interest_applied: signedMoney.readonly().describe('The amount applied to interest.'),
    fees_applied: signedMoney.readonly().describe('The amount applied to fees.'),
    suspense_applied: signedMoney.readonly().describe('The amount that went to suspense.'),
    remaining_balance: money
      .readonly()
      .describe('The total balance of the loan after the payment.'),
    allocations: z
      .array(allocation)
      .readonly()
      .describe('The steps that applied the payment, in order.'),
    coverage: z
      .array(
        z.object({
          installment_number: z.int().describe('The number of the installment.'),
          amount: money.describe('The amount that the payment paid on it.'),
        }),
      )
      .readonly()
      .describe('The installments that the payment covered.'),
    posted_at: timestamp.nullable().readonly().describe('When it was applied.'),
    settled_at: timestamp.nullable().readonly().describe('When it was settled.'),
    failed_at: timestamp.nullable().readonly().describe('When it failed or was returned.'),
    failure_reason: text.nullable().readonly().describe('Why it failed or was returned.'),
    return_code: text.nullable().readonly().describe("The bank's return code."),
    reversed_at: timestamp.nullable().readonly().describe('When it was reversed.'),
    reversed_by: uuid.nullable().readonly().describe('The user who reversed it.'),
    reversal_reason: text.nullable().readonly().describe('Why it was reversed.'),
    reversal_effective_date: date
      .nullable()
      .readonly()
      .describe('The ledger date of the reversal.'),
    reverses_payment_id: uuid
      .nullable()
      .readonly()
      .describe('For a refund, the payment that was refunded.'),
    journal_entry_ids: z.array(uuid).readonly().describe('The ledger entries of the payment.'),
    ...timestamps,
  },
  writeOnly: {
    allocation_override: z
      .array(
        z.object({
          component: z.enum(COMPONENTS).describe('The part of the debt.'),
          amount: positiveMoney.describe('The amount for this part.'),
        }),
      )
      .max(10)
      .nullish()
      .describe(
        'Fixed amounts for parts of the debt, which come before the usual order. Only for admins.',
      ),
  },
  fixed: [
    'loan_id',
    'amount',
    'payment_date',
    'effective_date',
    'payment_type',
    'payment_method',
    'payment_instrument_id',
    'hold_until',
    'waive_returned_fee',
    'allocation_override',
  ],
  filters: [
    'loan_id',
    'borrower_id',
    'status',
    'payment_type',
    'payment_method',
    'payment_date',
    'effective_date',
    'external_id',
    'source',
    'amount',
    'autopay_plan_id',
    'payment_instrument_id',
  ],

  finds_parent: true,
  example: () => ({ amount: '10.00' }),
  create: (work, input) => receivePayment(work, input.loan_id, input),
  update: changePayment,
  remove: removePayment,
  four_eyes: { delete: 'reversals' },
  actions: {
    reverse: action({
      allow: 'loan_officer',
      summary: 'Reverse a payment',
      description:
        'Recalculates the loan without the payment, also if it had closed the loan, and sends `payment.reversed`. The reason nsf, or return with a code, records a returned payment, with its fee. Answers 409 unless the payment is completed or settled.',
      conflicts: () => [notReversible('scheduled')],
      body: PaymentReversal,
      four_eyes: 'reversals',
      run: reverseOrReturnPayment,
    }),
    return: action({
      allow: 'loan_officer',
      summary: 'Record a returned payment',
      description:
        'Reverses the payment, charges the returned payment fee once for insufficient funds, and retries or pauses autopay. Some return codes block the account. Sends `payment.reversed`, `payment.failed` and `fee.assessed`. Return files record returns by themselves.',
      body: PaymentReturn,
      four_eyes: 'reversals',
      run: (work, id, input) => returnPayment(work, id, input),
    }),
  },
});

/** Facts that determine the split of a payment. Trying different amounts and dates would reveal them. */
const ALLOCATION_FACTS = [
  ...(['loans.principal_balance', 'loans.accrued_interest', 'loans.outstanding_fees'] as const),
  ...(['loans.total_balance', 'loans.interest_rate', 'loans.past_due_amount'] as const),
  'loans.payment_amount',
] as const;

export const paymentRoutes: Route[] = [
  {
    tag: 'payments',
    resource: 'payments',
    action: 'preview',
    method: 'POST',
    path: '/loans/{id}/payments/preview',
    allow: 'loan_officer',
    summary: 'Preview how a payment would be applied',
    description: 'Records nothing. Use it to show a borrower what a payment will do.',
    status: 200,
    transaction: 'read',
    carries: ALLOCATION_FACTS,
    body: PaymentPreview,
    reply: z
      .object({
        amount: money.describe('The amount of the payment.'),
        as_of_date: date.describe('The day on which the payment would count.'),
        principal_applied: signedMoney.describe('The part that would repay principal.'),
        interest_applied: signedMoney.describe('The part that would pay interest.'),
        fees_applied: signedMoney.describe('The part that would pay fees.'),
        suspense_applied: signedMoney.describe('The part that would stay in suspense.'),
        prepayment_penalty: money.describe('The prepayment penalty for a payoff on that day.'),
        remaining_balance: money.describe('The principal balance after the payment.'),
        allocations: z
          .array(allocation)
          .describe("How the payment would be split, in the order of the product's rules."),
      })
      .meta({ id: 'PaymentPreview' }),
    run: async ({ work, params, body }) => {
      const { id } = await findOrThrow(work, loans, params['id']);
      return previewPayment(work, id, body as z.output<typeof PaymentPreview>);
    },
  },
  {
    tag: 'payments',
    resource: 'payments',
    action: 'reimburse',
    method: 'POST',
    path: '/loans/{id}/payments/reimbursement',
    allow: 'loan_officer',
    summary: 'Reimburse the borrower',
    description:
      'Refunds money in suspense first, then principal that a payment repaid. The borrower owes that principal again. With a payment instrument, also orders the payout from the bank. Answers 409 `exceeds_refundable` above the refundable amount, and `funds_held` while the payment is on hold.',
    conflicts: () => [
      exceedsRefundable({
        ...refusalDetails({ status: 'active', blockers: {} }),
        refundable_amount: '120.00',
      }),
      fundsHeld({
        ...refusalDetails({ status: 'active', blockers: {} }),
        hold_until: '2026-01-20',
      }),
    ],
    status: 201,
    transaction: 'write',
    body: Reimbursement,
    four_eyes: 'refunds',
    record: loans,
    reply: payments.reply,
    run: async ({ work, params, body }) => {
      const { id } = await findOrThrow(work, loans, params['id']);
      return auditChange(work, table, 'reimburse', null, () =>
        reimburse(work, id, body as z.output<typeof Reimbursement>),
      );
    },
  },
];
