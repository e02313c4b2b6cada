import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { isOpenInstallment } from './installments.ts';

/**
 * Columns of a loan that come from its schedule. Needs the aliases `record` (the loan), `today`, `owed`
 * (what it owes) and `due` (the oldest unpaid due date). The nightly snapshot reads them for every loan, so
 * the parts that only late loans need are computed for late loans only.
 */

/**
 * Open installments. A satisfied installment counts as paid. The last one stays open until the loan owes
 * nothing.
 */
const open = sql.fragment`
  loan_id = record.id and version = record.schedule_version
    and (${isOpenInstallment('installments', sql.fragment`record.installment_tolerance`)}
      or (not is_canceled and due_date = record.maturity_date and due.since is not null))`;

const sinceFirstOpen = sql.fragment`period_number >= coalesce(record.first_open_period, 0)`;

/**
 * Open installments from today on. The first is found by its number if the loan's row knows it, otherwise
 * by its due date.
 */
const openFutureInstallments = sql.fragment`
  select due_date, payment_amount - paid_amount as amount
  from installments where ${open} and due_date >= today.day`;

/**
 * The number of open installments, and the next one (`upcoming`). They are counted only if the loan's row
 * does not know the number.
 */
export const openInstallments = sql.fragment`(
  select case
      when record.open_installments is null
        then (select count(*)::integer from installments where ${open})
      else record.open_installments + (record.is_last_installment_paid and due.since is not null)::integer
    end as remaining, next.due_date, next.amount
  from (values (1)) as always
  left join lateral (
    (${openFutureInstallments} and period_number >= record.first_open_period order by period_number limit 1)
    union all
    select first.* from (${openFutureInstallments} order by due_date, period_number limit 1) as first
    where record.first_open_period is null
  ) as next on true
)`;

/** The amount that would repay the loan today. Unearned interest that was paid ahead reduces it. */
const debt = sql.fragment`owed.repayment`;

/** The loan is past its maturity and still owes something. All of it is past due. */
const isMatured = sql.fragment`due.since is not null and record.maturity_date < today.day`;

const isOld = (since: SqlFragment) => sql.fragment`
  (${since} + record.delinquency_grace_days <= today.day - 30 and (record.delinquency_pauses = '[]'
    or app.days_past_due(
      ${since}, today.day, record.delinquency_pauses, record.delinquency_grace_days
    ) >= 30))`;

/**
 * The past due amount (`past_due`): the unpaid rest of the installments that were due, at most the debt;
 * after maturity, the debt. A payment of an installment counts towards its fees first, then its interest.
 * The parts add up to the whole, and none exceeds what is owed of its kind.
 */
export const pastDue = sql.fragment`(
  select whole.amount, whole.amount_30, paid.principal, paid.interest,
         whole.amount - paid.principal - paid.interest as fees
  from (
    select coalesce(sum(amount), 0.00) as amount,
           coalesce(sum(amount) filter (where ${isOld(sql.fragment`due_date`)}), 0.00) as amount_30,
           coalesce(sum(least(interest_amount, greatest(amount - principal_amount, 0))), 0.00) as interest,
           coalesce(sum(greatest(amount - principal_amount - interest_amount, 0)), 0.00) as fees
    from (
      select due_date, principal_amount, interest_amount, payment_amount - paid_amount as amount
      -- Repeated here to skip loans without a past due amount.
      from installments
      where ${open} and ${sinceFirstOpen} and due_date < today.day and due.since < today.day
    ) as installment
  ) as late
  cross join lateral (
    select case when today.day > record.maturity_date then ${debt} else least(${debt}, late.amount) end as amount,
           case when ${isOld(sql.fragment`record.maturity_date`)} then ${debt}
             else least(${debt}, late.amount_30) end as amount_30
    offset 0
  ) as whole
  cross join lateral (
    select least(late.fees, record.outstanding_fees, whole.amount) as amount
    offset 0
  ) as fees
  cross join lateral (
    select least(
             whole.amount - fees.amount - least(late.interest, owed.interest, whole.amount - fees.amount),
             record.principal_balance
           ) as principal
    offset 0
  ) as rest
  cross join lateral (
    select rest.principal, least(whole.amount - fees.amount - rest.principal, owed.interest) as interest
    offset 0
  ) as paid
  where due.since < today.day
  -- Nothing is computed for a loan that is not late.
  offset 0
)`;

/**
 * The next bill (`bill`): the unpaid rest of the first open installment from today on. It is at most the
 * expected debt on its due date less the past due amount. The last installment bills all of that, also if
 * all installments are paid but fees or interest are still owed.
 */
export const nextBill = (outlook: (day: SqlFragment) => SqlFragment) => sql.fragment`(
  select next.due_date, next.is_final, next.rest,
         case when next.is_final then next.rest else least(upcoming.amount, next.rest) end as amount
  from (
    select day.due_date, day.due_date = record.maturity_date as is_final,
           greatest(
             ${outlook(sql.fragment`day.due_date`)} - coalesce(past_due.amount, 0.00), 0.00
           ) as rest
    from (select coalesce(upcoming.due_date, record.maturity_date) as due_date) as day
    offset 0
  ) as next
  -- A line of credit billed by cycle has no maturity; only its cycles make amounts due.
  where record.status = 'active' and next.due_date is not null
    and record.principal_balance + owed.interest + record.outstanding_fees > 0
    and (record.maturity_date is null or record.maturity_date >= today.day)
  offset 0
)`;

/** After maturity, the whole debt is both past due and the next payment. */
export const nextPayment = sql.fragment`
  coalesce(bill.amount, case when ${isMatured} then ${debt} else 0.00 end)`;

export const nextPaymentDate = sql.fragment`
  coalesce(bill.due_date, case when ${isMatured} then record.maturity_date end)`;

/** Open fees that are not part of an installment, as far as the bill does not include them. */
export const feesDue = sql.fragment`
  case when record.outstanding_fees > 0 and bill.rest > bill.amount
    and not record.is_billed_by_cycle then least(
    record.outstanding_fees - (
      select coalesce(sum(fee.amount - fee.amount_paid - fee.amount_waived - fee.amount_reclassified), 0.00)
      from fees as fee
      where fee.loan_id = record.id and fee.treatment = 'amortized' and fee.status <> 'reversed'
    ),
    bill.rest - bill.amount
  ) else 0.00 end`;

/** The expected amount of the last installment; null if nothing is owed. */
export const finalPaymentAmount = sql.fragment`
  case
    when ${isMatured} then ${debt}
    when bill.is_final then bill.amount
    when bill.due_date is not null then record.final_payment_amount
  end`;
