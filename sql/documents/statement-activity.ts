import { sql } from '../database/db.ts';

/**
 * The ids that an event names, as columns. Under row-level security, Postgres uses an index for an id in a
 * column, but scans the whole table for an id that it must extract from JSON.
 */
const namedBy = (event: string) => sql.fragment`
  (${sql.identifier([event, 'details'])} ->> 'reverses')::uuid as reverses,
  (${sql.identifier([event, 'details'])} ->> 'fee_id')::uuid as fee_id`;

/**
 * Events since the last statement, and earlier events that were undone or restored since then.
 * A reversal of a reversal restores the first event, unless both are of this period.
 */
const RECORDED = sql.fragment`
  known as (
    select event.id, event.kind, event.details, event.effective_date as date, event.recorded_at as at,
           event.reversed_by, ${namedBy('event')}
    from loan_events as event
    where event.loan_id = loan.id
      and event.recorded_on >= period.first and event.recorded_on < today.day
      -- What a boarded loan brought with it is in its previous balance.
      and not (event.is_replayed and event.recorded_at = boarded.recorded_at)
  ),
  changed as (
    select reversal.date, reversal.at, target.id, target.kind, target.details, true as is_undone, ${namedBy('target')}
    from known as reversal join loan_events as target on target.id = reversal.reverses
    where reversal.kind = 'reversal' and reversal.reversed_by is null
      and not (target.kind = 'reversal' and target.recorded_on >= period.first)
    union all
    select changed.date, changed.at, target.id, target.kind, target.details, not changed.is_undone, ${namedBy('target')}
    from changed join loan_events as target on target.id = changed.reverses
    where changed.kind = 'reversal'
  ),
  recorded as (
    select date, at, id, kind, details, fee_id from known
    union all
    select date, at, id, kind, details, fee_id from changed where kind <> 'reversal' and not is_undone
  ),
  undone as (
    select date, at, id, kind, details, fee_id from changed where kind <> 'reversal' and is_undone
  ),
  assessed as (
    select fee.effective_date as date, fee.created_at as at, fee.fee_type, fee.treatment, fee.amount
    from fees as fee
    where fee.loan_id = loan.id and fee.status <> 'reversed'
      and fee.assessed_date >= period.first and fee.assessed_date < today.day
      and fee.created_at is distinct from boarded.recorded_at
  )`;

/** Lines that move the total of payments: money received, returned, refunded, or applied from suspense. */
const PAYMENT_LINES = sql.fragment`
  money as (
    select event.date, event.at, 'payment' as kind, 2 as rank,
           payment.suspense_applied - payment.amount as amount,
           -payment.principal_applied as principal, -payment.interest_applied as interest,
           -payment.fees_applied as fees
    from recorded as event join payments as payment on payment.id = event.id
    where event.kind = 'payment'
    union all
    select event.date, event.at, 'suspense_applied', 2,
           -applied.principal_applied - applied.interest_applied - applied.fees_applied,
           -applied.principal_applied, -applied.interest_applied, -applied.fees_applied
    from recorded as event join suspense_applications as applied on applied.id = event.id
    where event.kind = 'suspense_application'
    union all
    select event.date, event.at, 'refund', 4,
           -payment.principal_applied, -payment.principal_applied, null, null
    from recorded as event join payments as payment on payment.id = event.id
    where event.kind = 'reimbursement' and payment.principal_applied <> 0
    union all
    select event.date, event.at, 'payment_reversed', 3,
           payment.principal_applied + payment.interest_applied + payment.fees_applied,
           payment.principal_applied, payment.interest_applied, payment.fees_applied
    from undone as event join payments as payment on payment.id = event.id
    union all
    -- The money is in suspense again; it has not left the loan.
    select event.date, event.at, 'suspense_application_reversed', 3,
           applied.principal_applied + applied.interest_applied + applied.fees_applied,
           applied.principal_applied, applied.interest_applied, applied.fees_applied
    from undone as event join suspense_applications as applied on applied.id = event.id
    union all
    select event.date, event.at, 'collateral_sold', 2, sale.surplus - sale.net_proceeds,
           -sale.applied_principal - sale.recovered, -sale.applied_interest, -sale.applied_fees
    from recorded as event join liquidations as sale on sale.id = event.id
    where event.kind = 'liquidation'
    union all
    select event.date, event.at, 'sale_reversed', 3, sale.net_proceeds - sale.surplus,
           sale.applied_principal + sale.recovered, sale.applied_interest, sale.applied_fees
    from undone as event join liquidations as sale on sale.id = event.id
    union all
    select fee.date, fee.at, 'fee_deducted', 2, -fee.amount, null, null, -fee.amount
    from assessed as fee
    where fee.treatment = 'deducted'
  )`;

/**
 * Lines of credits given by the lender. The event of a forgiveness states only its principal as an amount.
 * If interest or fees were forgiven as "all", the amount is what the other credits leave, provided that the
 * period has exactly one such forgiveness.
 */
