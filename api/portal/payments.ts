import { z } from 'zod';
import { assertOwnLoan, paymentsNotReady } from '../../jobs/portal/own-loans.ts';
import {
  cancelOwnPayment,
  payOwnLoan,
  PortalPayment,
  PortalPreview,
  previewOwnPayment,
  exceedsDebt,
  notScheduled,
  possibleDuplicate,
} from '../../jobs/portal/pay.ts';
import { getPaymentAuthorization } from '../../jobs/portal/payment-authorization.ts';
import { payments as table } from '../../sql/payments/payments.ts';
import type { Row } from '../../sql/table.ts';
import { date, flag, money, signedMoney, timestamp } from '../../sql/types.ts';
import { filterByParent, fetchPage } from '../endpoints/record-operations.ts';
import type { Route } from '../endpoints/route.ts';
import { allocation, payments } from '../payments/payments.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';
import { instrumentNotUsable } from '../../jobs/borrowers/payment-instrument.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

/** Omits staff notes and ledger references. */
const portalPaymentFields = payments.reply.pick({
  id: true,
  loan_id: true,
  receipt_number: true,
  amount: true,
  payment_date: true,
  effective_date: true,
  payment_method: true,
  payment_type: true,
  payment_instrument_id: true,
  status: true,
  source: true,
  principal_applied: true,
  interest_applied: true,
  fees_applied: true,
  suspense_applied: true,
  remaining_balance: true,
  failure_reason: true,
  return_code: true,
  consent_id: true,
  created_at: true,
  updated_at: true,
});

const portalPayment = portalPaymentFields
  .extend({ can_cancel: flag.describe('Scheduled by the signed-in borrower.') })
  .meta({ id: 'PortalPayment' });

/** Shapes a payment for one of the loan's borrowers. */
const asPortalPayment = (borrowerId: string) => (row: Row) => ({
  ...row,
  consent_id: row['borrower_id'] === borrowerId ? row['consent_id'] : null,
  can_cancel:
    row['status'] === 'scheduled' &&
    row['source'] === 'portal' &&
    row['borrower_id'] === borrowerId,
});

export const portalPayments: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/loans/{id}/payments',
    action: 'list-payments',
    summary: "List a loan's payments, including scheduled ones",
    description:
      'Includes payments of everyone who owes the loan. `can_cancel` marks those that the borrower may cancel.',
    reply: portalPayment,
    list: {
      name: 'payments',
      fields: portalPaymentFields.shape,
      filters: ['status', 'payment_date', 'payment_type', 'source'],
      hasSearch: true,
      isArchivable: false,
    },
    run: async (call, borrowerId) => {
      const { work, params, list } = call;
      const { id = '' } = params;
      await assertOwnLoan(work, borrowerId, id);
      const page = await fetchPage({ ...call, list: filterByParent(list, 'loan_id', id) }, table);
      return { ...page, rows: page.rows.map(asPortalPayment(borrowerId)) };
    },
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/payments',
    action: 'pay',
    summary: 'Make a payment',
    description:
      'Draws from a verified bank account of the borrower, today or on a later date. Paying the whole debt pays off the loan. Records the authorization of the draw with the text of the preview. Answers 409 `exceeds_balance` if the amount, with the payments already scheduled, exceeds the debt, and 409 `instrument_not_usable` for an account that is not verified.',
    conflicts: () => [
      exceedsDebt('9301.99'),
      instrumentNotUsable({
        status: 'active',
        is_verified: false,
        draw_blockers: [],
        block_code: null,
      }),
      possibleDuplicate(EXAMPLE_ID),
      paymentsNotReady(),
    ],
    status: 201,
    body: PortalPayment,
    reply: portalPayment,
    run: async ({ work, params, body }, borrowerId) => {
      const order = PortalPayment.parse(body);
      return asPortalPayment(borrowerId)(
        await payOwnLoan(work, borrowerId, params['id'] ?? '', order),
      );
    },
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/loans/{id}/payments/preview',
    action: 'preview-payment',
    summary: 'Preview how a payment would be applied',
    description: 'Records nothing. Answers with the same errors as the payment.',
    transaction: 'read',
    body: PortalPreview,
    reply: z
      .object({
        amount: money.describe('The amount of the payment.'),
        as_of_date: date.describe('The day on which the payment would count.'),
        principal_applied: signedMoney.describe('The part that would repay principal.'),
        interest_applied: signedMoney.describe('The part that would pay interest.'),
        fees_applied: signedMoney.describe('The part that would pay fees.'),
        suspense_applied: signedMoney.describe('The part that would stay in suspense.'),
        remaining_balance: money.describe('The principal balance after the payment.'),
        authorization_text: z
          .string()
          .nullable()
          .describe(
            'The text by which the borrower authorizes the draw. Show it next to the button that pays. Null without payment_instrument_id.',
          ),
        allocations: z
          .array(allocation.pick({ component: true, installment_number: true, amount: true }))
          .describe('How the payment would be split.'),
      })
      .meta({ id: 'PortalPaymentPreview' }),
    run: ({ work, params, body }, borrowerId) =>
      previewOwnPayment(work, borrowerId, params['id'] ?? '', PortalPreview.parse(body)),
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/payments/{id}/authorization',
    action: 'payment-authorization',
    summary: 'Get the authorization of a payment',
    description:
      'The copy for the borrower of the text that authorized the draw. Only for payments that the borrower made in the portal.',
    reply: z
      .object({
        granted_at: timestamp.describe('When the borrower authorized the payment.'),
        consent_text: z.string().nullable().describe('The text as the borrower saw it.'),
        status: z
          .enum(['granted', 'revoked'])
          .describe('A canceled payment revokes its authorization.'),
      })
      .meta({ id: 'PortalPaymentAuthorization' }),
    run: ({ work, params }, borrowerId) =>
      getPaymentAuthorization(work, borrowerId, params['id'] ?? ''),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/payments/{id}/cancel',
    action: 'cancel-payment',
    summary: 'Cancel a scheduled payment',
    description:
      'Possible until its day is closed. Only the person who scheduled it can cancel it. Answers 409 for a payment that is no longer scheduled.',
    conflicts: () => [notScheduled('completed')],
    reply: portalPayment,
    run: async ({ work, params }, borrowerId) =>
      asPortalPayment(borrowerId)(await cancelOwnPayment(work, borrowerId, params['id'] ?? '')),
  }),
];
