import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

const Due = z.object({
  id: z.string(),
  loan_id: z.string(),
  price: z.string().nullable(),
  servicing_retained: z.boolean(),
});
export type Due = z.output<typeof Due>;

/** Assignments that settle by the day. Only a loan that is sold with its portfolio has a price here. */
export const due = (tx: Transaction, day: string) =>
  tx.any(sql.type(Due)`
    select assignment.id, assignment.loan_id,
           case
             when portfolio.id is not null and assignment.ownership_percentage = 1
               then assignment.purchase_price
           end as price,
           coalesce(portfolio.servicing_retained, true) as servicing_retained
    from loan_assignments as assignment
    left join portfolios as portfolio
      on portfolio.id = assignment.portfolio_id and portfolio.status = 'sold'
      and assignment.assignment_type = 'whole_loan_sale'
    where assignment.status = 'pending'
      and coalesce(assignment.settlement_date, assignment.effective_date) <= ${day}
    order by assignment.loan_id, assignment.id
  `);

const Carried = z.object({
  loan_number: z.string(),
  is_left: z.boolean(),
  loans_receivable: z.string(),
  interest_receivable: z.string(),
  fees_receivable: z.string(),
  due_to_investors: z.string(),
});

/** What the books have of a loan that is locked, and the account of what is owed to investors. */
export const carried = (tx: Transaction, loanId: string) =>
  tx.one(sql.type(Carried)`
    select loan.loan_number, loan.principal_balance > 0 or loan.charge_off_balance > 0 as is_left,
           loan.principal_balance as loans_receivable,
           round(app.accrued(loan, app.business_date()), 2) - loan.interest_settled
             - loan.off_books_interest as interest_receivable,
           loan.outstanding_fees as fees_receivable,
           coalesce(loan.terms -> 'gl_map' ->> 'due_to_investors', account.id::text)
             as due_to_investors
    from loans as loan
    join ledger_accounts as account on account.role = 'due_to_investors'
    where loan.id = ${loanId}
  `);

/**
 * From the day on the loan's roles are booked on other accounts; where they were before is kept beside
 * it, for those who look at older days.
 */
export const mapSold = (
  tx: Transaction,
  loanId: string,
  day: string,
  map: Record<string, string>,
) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set terms = terms || jsonb_build_object(
      'gl_map', coalesce(terms -> 'gl_map', '{}') || ${JSON.stringify(map)}::jsonb,
      'gl_map_unsold', coalesce(terms -> 'gl_map', '{}'), 'sold_on', ${day}::date
    )
    where id = ${loanId}
  `);

export const settle = (
  tx: Transaction,
  id: string,
  { status, day, entryIds }: { status: string; day: string; entryIds: readonly string[] },
) =>
  tx.query(sql.typeAlias('void')`
    update loan_assignments
    set status = ${status}, effective_date = ${day}::date + 1,
        journal_entry_ids = ${JSON.stringify(entryIds)}::jsonb
    where id = ${id}
  `);
