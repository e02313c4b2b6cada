import { sql, type Transaction } from '../database/db.ts';

type ChargedOff = { on: string; reason: string; amount: string };

/** Records the date, reason and charged-off principal. A past date is stored as noon of that day. */
export const markChargedOff = (tx: Transaction, id: string, { on, reason, amount }: ChargedOff) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set charged_off_at =
          case when ${on} = app.business_date() then now() else ${on}::date + interval '12 hours' end,
        charge_off_reason = ${reason}, charge_off_amount = ${amount}::numeric
    where id = ${id}
  `);

/** Records the reason of a partial charge-off. The loan stays active. */
export const setPartialReason = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update loans set charge_off_reason = ${reason} where id = ${id}
  `);

export const unmarkChargedOff = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set charged_off_at = null, charge_off_reason = null, charge_off_amount = null
    where id = ${id}
  `);

export const cancelAutopayPlans = (tx: Transaction, loanId: string) =>
  tx.query(sql.typeAlias('void')`
    with plans as (
      update autopay_plans
      set status = 'canceled', canceled_at = now(), cancel_reason = 'loan_closed',
          next_due_date = null, next_run_date = null, next_draw_date = null, next_draw_amount = null
      where loan_id = ${loanId} and status in ('active', 'paused')
      returning id
    )
    update payments set status = 'canceled'
    where loan_id = ${loanId} and status = 'scheduled' and source = 'autopay'
  `);
