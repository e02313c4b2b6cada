import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { loanIdsOwedBy } from '../loans/co-borrowers.ts';
import { loans } from '../loans/loans.ts';
import { containsPattern, table } from '../table.ts';

/**
 * A loan as the portal shows it: the row that staff see, plus the sum of its valid payments and the day it
 * was boarded.
 */
export const portalLoans = table({
  name: 'loans',
  rows: sql.fragment`
    -- Staff may record a payment for a closed loan (it goes to suspense), but a borrower cannot pay one.
    select loan.*, loan.allowed_actions ? 'payments' and loan.status in ('active', 'charged_off') as can_pay,
           (
             select coalesce(
               sum(case payment_type when 'reimbursement' then -amount else amount end), 0.00
             )
             from payments
             where loan_id = loan.id and status in ('completed', 'settled')
           ) + earlier.paid as total_paid,
           earlier.is_known as has_earlier_payments,
           (
             select coalesce((details #>> '{takeover,on}')::date, effective_date) from loan_events
             where loan_id = loan.id and kind = 'boarding' limit 1
           ) as boarded_on
    from (${loans.rows}) as loan
    -- What the previous servicer received: displayed transactions, or replayed payments.
    cross join lateral (
      select coalesce(sum(
               case when paid.transaction_type = 'payment_reversal' then -paid.amount else paid.amount end
             ), 0.00) as paid,
             count(*) > 0 or exists (
               select from loan_events as event where event.loan_id = loan.id and event.is_replayed
             ) as is_known
      from earlier_transactions as paid
      where paid.loan_id = loan.id and paid.event_id is null and case paid.transaction_type
        when 'payment_reversal' then paid.reverses is null
        else paid.transaction_type in ('payment', 'recovery') and not exists (
          select from earlier_transactions as undoing
          where undoing.loan_id = paid.loan_id and undoing.transaction_type = 'payment_reversal'
            and undoing.reverses = paid.transaction_id
        )
      end
    ) as earlier
  `,
  own: [
    'id',
    'q',
    'status',
    'loan_number',
    'principal_amount',
    'principal_balance',
    'origination_date',
    'maturity_date',
    'created_at',
  ],
  search: (words) => sql.fragment`row.loan_number ilike ${containsPattern(words)}`,
});

const Open = z.object({
  id: z.string(),
  loan_number: z.string(),
  status: z.string(),
  principal_balance: z.string(),
  total_balance: z.string(),
  charge_off_balance: z.string(),
  next_payment_date: z.string().nullable(),
  next_payment_amount: z.string(),
  amount_due: z.string(),
  past_due_amount: z.string(),
});

/** The person's open loans, ordered by their next payment. */
export const findOpenLoans = (tx: Transaction, borrowerId: string) =>
  tx.any(
    prepared(sql.type(Open)`
      select id, loan_number, status, principal_balance, total_balance, charge_off_balance,
             next_payment_date, next_payment_amount, amount_due, past_due_amount
      from (${loans.rows}) as loan
      where loan.id = any(${loanIdsOwedBy(borrowerId)})
        and loan.status in ('pending', 'approved', 'active', 'charged_off')
      order by next_payment_date nulls last, loan_number
      limit 1000
    `),
  );
