import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { loanIdsOwedBy } from '../loans/co-borrowers.ts';

const Notice = z.object({
  type: z.enum([
    'payment_returned',
    'payment_failed',
    'autopay_paused',
    'payoff_quote_ready',
    'document_wanted',
    'hardship_decided',
  ]),
  loan_id: z.string().nullable(),
  loan_number: z.string().nullable(),
  amount: z.string().nullable(),
  date: z.string().nullable(),
});

/**
 * Days for which a notice is shown about a returned payment (unless a later payment followed) or about a
 * decision.
 */
const NOTICE_DAYS = 30;

/** Notices about the person's own orders and applications. Past due amounts are shown elsewhere. */
export const noticesFor = (tx: Transaction, borrowerId: string) =>
  tx.any(sql.type(Notice)`
    with own as materialized (
      select id, loan_number from loans where id = any(${loanIdsOwedBy(borrowerId)})
    )
    select case payment.status when 'returned' then 'payment_returned' else 'payment_failed' end
             as type,
           own.id as loan_id, own.loan_number, payment.amount::numeric as amount,
           payment.payment_date as date
    from own join payments as payment on payment.loan_id = own.id
    where payment.status in ('returned', 'failed') and payment.borrower_id = ${borrowerId}
      and coalesce(payment.reversal_effective_date, payment.payment_date)
        > app.business_date() - ${NOTICE_DAYS}::integer
      and not exists (
        select from payments as later
        where later.loan_id = own.id and later.status in ('completed', 'settled')
          and later.payment_type <> 'reimbursement'
          and later.created_at > coalesce(payment.reversed_at, payment.created_at)
      )
    union all
    select 'autopay_paused', own.id, own.loan_number, null, null
    from own join autopay_plans as plan on plan.loan_id = own.id
    where plan.status = 'paused' and plan.borrower_id = ${borrowerId}
    union all
    select 'payoff_quote_ready', own.id, own.loan_number,
           quote.payoff_amount_good_through::numeric,
           quote.good_through_date
    from own join payoff_quotes as quote on quote.loan_id = own.id
    where quote.status = 'active' and quote.good_through_date >= app.business_date()
    union all
    select 'document_wanted', own.id, own.loan_number, null, task.due_date
    from tasks as task left join own on own.id = task.loan_id
    where task.borrower_id = ${borrowerId} and task.task_type = 'document_request'
      and task.status in ('open', 'in_progress')
    union all
    select 'hardship_decided', own.id, own.loan_number, null, null
    from own join hardship_applications as application on application.loan_id = own.id
    where application.borrower_id = ${borrowerId}
      and application.decided_at > now() - make_interval(days => ${NOTICE_DAYS})
    order by type, loan_number, date
    limit 100
  `);
