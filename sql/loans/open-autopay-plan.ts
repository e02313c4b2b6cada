import { z } from 'zod';
import { canDrawNext } from '../borrowers/payment-instruments.ts';
import { sql } from '../database/db.ts';
import { LegalConditions, personConditionsJson } from './legal-conditions.ts';

export const AutopayPlan = z.object({
  id: z.string(),
  borrower_id: z.string(),
  loan_id: z.string(),
  payment_instrument_id: z.string(),
  backup_payment_instrument_id: z.string().nullable(),
  amount_type: z.string(),
  fixed_amount: z.string().nullable(),
  extra_amount: z.string().nullable(),
  extra_toward: z.string(),
  frequency: z.string(),
  days_before_due: z.int(),
  day_of_month: z.int().nullable(),
  start_date: z.string(),
  end_date: z.string().nullable(),
  drawn_through: z.string(),
  next_due_date: z.string().nullable(),
  next_run_date: z.string().nullable(),
  next_draw_date: z.string().nullable(),
  next_draw_amount: z.string().nullable(),
  status: z.string(),
  is_enabled: z.boolean(),
  retry_count: z.int(),
  retry_interval_days: z.int(),
  consecutive_failures: z.int(),
  cancel_reason: z.string().nullable(),
  /** Whether the accounts of the next draw can be drawn on. */
  can_draw: z.boolean(),
  /** The legal conditions of the person who pays. Some forbid draws. */
  legal: LegalConditions.nullable(),
  /** Returned draws that are tried again on a later day. */
  retries: z.array(z.object({ due_date: z.string(), amount: z.string(), retry_on: z.string() })),
});
export type AutopayPlan = z.output<typeof AutopayPlan>;

/** The columns of a row of `autopay_plans` (`plan`). */
export const autopayPlanColumns = sql.fragment`
  plan.id, plan.borrower_id, plan.loan_id, plan.payment_instrument_id, plan.backup_payment_instrument_id,
  plan.amount_type, plan.fixed_amount::text as fixed_amount, plan.extra_amount::text as extra_amount,
  plan.extra_toward, plan.frequency, plan.days_before_due, plan.day_of_month, plan.start_date, plan.end_date,
  plan.drawn_through, plan.next_due_date, plan.next_run_date, plan.next_draw_date,
  plan.next_draw_amount::text as next_draw_amount, plan.status, plan.is_enabled, plan.retry_count,
  plan.retry_interval_days, plan.consecutive_failures, plan.cancel_reason, ${canDrawNext(sql.fragment`plan`)} as can_draw,
  ${personConditionsJson(sql.fragment`plan.loan_id`, sql.fragment`plan.borrower_id`)} as legal,
  to_jsonb(array(
    select jsonb_build_object('due_date', draw.due_date, 'amount', draw.amount::text, 'retry_on', draw.retry_on)
    from autopay_draws as draw
    where draw.autopay_plan_id = plan.id and draw.status = 'retrying'
    order by draw.due_date
  )) as retries
`;

/** The active or paused autopay plan of a row of `loans` (`loan`), as JSON. Null if there is none. */
export const openAutopayPlan = sql.fragment`(
  select to_jsonb(one) from (
    select ${autopayPlanColumns} from autopay_plans as plan
    where plan.loan_id = loan.id and plan.status in ('active', 'paused')
  ) as one
)`;
