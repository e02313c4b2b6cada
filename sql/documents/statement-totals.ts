import { sql } from '../database/db.ts';
import { requiredAmount } from '../loans/outlook.ts';

/** The totals of the last statement, from which the activity since then is counted. */
const previousStatement = (month: string) => sql.fragment`(
  select statement_date, figures -> 'summary' as summary, figures -> 'counters' as counters,
         figures -> 'plan' as plan
  from statements where loan_id = loan.id and statement_month < ${month}::date
  order by statement_month desc limit 1
)`;

/** What a boarded loan brought with it, from which the activity of its first statement is counted. */
const boardedTotals = sql.fragment`(
  select coalesce((details #>> '{takeover,on}')::date, effective_date) as effective_date, recorded_at,
         coalesce(
           details #>> '{takeover,interest_accrued}', details ->> 'accrued_interest', '0.00'
         )::numeric as interest,
         (details #>> '{takeover,amount_lent}')::numeric as lent,
         (details #>> '{takeover,fees_assessed}')::numeric as fees,
         (details #>> '{takeover,amount_paid}')::numeric as paid,
         coalesce(
           (details #>> '{takeover,balance}')::numeric,
           (details ->> 'principal_balance')::numeric
             + coalesce((details ->> 'accrued_interest')::numeric, 0.00)
             + coalesce((details ->> 'outstanding_fees')::numeric, 0.00)
         ) as balance
  from loan_events where loan_id = loan.id and kind = 'boarding' limit 1
)`;

/** The totals since the loan began. "offset 0" keeps Postgres from computing an expression again for each use. */
const cumulativeTotals = sql.fragment`(
  select ${requiredAmount(sql.fragment`grown.earned`)} as accrued,
         (
           select coalesce(sum((details ->> 'amount')::numeric), 0.00) from loan_events
           where loan_id = loan.id and kind in ('disbursement', 'draw') and reversed_by is null
         )::numeric(15, 2) as disbursed,
         (
           select coalesce(sum(fee.amount), 0.00) from fees as fee
           where fee.loan_id = loan.id and fee.status <> 'reversed'
         ) as fees,
         loan.paid_principal + loan.paid_interest + loan.paid_fees + loan.recovered_amount as paid
  offset 0
)`;

const totalsSincePrevious = sql.fragment`(
  select coalesce(
           (previous.summary ->> 'new_balance')::numeric, boarded.balance, 0.00
         )::numeric(15, 2) as previous_balance,
         total.accrued
           - coalesce((previous.counters ->> 'accrued')::numeric, boarded.interest, 0)
           as interest,
         total.disbursed - coalesce((previous.counters ->> 'disbursed')::numeric, boarded.lent, 0)
           as disbursed,
         total.fees - coalesce((previous.counters ->> 'fees')::numeric, boarded.fees, 0) as fees,
         total.paid - coalesce((previous.counters ->> 'paid')::numeric, boarded.paid, 0) as payments
  offset 0
)`;

/**
 * Joins the activity since the last statement: the difference of cumulative totals (accrued, disbursed, assessed,
 * paid). Reversed and backdated payments therefore appear in the month in which they became known; credits
 * are the remainder:
 *
 *   previous 10,000.00 + disbursed 0 + interest 72.19 + fees 25.00 - payments 315.68 - credits 0 = new
 *   9,781.51
 */
export const joinActivityTotals = (month: string) => sql.fragment`
    left join lateral ${previousStatement(month)} as previous on true
    left join lateral ${boardedTotals} as boarded on true
    cross join lateral (
      select coalesce(boarded.effective_date, loan.disbursement_date, ${month}::date) as opened_on
    ) as origin
    cross join lateral (
      select coalesce(
        cycle.begins, previous.statement_date, least(${month}::date, origin.opened_on)
      ) as first
    ) as period
    cross join lateral ${cumulativeTotals} as total
    cross join lateral ${totalsSincePrevious} as moved
    -- A charged-off part has left the books, but the borrower still owes it.
    cross join lateral (
      select row.total_balance + row.charge_off_balance as owed offset 0
    ) as balance
    cross join lateral (
      select moved.previous_balance + moved.disbursed + moved.interest + moved.fees
               - moved.payments - balance.owed as amount
      offset 0
    ) as credits`;
