import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import {
  PAYMENT_PLAN_FREQUENCIES,
  PLAN_INSTALLMENT_STATUSES,
  PLAN_INSTALLMENTS_MAX,
} from '../../jobs/loans/workouts/payment-plan-installments.ts';
import {
  addPaymentPlan,
  changePaymentPlan,
  PAYMENT_PLAN_STATUSES,
  PAYMENT_PLAN_TYPES,
  cancelPaymentPlan,
  activePlanExists,
} from '../../jobs/loans/workouts/payment-plans.ts';
import { GRACE_DAYS_MAX } from '../../jobs/loans/workouts/promises-to-pay.ts';
import { paymentPlans as table } from '../../sql/loans/workouts/payment-plans.ts';
import {
  date,
  flag,
  integer,
  money,
  positiveMoney,
  prose,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';
import { loanFacts } from './fields.ts';
import { immutableConflict } from '../../jobs/loans/history/loan-records.ts';

const planInstallment = z.object({
  due_date: date.describe('When the amount is due. Must not be in the past.'),
  amount: positiveMoney.describe('The amount due.'),
  status: z.enum(PLAN_INSTALLMENT_STATUSES).default('pending').describe('Set by the server.'),
});

export const paymentPlans = resource({
  name: 'PaymentPlan',
  path: 'payment-plans',
  about:
    "An arrangement to catch up on missed payments or to settle the debt, in addition to the loan's schedule.",
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    ...loanFacts,
    plan_type: z
      .enum(PAYMENT_PLAN_TYPES)
      .default('repayment')
      .describe(
        '`repayment`: the borrower pays missed amounts in parts. `catch_up`: the same, for everything past due. `settlement`: you accept `settlement_amount` for the whole debt.',
      ),
    agreed_on: date
      .readonly()
      .describe('The business date of the agreement. Payments from this day count.'),
    total_amount: positiveMoney
      .nullish()
      .describe(
        'The total of the installments. Default for `catch_up`: the past-due amount and the fees due.',
      ),
    installments: z
      .array(planInstallment)
      .max(PLAN_INSTALLMENTS_MAX)
      .default([])
      .describe(
        'The installments. Give either these, or `start_date`, `frequency` and `number_of_payments`.',
      ),
    start_date: date
      .nullish()
      .describe('The first due date of regular installments. Must not be in the past.'),
    frequency: z
      .enum(PAYMENT_PLAN_FREQUENCIES)
      .nullish()
      .describe('How often a regular installment is due.'),
    number_of_payments: integer
      .min(1)
      .max(PLAN_INSTALLMENTS_MAX)
      .nullish()
      .describe('The number of regular installments.'),
    amount: positiveMoney
      .nullish()
      .describe('The amount of each regular installment. Default: the total in equal parts.'),
    settlement_amount: positiveMoney
      .nullish()
      .describe('What you accept for the whole debt. Required for `settlement`.'),
    waive_remaining: flag
      .default(false)
      .describe(
        'Whether the rest of the debt is forgiven when the settlement is paid. The loan is then `settled`, and form 1099-C may follow. Only for `settlement`.',
      ),
    grace_days: integer
      .min(0)
      .max(GRACE_DAYS_MAX)
      .default(3)
      .describe(
        'Days after a due date until the installment counts as missed, which breaks the plan.',
      ),
    payment_instrument_id: uuid
      .nullish()
      .describe("The borrower's bank account for `auto_collect`."),
    auto_collect: flag
      .default(false)
      .describe(
        'Whether the installments are scheduled as payments from the account. They are canceled if the plan ends early.',
      ),
    notes: prose.nullish().describe('Your notes.'),
    status: z
      .enum(PAYMENT_PLAN_STATUSES)
      .default('active')
      .describe(
        'A new plan is `active` or `proposed`. Update a proposed plan to `active` to start it, and either to `canceled` to end it. Close of business sets `completed` and `broken`.',
      ),
    paid_amount: money.readonly().describe('How much of the total was paid.'),
    completed_at: timestamp.nullable().readonly().describe('When it was completed.'),
    broken_at: timestamp.nullable().readonly().describe('When it was broken.'),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'plan_type', 'total_amount', 'installments', 'start_date'] as const),
    ...(['frequency', 'number_of_payments', 'amount', 'settlement_amount'] as const),
    ...(['waive_remaining', 'grace_days', 'payment_instrument_id', 'auto_collect'] as const),
  ],
  filters: ['loan_id', 'borrower_id', 'plan_type', 'status', 'agreed_on'],

  example: (today) => ({
    start_date: addDays(today, 1),
    frequency: 'monthly',
    number_of_payments: 3,
    amount: '100.00',
  }),
  conflicts: {
    create: () => [activePlanExists()],
    update: () => [immutableConflict('payment plan', 'completed')],
  },
  create: addPaymentPlan,
  update: changePaymentPlan,
  remove: cancelPaymentPlan,
});
