import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { PAYMENT_PLAN_FREQUENCIES } from '../../jobs/loans/workouts/payment-plan-installments.ts';
import {
  addPaymentPlan,
  changePaymentPlan,
  PAYMENT_PLAN_STATUSES,
  PAYMENT_PLAN_TYPES,
  cancelPaymentPlan,
} from '../../jobs/loans/workouts/payment-plans.ts';
import { paymentPlans as table } from '../../sql/loans/payment-plans.ts';
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

const planInstallment = z.object({
  due_date: date,
  amount: positiveMoney,
  status: z.enum(['pending', 'paid', 'missed']).default('pending'),
});

export const paymentPlans = resource({
  name: 'PaymentPlan',
  path: 'payment-plans',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    loan_id: uuid,
    plan_type: z.enum(PAYMENT_PLAN_TYPES).default('repayment'),
    agreed_on: date.readonly(),
    total_amount: positiveMoney
      .nullish()
      .describe('The total of the installments. Default for a catch-up plan: the past-due amount.'),
    installments: z.array(planInstallment).max(120).default([]),
    start_date: date.nullish(),
    frequency: z.enum(PAYMENT_PLAN_FREQUENCIES).nullish(),
    number_of_payments: integer.min(1).max(120).nullish(),
    amount: positiveMoney.nullish(),
    settlement_amount: positiveMoney.nullish(),
    waive_remaining: flag.default(false),
    grace_days: integer.min(0).max(30).default(3),
    payment_instrument_id: uuid.nullish(),
    auto_collect: flag.default(false),
    notes: prose.nullish(),
    status: z.enum(PAYMENT_PLAN_STATUSES).default('active'),
    paid_amount: money.readonly(),
    completed_at: timestamp.nullable().readonly(),
    broken_at: timestamp.nullable().readonly(),
    created_by: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: [
    ...(['loan_id', 'plan_type', 'total_amount', 'installments', 'start_date'] as const),
    ...(['frequency', 'number_of_payments', 'amount', 'settlement_amount'] as const),
    ...(['waive_remaining', 'grace_days', 'payment_instrument_id', 'auto_collect'] as const),
  ],
  filters: ['loan_id', 'plan_type', 'status', 'agreed_on'],

  example: (today) => ({
    start_date: addDays(today, 1),
    frequency: 'monthly',
    number_of_payments: 3,
    amount: '100.00',
  }),
  create: addPaymentPlan,
  update: changePaymentPlan,
  remove: cancelPaymentPlan,
});