const CREDIT_LINES = sql.fragment`
  stated as (
    select event.date, event.at, 'fee_waived' as kind, 5 as rank,
           -(event.details ->> 'amount')::numeric as amount, null::numeric as principal,
           null::numeric as interest, -(event.details ->> 'amount')::numeric as fees,
           false as is_open
    from recorded as event join fees as fee on fee.id = event.fee_id
    where event.kind = 'fee_waiver' and fee.status <> 'reversed'
    union all
    select event.date, event.at, 'service_credit', 5,
           -credit.principal_applied - credit.interest_applied - credit.fees_applied,
           -credit.principal_applied, -credit.interest_applied, -credit.fees_applied, false
    from recorded as event join service_credits as credit on credit.id = event.id
    where event.kind = 'service_credit'
    union all
    select event.date, event.at, 'credit_reversed', 6,
           credit.principal_applied + credit.interest_applied + credit.fees_applied,
           credit.principal_applied, credit.interest_applied, credit.fees_applied, false
    from undone as event join service_credits as credit on credit.id = event.id
    union all
    select event.date, event.at, 'forgiveness', 5, -principal.forgiven, nullif(-principal.forgiven, 0),
           null, null, 'all' in (event.details ->> 'interest', event.details ->> 'fees')
    from recorded as event
    cross join lateral (
      select case when event.details ->> 'principal' <> 'all'
               then (event.details ->> 'principal')::numeric else 0.00 end as forgiven
    ) as principal
    where event.kind = 'forgiveness'
    union all
    select event.date, event.at, 'forgiveness_reversed', 6, (event.details ->> 'principal')::numeric,
           (event.details ->> 'principal')::numeric, null, null, false
    from undone as event
    where event.kind = 'forgiveness' and event.details ->> 'principal' <> 'all'
  ),
  rest as (
    select -credits.amount - coalesce(sum(amount), 0.00) as amount,
           count(*) filter (where is_open) = 1 as is_of_one
    from stated
  ),
  given as (
    select date, at, kind, rank,
           amount + case when is_open and whole.is_of_one then whole.left_over else 0 end as amount,
           principal, interest, fees
    from stated
    cross join (select rest.amount as left_over, rest.is_of_one from rest) as whole
  )`;

/**
 * Lines that the lender added, and the remainders without a day of their own: interest, and amounts that no
 * event of the period explains.
 */
const CHARGE_LINES = sql.fragment`
  added as (
    select event.date, event.at, 'disbursement' as kind, 0 as rank,
           (event.details ->> 'amount')::numeric as amount,
           (event.details ->> 'amount')::numeric as principal, null::numeric as interest,
           null::numeric as fees
    from recorded as event
    where event.kind in ('disbursement', 'draw')
    union all
    select event.date, event.at, 'disbursement_reversed', 0,
           -(event.details ->> 'amount')::numeric, -(event.details ->> 'amount')::numeric, null, null
    from undone as event
    where event.kind in ('disbursement', 'draw')
    union all
    select fee.date, fee.at, 'fee_' || fee.fee_type, 1, fee.amount, null, null, fee.amount
    from assessed as fee
    union all
    -- A fee that was also assessed in this period is left out of the statement.
    select event.date, event.at, 'fee_reversed', 1, -fee.amount, null, null, -fee.amount
    from undone as event join fees as fee on fee.id = event.fee_id
    where fee.status = 'reversed' and fee.assessed_date < period.first
    union all
    select today.day - 1, 'infinity', 'applied_otherwise', 7,
           -moved.payments - coalesce(sum(money.amount), 0.00), null, null, null
    from money
    union all
    select today.day - 1, 'infinity', 'interest', 8, moved.interest, null, moved.interest, null
    union all
    select today.day - 1, 'infinity', 'credit', 9, rest.amount, null, null, null
    from rest
    where not rest.is_of_one
  )`;

/**
 * The activity of a statement: everything that became known since the last one, each with its effective
 * date. A fee that was entered late appears on this statement under its own, earlier date. A payment's
 * allocation may differ from that of its own month, if an earlier payment arrived late or was reversed;
 * that difference is a line of its own, so the lines add up to the change of the balance. Lines are ordered
 * by date and then by recording time. The last running balance is the new balance.
 */
export const activityFigures = sql.fragment`(
  with recursive ${RECORDED}, ${PAYMENT_LINES}, ${CREDIT_LINES}, ${CHARGE_LINES}
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'date', line.date, 'kind', line.kind, 'amount', line.amount::text,
      'principal', line.principal::text, 'interest', line.interest::text, 'fees', line.fees::text,
      'balance', line.balance::text
    ) order by line.place
  ), '[]')
  from (
    select moving.*, row_number() over sorted as place,
           moved.previous_balance + sum(moving.amount) over sorted as balance
    from (select * from money union all select * from given union all select * from added) as moving
    where moving.amount <> 0
    window sorted as (
      order by moving.date, moving.at, moving.rank, moving.amount rows unbounded preceding
    )
  ) as line
)`;
