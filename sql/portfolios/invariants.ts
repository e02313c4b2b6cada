import { sql } from '../database/db.ts';
import { Found, type Check } from '../invariants/check.ts';

/** Loans that were sold: the lender's own accounts have nothing more of them. */
export const sales: readonly Check[] = [
  {
    rule: 'a loan that is sold has left the books',
    query: sql.type(Found)`
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
        -- What was paid without relief is for the accountant to take out of the receivable.
        and (line.role = 'loans_receivable' or not loan.terms @> '{"accrual_relief": false}')
      group by loan.tenant_id, loan.id, account.code, line.role
      having sum(line.debit - line.credit) <> 0
    `,
  },
];
