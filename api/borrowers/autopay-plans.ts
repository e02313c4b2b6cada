import { z } from 'zod';
import {
  addAutopayPlan,
  AUTOPAY_AMOUNT_TYPES,
  cancelAutopayPlan,
  AUTOPAY_CANCEL_REASONS,
  changeAutopayPlan,
  EXTRA_TOWARD,
} from '../../jobs/payments/autopay/autopay-plan.ts';
import { autopayPlans as table } from '../../sql/payments/autopay-plans.ts';
import {
  date,
  flag,
  integer,
  money,
  positiveMoney,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import { autopayDraws } from '../payments/autopay-draws.ts';

export const autopayPlans = resource({
  name: 'AutopayPlan',
  path: 'autopay-plans',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    loan_id: uuid,
    payment_instrument_id: uuid,
    backup_payment_instrument_id: uuid.nullish(),
    amount_type: z.enum(AUTOPAY_AMOUNT_TYPES).default('minimum_due'),
    fixed_amount: positiveMoney.nullish(),
    extra_amount: positiveMoney.nullish(),
    extra_toward: z.enum(EXTRA_TOWARD).default('principal'),
    frequency: z
      .enum(['monthly', 'biweekly', 'semi_monthly', 'weekly', 'on_due_date'])
      .default('on_due_date'),
    days_before_due: z.int().min(0).max(30).default(0),
    day_of_month: z.int().min(1).max(31).nullish(),
    start_date: date.nullish(),
    end_date: date.nullish(),
    next_due_date: date.nullable().readonly(),
    next_run_date: date
      .nullable()
      .readonly()
      .describe('Moved to the next business day if banks are closed on that day.'),
    next_draw_date: date
      .nullable()
      .readonly()
      .describe(
        'The date of the next draw if nothing happens before. It is later than `next_run_date` if nothing will be due on that date. ' +
          'Null while its account cannot be drawn on.',
      ),
    next_draw_amount: money
      .nullable()
      .readonly()
      .describe('The amount drawn on `next_draw_date`, including retries of returned draws.'),
    status: z.enum(['active', 'paused', 'canceled', 'completed', 'failed']).default('active'),
    is_enabled: flag.default(true),
    retry_count: z.int().min(0).max(2).default(2),
    retry_interval_days: z.int().min(1).max(30).default(3),
    consecutive_failures: integer.readonly(),
    canceled_at: timestamp.nullable().readonly(),
    cancel_reason: z.enum(AUTOPAY_CANCEL_REASONS).nullish(),
    consent_id: uuid.nullable().readonly(),
    last_payment_id: uuid.nullable().readonly(),
    ...timestamps,
  },
  fixed: ['borrower_id', 'loan_id'],
  filters: ['borrower_id', 'loan_id', 'payment_instrument_id', 'status', 'is_enabled'],

  create: addAutopayPlan,
  update: changeAutopayPlan,
  remove: (work, id) => cancelAutopayPlan(work, id),
  nested: { draws: nested(autopayDraws, 'autopay_plan_id', ['list']) },
});
