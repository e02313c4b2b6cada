import { sql } from '../database/db.ts';
import { upcomingDraw } from '../payments/upcoming-draw.ts';

/** The last day of the loan's full forbearance, during which no payment is expected. */
const forbearanceUntil = sql.fragment`(
  select max(end_date) from forbearances
  where loan_id = loan.id and status = 'active' and forbearance_type = 'full'
    and today.day between start_date and end_date
)`;

/** The fees that follow if the loan's next or past-due installments are not paid, each with the last day to avoid it. */
const lateFees = sql.fragment`jsonb_build_object(
  'late_fee', case when ahead.late_fee_after >= today.day
    then jsonb_build_object('amount', ahead.late_fee_amount::text, 'after', ahead.late_fee_after) end,
  'cure', case when ahead.cure_fee_after >= today.day
    then jsonb_build_object('amount', ahead.cure_fee_amount::text, 'after', ahead.cure_fee_after) end
)`;

/** The amount due and its due date, the next autopay draw, and the cost of paying late. */
export const dueFigures = sql.fragment`(
  jsonb_build_object(
    'next_due_date', row.next_payment_date, 'amount_due', row.amount_due::text,
    'regular_payment', (row.amount_due - row.past_due_amount - row.fees_due)::text,
    'past_due', row.past_due_amount::text, 'fees', row.fees_due::text,
    'days_past_due', row.days_past_due, 'forbearance_until', ${forbearanceUntil},
    'autopay', ${upcomingDraw(sql.fragment`loan.id`, sql.fragment`today.day`)}
  ) || ${lateFees}
)`;
