import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { ScheduledRow } from './installments.ts';
import { amountOn, joinOutlook } from './outlook.ts';

const Booked = z.object({
  reference_id: z.string().nullable(),
  purpose: z.string(),
  role: z.string(),
  amount: z.string(),
});

/**
 * The ledger's postings for the loan's events, by entry reference; debits are positive. Excludes interest,
 * which has its own rows, and sales of the loan, which are not loan events. Manual reversals stay in
 * effect.
 */
export const postedAmountsByEvent = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(Booked)`
    select entry.reference_id, entry.purpose, line.role, sum(line.debit - line.credit) as amount
    from journal_entries as entry
    cross join lateral (
      select role, debit, credit from journal_lines
      where entry_id = entry.id and role is not null offset 0
    ) as line
    where entry.loan_id = ${loanId} and entry.source = 'system' and entry.status = 'posted'
      and entry.reversal_of_entry_id is null
      and entry.reference_type not in ('interest_accrual', 'portfolio_sale', 'portfolio_buyback')
    group by entry.reference_id, entry.purpose, line.role
  `);

const Covered = ScheduledRow.extend({
  paid_amount: z.string(),
  paid_date: z.string().nullable(),
  is_canceled: z.boolean(),
});

/** The stored rows of a version of the schedule, with their coverage. */
export const storedScheduleRows = (tx: Transaction, loanId: string, version: number) =>
  tx.any(sql.type(Covered)`
    select period_number, due_date, payment_amount, principal_amount, interest_amount, fees_amount,
           beginning_balance, ending_balance, days_in_period, paid_amount, paid_date, is_canceled
    from installments where loan_id = ${loanId} and version = ${version} order by period_number
  `);

const StoredBalances = z.object({
  principal_balance: z.string(),
  accrued_interest: z.string(),
  outstanding_fees: z.string(),
  suspense_balance: z.string(),
  charge_off_balance: z.string(),
});
export type StoredBalances = z.output<typeof StoredBalances>;

/** The loan's stored balances, which reports and other tables rely on. */
export const readStoredBalances = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(StoredBalances)`
    select record.principal_balance, coalesce(${amountOn('accrued_interest')}, 0.00) as accrued_interest,
           record.outstanding_fees, record.suspense_balance, record.charge_off_balance
    from loans as record
    cross join (select app.business_date() as day offset 0) as today
    ${joinOutlook(sql.fragment`today.day`)}
    where record.id = ${loanId}
  `);

/** Loans with events, in the order of their creation. */
export const loansWithEvents = (tx: Transaction) =>
  tx.any(sql.type(z.object({ id: z.string(), loan_number: z.string() }))`
    select id, loan_number from loans as loan
    where exists (select from loan_events where loan_id = loan.id) order by id
  `);

const ToRecompute = z.object({ tenant_id: z.string(), id: z.string(), loan_number: z.string() });

/**
 * Up to `most` active loans of all tenants that can be recomputed, for the auditor. The order depends on the tenant's
 * business date, so every loan has its turn.
 */
export const loansToRecompute = (tx: Transaction, most: number) =>
  tx.any(sql.type(ToRecompute)`
    select loan.tenant_id, loan.id, loan.loan_number
    from loans as loan
    join tenants as tenant on tenant.id = loan.tenant_id
    where loan.status = 'active'
      and exists (
        select from loan_events as event
        where event.tenant_id = loan.tenant_id and event.loan_id = loan.id
      )
      and not exists (
        select from cob_loan_errors as quarantined
        where quarantined.tenant_id = loan.tenant_id and quarantined.loan_id = loan.id
          and quarantined.resolved_at is null
      )
    order by hashtextextended(loan.id::text, to_char(tenant.business_date, 'J')::bigint)
    limit ${most}
  `);
