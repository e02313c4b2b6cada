import { sql } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';
import { investorLines, remittancesWithSums } from './remittances.ts';

/** Sold loans must have no balance on the lender's own accounts. */
export const saleInvariants: readonly Check[] = [
  {
    rule: 'sold loans have left the books',
    query: sql.type(ViolationRow)`
      select loan.tenant_id, loan.id as subject,
             format('Loan %s was sold on %s, and account %s still has %s of its %s.',
               loan.loan_number, loan.terms ->> 'sold_on', account.code,
               sum(line.debit - line.credit), line.role) as message
      from loans as loan
      join journal_entries as entry
        on entry.tenant_id = loan.tenant_id and entry.loan_id = loan.id
      join posted_lines as line on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
      join ledger_accounts as account
        on account.tenant_id = line.tenant_id and account.id = line.account_id
      where loan.terms ? 'sold_on' and line.role in ('loans_receivable', 'fees_receivable')
        and account.id::text <> loan.terms -> 'gl_map' ->> line.role
        -- Without accrual relief, an accountant moves paid fees out of the receivable.
        and (line.role = 'loans_receivable' or not loan.terms @> '{"accrual_relief": false}')
      group by loan.tenant_id, loan.id, account.code, line.role
      having sum(line.debit - line.credit) <> 0
    `,
  },
  {
    rule: 'remittances equal the collections in the ledger',
    query: sql.type(ViolationRow)`
      select record.tenant_id, record.id as subject,
             format('Remittance %s shows %s collected through %s, but the ledger has %s.', record.id,
               sums.collected, record.period_end, coalesce(booked.amount, 0.00)) as message
      from ${remittancesWithSums}
      left join lateral (
        select sum(line.amount) as amount from (${investorLines}) as line
        where line.tenant_id = record.tenant_id and line.investor_id = record.investor_id
          and line.entry_date between record.period_start and record.period_end
      ) as booked on true
      where sums.collected <> coalesce(booked.amount, 0)
    `,
  },
  {
    rule: 'the servicing fee and payment of a remittance are booked',
    query: sql.type(ViolationRow)`
      select record.tenant_id, record.id as subject,
             format('Remittance %s leaves %s of %s on Due to Investors.', record.id,
               owing.amount - booked.amount, owing.amount) as message
      from ${remittancesWithSums}
      cross join lateral (
        select sums.servicing_fee + case when record.status = 'paid' then sums.amount_due else 0 end
          as amount
      ) as owing
      cross join lateral (
        select coalesce(sum(line.debit - line.credit), 0.00) as amount
        from journal_entries as entry
        join journal_lines as line
          on line.tenant_id = entry.tenant_id and line.entry_id = entry.id
        where entry.tenant_id = record.tenant_id and entry.source = 'system'
          and (entry.reference_id = record.id or entry.reversal_of_entry_id
            in (record.journal_entry_id, record.payment_entry_id))
          and line.role = 'due_to_investors'
      ) as booked
      where owing.amount <> booked.amount
    `,
  },
];
