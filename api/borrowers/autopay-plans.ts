import { z } from 'zod';
import {
  addAutopayPlan,
  cancelAutopayPlan,
  AUTOPAY_CANCEL_REASONS,
  changeAutopayPlan,
  planExists,
  planNotEditable,
  consentRevoked,
} from '../../jobs/payments/autopay/autopay-plan.ts';
import { autopayTerms } from '../../jobs/payments/autopay/autopay-terms.ts';
import { autopayPlans as table } from '../../sql/payments/autopay-plans.ts';
import { date, flag, integer, money, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { nested, resource } from '../endpoints/resource.ts';
import { autopayDraws } from '../payments/autopay-draws.ts';

export const autopayPlans = resource({
  name: 'AutopayPlan',
  path: 'autopay-plans',
  about: "An authorization to draw a loan's payments from a bank account.",
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read', 'update', 'delete'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    loan_id: uuid.describe('The loan to pay. The borrower must be liable for it.'),
    payment_instrument_id: uuid.describe('The bank account to draw from.'),
    backup_payment_instrument_id: uuid
      .nullish()
      .describe('The account for retries of a returned draw. Default: the same account.'),
    ...autopayTerms,
    frequency: z
      .enum(['monthly', 'biweekly', 'semi_monthly', 'weekly', 'on_due_date'])
      .default('on_due_date')
      .describe('`on_due_date` draws for each installment. The others draw on their own dates.'),
    days_before_due: z
      .int()
      .min(0)
      .max(30)
      .default(0)
      .describe(
        'Days before the due date on which to draw, for `on_due_date`. A draw on a day without banking moves to the next business day.',
      ),
    day_of_month: z
      .int()
      .min(1)
      .max(31)
      .nullish()
      .describe(
        'The day of the draw, for `monthly` and `semi_monthly`. Default: the day of `start_date`.',
      ),
    next_due_date: date
      .nullable()
      .readonly()
      .describe('The next due date that the plan draws for.'),
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
    status: z
      .enum(['active', 'paused', 'canceled', 'completed', 'failed'])
      .default('active')
      .describe(
        'Ignored for a new plan. Update it to `paused`, `active` or `canceled`. Resuming checks the account again, and skips due dates that passed during the pause.',
      ),
    is_enabled: flag.default(true).describe('If false, the plan draws nothing but stays open.'),
    retry_count: z
      .int()
      .min(0)
      .max(2)
      .default(2)
      .describe('How often a draw that was returned for insufficient funds is tried again.'),
    retry_interval_days: z
      .int()
      .min(1)
      .max(30)
      .default(3)
      .describe('Days from a return to the next attempt.'),
    consecutive_failures: integer
      .readonly()
      .describe('Failed or returned draws since the last one that was paid.'),
    canceled_at: timestamp.nullable().readonly().describe('When the plan was canceled.'),
    cancel_reason: z
      .enum(AUTOPAY_CANCEL_REASONS)
      .nullish()
      .describe('Why the plan is canceled, with `canceled`. Default: `agent`.'),
    consent_id: uuid.nullable().readonly().describe('The consent that authorizes the plan.'),
    last_payment_id: uuid.nullable().readonly().describe('The payment of the last draw.'),
    ...timestamps,
  },
  fixed: ['borrower_id', 'loan_id'],
  filters: [
    'borrower_id',
    'loan_id',
    'payment_instrument_id',
    'status',
    'is_enabled',
    'next_run_date',
  ],

  conflicts: {
    create: () => [planExists()],
    update: () => [planNotEditable('canceled'), consentRevoked()],
  },
  create: addAutopayPlan,
  update: changeAutopayPlan,
  remove: (work, id) => cancelAutopayPlan(work, id),
  nested: { draws: nested(autopayDraws, 'autopay_plan_id', ['list']) },
});
