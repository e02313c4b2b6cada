import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { isOpenInstallment } from '../loans/installments.ts';
import { lateFeeExemptPeriodsSql } from '../loans/reliefs.ts';
import { upcomingDraw } from '../payments/upcoming-draw.ts';

/** The next installment, unless its due date is over, with its scheduled amount and its unpaid rest. */
const nextInstallment = sql.fragment`(
  select row.next_payment_date as due_date, row.next_payment_amount as rest,
         greatest(asked.amount, row.next_payment_amount) as payment_amount
  where row.next_payment_amount > 0 and row.next_payment_date >= today.day
)`;

/** The unpaid installments that are past due and have no late fee yet. */
const pastDueInstallments = sql.fragment`(
  select due_date, payment_amount - paid_amount as rest, payment_amount
  from installments
  where row.past_due_amount > 0 and loan_id = loan.id and version = loan.schedule_version
    and ${isOpenInstallment('installments', sql.fragment`loan.installment_tolerance`)} and due_date < today.day
    and not exists (
      select from fees as late
      where late.loan_id = loan.id and late.fee_type = 'late' and late.status <> 'reversed'
        and late.installment_number = installments.period_number
    )
)`;

/**
 * The due date of the previous installment. A fee rule may treat the borrower as current if a payment
 * arrived after it.
 */
const dueBefore = sql.fragment`(
  select max(due_date) from installments
  where loan_id = loan.id and version = loan.schedule_version and due_date < bill.due_date
)`;

/**
 * The first late fee that follows if these installments are not paid, and the last day to pay them without
 * it. Must equal what jobs/loans/fees/late-fees.ts assesses after that day;
 * test/documents/statement-warnings.test.ts compares them. Null if the loan is exempt.
 */
const lateFeeOf = (bills: SqlFragment) => sql.fragment`(
  select jsonb_build_object('amount', fee.amount::text, 'after', fee.after)
  from ${bills} as bill
  cross join lateral (
    select bill.due_date + coalesce(
             (rule ->> 'grace_days')::integer, (loan.terms ->> 'late_fee_grace_days')::integer
           ) as after, place, rule ->> 'late_fee_rule' as late_fee_rule,
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
        -- An invalid rule must not fail all statements; the close quarantines its loan.
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
        case when rule ->> 'calculation' = 'percent_of_past_due' then bill.rest
          else bill.payment_amount end
          * coalesce((rule ->> 'percentage')::numeric, 0), 2
      ) as amount
    ) as share
  ) as fee
  -- The amount past due on the night that decides: the current one, plus installments due by the end of the
  -- grace period, which may be longer than a billing period; at most the debt.
  cross join lateral (
    select case when row.next_payment_date between today.day and fee.after
             then row.next_payment_amount else 0.00 end as next,
           (
             select coalesce(sum(payment_amount - paid_amount), 0.00) from installments
             where loan_id = loan.id and version = loan.schedule_version
               and ${isOpenInstallment('installments', sql.fragment`loan.installment_tolerance`)}
               and due_date > row.next_payment_date and due_date between today.day and fee.after
           ) as then
  ) as coming
  cross join lateral (
    select row.past_due_amount + coming.next
             + least(coming.then, greatest(row.total_balance - row.past_due_amount - coming.next, 0.00))
             as amount
  ) as late
  where not loan.is_frozen and fee.amount > 0 and fee.after >= today.day
    and not (fee.late_fee_rule = 'standard_fee' and fee.amount >= late.amount)
    and not exists (
      select from (${lateFeeExemptPeriodsSql(sql.fragment`loan.id`, ['scheduled', 'active'])}) as relief
      -- In force on the last day of the grace period, or on the night after it.
      where fee.after + 1 >= relief."from" and (relief."to" is null or fee.after <= relief."to")
    )
    and not (fee.late_fee_rule = 'current' and exists (
      select from loan_events as payment
      where payment.loan_id = loan.id and payment.kind = 'payment'
        and payment.effective_date > coalesce(${dueBefore}, '-infinity') and payment.reversed_by is null
    ))
  order by fee.after, bill.due_date, fee.place
  limit 1
)`;

/** The last day of the loan's full forbearance, during which no payment is expected. */
const forbearanceUntil = sql.fragment`(
  select max(end_date) from forbearances
  where loan_id = loan.id and status = 'active' and forbearance_type = 'full'
    and today.day between start_date and end_date
)`;

/** The amount due and its due date, the next autopay draw, and the cost of paying late. */
export const dueFigures = sql.fragment`(
  select jsonb_build_object(
    'next_due_date', row.next_payment_date, 'amount_due', row.amount_due::text,
    'regular_payment', (row.amount_due - row.past_due_amount - row.fees_due)::text,
    'past_due', row.past_due_amount::text, 'fees', row.fees_due::text,
    'days_past_due', row.days_past_due, 'forbearance_until', ${forbearanceUntil}, 'late_fee', ${lateFeeOf(nextInstallment)},
    'cure', ${lateFeeOf(pastDueInstallments)},
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
