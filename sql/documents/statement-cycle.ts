import { sql } from '../database/db.ts';

export const endedCycle = sql.fragment`(
  select (event.details #>> '{agreement,begins}')::date as begins
  from loan_events as event
  where loan.cycle_start_date = today.day and event.loan_id = loan.id
    and event.kind = 'schedule_agreed' and event.effective_date = today.day - 1 and event.reversed_by is null
    and event.details #>> '{agreement,rule}' = 'minimum'
  order by event.id desc limit 1
)`;

/**
 * Additional figures on the statement of a line of credit (12 CFR 1026.7): available credit, the cycle's
 * interest, the average daily balance that bore interest (measured at the end of each day), and the year's
 * interest and fees including this statement ((b)(6)(iii)).
 */
export const lineFigures = sql.fragment`case when cycle.begins is not null then jsonb_build_object(
  'days', today.day - cycle.begins,
  'credit_limit', row.credit_limit::text, 'available_credit', row.available_credit::text,
  'minimum_payment', row.next_payment_amount::text,
  'interest_charge', moved.interest::text, 'outlook', loan.cycle_outlook,
  -- The date by which paying the new balance avoids further interest ((b)(8)).
  'grace', case when loan.terms @> '{"grace_on_purchases": true}' and row.next_payment_date >= today.day then
    jsonb_build_object('is_kept', row.interest_free_balance > 0)
  end,
  'charged_in_year', (
    select jsonb_build_object(
      'year', extract(year from today.day - 1)::text,
      'interest', (coalesce(sum((statement.figures #>> '{summary,interest}')::numeric), 0.00) + moved.interest)::text,
      'fees', (coalesce(sum((statement.figures #>> '{summary,fees}')::numeric), 0.00) + moved.fees)::text
    )
    from statements as statement
    where statement.loan_id = loan.id and statement.statement_date < today.day
      and statement.statement_date > date_trunc('year', today.day - 1)
  ),
  'balance_subject_to_interest', (
    select round(coalesce(sum(day.principal_balance - day.interest_free_balance), 0.00) / (today.day - cycle.begins), 2)
    from loan_snapshots as day
    where day.loan_id = loan.id and day.snapshot_date >= cycle.begins
      and day.snapshot_date < today.day
  )::text
) end`;
