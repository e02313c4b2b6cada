import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { loans } from '../loans/loans.ts';

/**
 * The date and amount of a loan's next autopay draw, calculated from the current bill like
 * jobs/payments/autopay/draw-amount.ts does on the day itself. Null if the draw will be skipped (the
 * installment is paid, payments are paused), or if the plan's own frequency determines which bill it pays.
 * Needs the aliases `loan`, `row` (the loan's view) and `today`.
 */
export const upcomingDraw = sql.fragment`(
  select plan.next_run_date as date, draw.amount, plan.payment_instrument_id
  from autopay_plans as plan
  cross join lateral (select app.repayment_outlook(loan, plan.next_run_date) as owed offset 0) as debt
  cross join lateral (
    select case
      when plan.amount_type = 'payoff' then greatest(
        debt.owed + row.charge_off_balance + app.prepayment_penalty(loan, plan.next_run_date)
          - row.suspense_balance, 0.00
      )
      when row.is_accelerated then 0.00
      when plan.amount_type = 'fixed' then least(plan.fixed_amount, debt.owed)
      when plan.amount_type = 'statement_balance' and loan.is_billed_by_cycle
      then case when loan.cycle_start_date = today.day then least(row.total_balance, debt.owed) end
      when plan.frequency <> 'on_due_date' then 0.00
      when plan.next_due_date >= row.maturity_date then debt.owed
      when plan.next_due_date <> row.next_payment_date then 0.00
      else least(debt.owed, case plan.amount_type
        when 'minimum_due_plus' then row.next_payment_amount + plan.extra_amount
        when 'past_due_and_current' then row.amount_due
        when 'statement_balance' then row.amount_due
        else row.next_payment_amount
      end)
    end as amount
    offset 0
  ) as draw
  where plan.loan_id = loan.id and plan.status = 'active' and plan.is_enabled
    and plan.next_run_date is not null and draw.amount > 0
    and not exists (
      select from jsonb_to_recordset(loan.delinquency_pauses) as pause ("from" date, "to" date)
      where plan.next_run_date between pause."from" and pause."to"
    )
  limit 1
)`;

const Upcoming = z.object({
  amount: z.string(),
  date: z.string(),
  account_last_four: z.string().nullable(),
});

/** The loan's next autopay draw, with its account; null if there is none. */
export const findUpcomingDraw = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(Upcoming)`
    select draw.amount::text as amount, draw.date,
           instrument.account_number_last_four as account_last_four
    from (${loans.rows}) as row
    join loans as loan on loan.id = row.id
    cross join (select app.business_date() as day offset 0) as today
    cross join lateral ${upcomingDraw} as draw
    join payment_instruments as instrument on instrument.id = draw.payment_instrument_id
    where row.id = ${loanId}
  `);
