import { sql } from '../database/db.ts';
import { Found, type Check } from '../invariants/check.ts';

/** Payments against the ledger: what was received is in cash, what was taken back is not. */
export const payments: readonly Check[] = [
  {
    rule: 'payments are in cash',
    query: sql.type(Found)`
      select payment.tenant_id, payment.id as subject,
             format('Payment %s of %s is %s, and the ledger has %s of it in cash.', payment.id,
               payment.amount, payment.status, coalesce(booked.amount, 0.00)) as message
      from payments as payment
      left join (
        -- A change of an earlier payment is booked under what caused it, and names the payment.
        select entry.tenant_id, cause.payment_id, sum(line.debit - line.credit) as amount
        from posted_lines as line
        join journal_entries as entry
          on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
        cross join lateral (
          select case when entry.purpose ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            then entry.purpose::uuid else entry.reference_id end as payment_id
        ) as cause
        where line.role = 'cash' and entry.loan_id is not null
        group by entry.tenant_id, cause.payment_id
      ) as booked on booked.tenant_id = payment.tenant_id and booked.payment_id = payment.id
      where coalesce(booked.amount, 0)
        <> case
          when payment.status not in ('completed', 'settled') then 0
          when payment.payment_type = 'reimbursement' then -payment.amount
          else payment.amount
        end
    `,
  },
];
