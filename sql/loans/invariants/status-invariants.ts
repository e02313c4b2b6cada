import { sql } from '../../database/db.ts';
import { ViolationRow, type Check } from '../../invariant-check.ts';
import { amountOn, daysPastDueOn, joinOutlook, joinOutlookRow } from '../outlook.ts';

const TODAY = sql.fragment`tenant.business_date`;

/** Money that was paid back of a payment, as far as the refund names it. */
const refunded = sql.fragment`(
  select coalesce(sum(back.amount), 0.00) from payments as back
  where back.tenant_id = payment.tenant_id and back.reverses_payment_id = payment.id
    and back.payment_type = 'reimbursement' and back.status in ('completed', 'settled')
)`;

/** The status and delinquency of a loan must follow from what it owes and from the ledger. */
export const statusInvariants: readonly Check[] = [
  {
    rule: 'a loan with something past due is not shown as current',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s has something unpaid since %s, and is shown as %s, first delinquent on %s.',
               loan.loan_number, loan.oldest_unpaid_due_date, loan.delinquency_bucket,
               coalesce(loan.first_delinquency_date::text, 'no day')) as message
      from loans as loan
      join tenants as tenant on tenant.id = loan.tenant_id
      ${joinOutlookRow(TODAY, { loan: 'loan', isOfAllTenants: true })}
      where loan.status = 'active' and ${daysPastDueOn(TODAY)} > 0
        and (loan.delinquency_bucket = 'current' or loan.first_delinquency_date is null)
        and (loan.tenant_id, loan.id) not in (
          select tenant_id, loan_id from cob_loan_errors where resolved_at is null
        )
    `,
  },
  {
    rule: 'what was recovered of a charge-off is in the books',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s recovered %s, and the books have a recovery of %s.', loan.loan_number,
               loan.recovered_amount, coalesce(booked.amount, 0.00)) as message
      from loans as loan
      left join (
        select entry.tenant_id, entry.loan_id, sum(line.credit - line.debit) as amount
        from posted_lines as line
        join journal_entries as entry on entry.tenant_id = line.tenant_id and entry.id = line.entry_id
        where line.role = 'recovery_income' and entry.loan_id is not null
        group by entry.tenant_id, entry.loan_id
      ) as booked on booked.tenant_id = loan.tenant_id and booked.loan_id = loan.id
      -- The books of the previous servicer have what it recovered.
      cross join lateral (
        select coalesce(sum(payment.principal_applied), 0.00) as amount
        from payments as payment
        join loan_events as event on event.tenant_id = payment.tenant_id and event.id = payment.id
        where payment.tenant_id = loan.tenant_id and payment.loan_id = loan.id
          and payment.payment_type = 'recovery' and event.is_replayed and event.reversed_by is null
      ) as brought
      where loan.recovered_amount > 0
        and coalesce(booked.amount, 0) + brought.amount < loan.recovered_amount
    `,
  },
  {
    rule: 'a modification that waits follows the status of its loan',
    query: sql.type(ViolationRow)`
      select record.tenant_id, record.id as subject,
             format('Modification %s is shown as %s, and loan %s is %s.', record.id, record.shown_status,
               loan.loan_number, loan.status) as message
      from modifications as record
      join loans as loan on loan.tenant_id = record.tenant_id and loan.id = record.loan_id
      where record.status in ('pending', 'approved')
        and record.is_loan_active is distinct from (loan.status = 'active')
    `,
  },
  {
    rule: 'an active loan owes something',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s is active and owes nothing.', loan.loan_number) as message
      from loans as loan
      join tenants as tenant on tenant.id = loan.tenant_id
      ${joinOutlook(TODAY, { loan: 'loan', isOfAllTenants: true })}
      where loan.status = 'active' and loan.loan_type <> 'line_of_credit'
        and loan.principal_balance + loan.outstanding_fees + loan.charge_off_balance = 0
        and ${amountOn('accrued_interest')} <= 0
        and exists (
          select from loan_events as event
          where event.tenant_id = loan.tenant_id and event.loan_id = loan.id
        )
    `,
  },
  {
    rule: 'a promise is not kept by money that was refunded',
    query: sql.type(ViolationRow)`
      select promise.tenant_id, promise.id as subject,
             format('Promise %s of %s is kept, and %s of what was paid in time was not refunded.', promise.id,
               promise.promised_amount, paid.amount) as message
      from promises_to_pay as promise
      cross join lateral (
        select coalesce(sum(payment.amount), 0.00) as received, coalesce(sum(payment.amount - ${refunded}), 0.00) as amount
        from payments as payment
        where payment.tenant_id = promise.tenant_id and payment.loan_id = promise.loan_id
          and payment.status in ('completed', 'settled') and payment.payment_type <> 'reimbursement'
          and payment.effective_date between promise.promised_on and promise.promised_date + promise.grace_days
      ) as paid
      where promise.status = 'kept' and paid.amount < promise.promised_amount
        and paid.received >= promise.promised_amount
    `,
  },
];
