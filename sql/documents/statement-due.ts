import { sql } from '../database/db.ts';
import { sparing } from '../loans/reliefs.ts';
import { upcomingDraw } from '../payments/upcoming-draw.ts';

/** When the instalment before the next one was due: whoever has paid since is current by a rule that says so. */
const dueBefore = sql.fragment`(
  select max(due_date) from installments
  where loan_id = loan.id and version = loan.schedule_version and due_date < row.next_payment_date
)`;

/**
 * The late fee that follows if the next instalment is not paid in time, and the last day on which it is:
 * what jobs/loans/fees/late-fees.ts assesses after that day. None for whoever is spared.
 */
const lateFee = sql.fragment`(
  select jsonb_build_object('amount', fee.amount::text, 'after', fee.after)
  from (
    select row.next_payment_date + coalesce(
             (rule ->> 'grace_days')::integer, (loan.terms ->> 'late_fee_grace_days')::integer
           ) as after, place, rule ->> 'late_fee_rule' as mercy,
           least(
             greatest(case rule ->> 'calculation'
               when 'flat' then flat.amount
               when 'greater_of' then greatest(flat.amount, share.amount)
               when 'lesser_of' then least(flat.amount, share.amount)
               else share.amount
             end, (rule ->> 'min_amount')::numeric),
             (rule ->> 'max_amount')::numeric
           )::numeric(15, 2) as amount
    from (
      select rule, place
      from jsonb_array_elements(loan.terms -> 'fee_rules') with ordinality as rules (rule, place)
      where rule ->> 'trigger' = 'past_due'
        -- A rule that cannot be read costs one loan its night, which sets it aside, and no other its statement.
        and not exists (
          select from unnest(array[
            rule ->> 'amount', rule ->> 'percentage', rule ->> 'min_amount', rule ->> 'max_amount'
          ]) as figure
          where not pg_input_is_valid(figure, 'numeric')
        )
      offset 0
    ) as rules
    cross join lateral (select coalesce((rule ->> 'amount')::numeric, 0.00) as amount) as flat
    cross join lateral (
      select round(
        case when rule ->> 'calculation' = 'percent_of_past_due' then row.next_payment_amount
          else greatest(asked.amount, row.next_payment_amount) end
          * coalesce((rule ->> 'percentage')::numeric, 0), 2
      ) as amount
    ) as share
  ) as fee
  where row.next_payment_amount > 0 and row.next_payment_date >= today.day
    and not loan.is_frozen and fee.amount > 0
    and not (fee.mercy = 'standard_fee' and fee.amount >= row.next_payment_amount)
    and not exists (
      select from (${sparing(sql.fragment`loan.id`, ['scheduled', 'active'])}) as relief
      where fee.after >= relief."from" and (relief."to" is null or fee.after <= relief."to")
    )
    and not (fee.mercy = 'current' and exists (
      select from loan_events as payment
      where payment.loan_id = loan.id and payment.kind = 'payment'
        and payment.effective_date > coalesce(${dueBefore}, '-infinity')
        and not exists (
          select from loan_events as undone
          where undone.loan_id = loan.id and undone.kind = 'reversal'
            and undone.details ->> 'reverses' = payment.id::text
        )
    ))
  order by fee.after, fee.place
  limit 1
)`;

/** What is asked for by when, what is drawn by itself, and what being late costs. */
export const due = sql.fragment`(
  select jsonb_build_object(
    'next_due_date', row.next_payment_date, 'amount_due', row.amount_due::text,
    'regular_payment', (row.amount_due - row.past_due_amount - row.fees_due)::text,
    'past_due', row.past_due_amount::text, 'fees', row.fees_due::text,
    'days_past_due', row.days_past_due, 'late_fee', ${lateFee},
    'autopay', (
      select jsonb_build_object('date', draw.date, 'amount', draw.amount::text)
      from ${upcomingDraw} as draw
    )
  )
  from (
    select max(payment_amount) as amount from installments
    where loan_id = loan.id and version = loan.schedule_version
      and due_date = row.next_payment_date and not is_canceled
  ) as asked
)`;
