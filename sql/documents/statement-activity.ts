import { sql } from '../database/db.ts';

/**
 * What became known since the last statement, as the totals count, each with the day for which it counts
 * in the books: a fee that was entered late stands on this statement under its own, earlier day. A payment may
 * be applied otherwise than in its own month, where an earlier one came late or was taken back: the
 * difference is a line of its own, so that the lines add up to what the balance moved by, and the balance
 * that each of them leaves ends at the new one.
 */
export const activity = sql.fragment`(
  with money as (
    select event.effective_date as date, 'payment' as kind, 2 as rank,
           payment.suspense_applied - payment.amount as amount,
           -payment.principal_applied as principal, -payment.interest_applied as interest,
           -payment.fees_applied as fees
    from loan_events as event join payments as payment on payment.id = event.id
    where event.loan_id = loan.id and event.kind = 'payment'
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'suspense_applied', 2,
           -applied.principal_applied - applied.interest_applied - applied.fees_applied,
           -applied.principal_applied, -applied.interest_applied, -applied.fees_applied
    from loan_events as event join suspense_applications as applied on applied.id = event.id
    where event.loan_id = loan.id and event.kind = 'suspense_application'
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'refund', 4, -payment.principal_applied, -payment.principal_applied,
           null, null
    from loan_events as event join payments as payment on payment.id = event.id
    where event.loan_id = loan.id and event.kind = 'reimbursement' and payment.principal_applied <> 0
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'payment_reversed', 3,
           payment.principal_applied + payment.interest_applied + payment.fees_applied,
           payment.principal_applied, payment.interest_applied, payment.fees_applied
    from loan_events as event
    join payments as payment on payment.id = (event.details ->> 'reverses')::uuid
    where event.loan_id = loan.id and event.kind = 'reversal'
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'collateral_sold', 2, sale.surplus - sale.net_proceeds,
           -sale.applied_principal - sale.recovered, -sale.applied_interest, -sale.applied_fees
    from loan_events as event join liquidations as sale on sale.id = event.id
    where event.loan_id = loan.id and event.kind = 'liquidation'
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'sale_reversed', 3, sale.net_proceeds - sale.surplus,
           sale.applied_principal + sale.recovered, sale.applied_interest, sale.applied_fees
    from loan_events as event
    join liquidations as sale on sale.id = (event.details ->> 'reverses')::uuid
    where event.loan_id = loan.id and event.kind = 'reversal'
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select fee.effective_date, 'fee_deducted', 2, -fee.amount, null, null, -fee.amount
    from fees as fee
    where fee.loan_id = loan.id and fee.treatment = 'deducted' and fee.status <> 'reversed'
      and fee.assessed_date >= period.first and fee.assessed_date < today.day
  ), waived as (
    select event.effective_date as date, -(event.details ->> 'amount')::numeric as amount
    from loan_events as event join fees as fee on fee.id = (event.details ->> 'fee_id')::uuid
    where event.loan_id = loan.id and event.kind = 'fee_waiver' and fee.status <> 'reversed'
      and event.recorded_on >= period.first and event.recorded_on < today.day
  )
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'date', line.date, 'kind', line.kind, 'amount', line.amount::text,
      'principal', line.principal::text, 'interest', line.interest::text, 'fees', line.fees::text,
      'balance', line.balance::text
    ) order by line.place
  ), '[]')
  from (
    select placed.*,
           moved.previous_balance + sum(placed.amount) over (order by placed.place) as balance
    from (
      select moving.*, row_number() over (order by moving.date, moving.rank, moving.amount) as place
      from (
    select date, kind, rank, amount, principal, interest, fees from money
    union all
    select date, 'fee_waived', 5, amount, null, null, amount from waived
    union all
    select today.day - 1, 'applied_otherwise', 7, rest.amount, null, null, null
    from (select -moved.payments - coalesce(sum(amount), 0.00) as amount from money) as rest
    where rest.amount <> 0
    union all
    select fee.effective_date, 'fee_' || fee.fee_type, 1, fee.amount, null, null, fee.amount
    from fees as fee
    where fee.loan_id = loan.id and fee.status <> 'reversed'
      and fee.assessed_date >= period.first and fee.assessed_date < today.day
    union all
    select event.effective_date, 'disbursement', 0, (event.details ->> 'amount')::numeric,
           (event.details ->> 'amount')::numeric, null, null
    from loan_events as event
    where event.loan_id = loan.id and event.kind in ('disbursement', 'draw')
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select event.effective_date, 'disbursement_reversed', 0,
           -(funding.details ->> 'amount')::numeric, -(funding.details ->> 'amount')::numeric,
           null, null
    from loan_events as event
    join loan_events as funding on funding.id = (event.details ->> 'reverses')::uuid
    where event.loan_id = loan.id and event.kind = 'reversal'
      and funding.kind in ('disbursement', 'draw')
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    -- One that was assessed in the period itself is not on the statement at all.
    select event.effective_date, 'fee_reversed', 1, -fee.amount, null, null, -fee.amount
    from loan_events as event
    join loan_events as assessed on assessed.id = (event.details ->> 'reverses')::uuid
    join fees as fee on fee.id = (assessed.details ->> 'fee_id')::uuid
    where event.loan_id = loan.id and event.kind = 'reversal' and fee.status = 'reversed'
      and fee.assessed_date < period.first
      and event.recorded_on >= period.first and event.recorded_on < today.day
    union all
    select today.day - 1, 'interest', 8, moved.interest, null, moved.interest, null
    where moved.interest <> 0
    union all
    select today.day - 1, 'credit', 9, rest.amount, null, null, null
    from (select -credits.amount - coalesce(sum(amount), 0.00) as amount from waived) as rest
    where rest.amount <> 0
      ) as moving
    ) as placed
  ) as line
)`;
